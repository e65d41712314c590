// SPDX-License-Identifier: Apache-2.0
// The story beside a timeline: what the worst case adds up from, and its steps as sentences. Pointing at one lights its bar; the
// arrow keys walk along the critical path and show how full each queue is at that moment.
"use strict";

const WEIR_STORY_FEW = 14; // sentences shown at first

class WeirJourney {
  constructor(timeline) {
    this.t = timeline;
    this.at = -1;
  }

  show() {
    const {data} = this.t, {words} = this.t;
    this.at = Math.min(this.at, data.steps.length - 1);
    words.replaceChildren();
    this.t.sum.hidden = !data.account;
    this.t.sum.textContent = data.account ? data.account[0].toUpperCase() + data.account.slice(1).replaceAll("->", "\u2192") + "." : "";
    if (data.subtitle && !data.steps.length) words.append(weirMake("p", {className: "legend", textContent: data.subtitle}));
    if (data.legs.length) words.append(this.legend());
    if (data.legs.length && data.steps.length) words.append(weirMake("p", {className: "legend", textContent: "Solid bars take their worst time, pale ones their best. Grey strips show how full the queues in front of an operator are."}));
    const kinds = new Set(data.lanes.flatMap((lane) => lane.spans.map((span) => span[0]))), signs = "A pale bar reaches from the earliest enabling to the latest end, the outline in it is the best time as early as it can be, " +
      `the solid part the worst time as late as it can end.${kinds.has(WEIR_KIND.NEXT) ? " Dashes below are the next iteration, where it overlaps." : ""}`;
    if (kinds.has(WEIR_KIND.WINDOW)) words.append(weirMake("p", {className: "legend", textContent: signs}));
    if (data.steps.length) words.append(...this.story());
  }

  // What the colours of the ribbon mean, with how much there is of each.
  legend() {
    const {data, clock} = this.t, sums = [0n, 0n, 0n, 0n];
    data.legs.forEach(([kind, , , , from, to]) => { sums[kind] += clock.length(from, to); });
    const names = ["running", "waiting in a queue", "blocked: no room ahead", "on the way"];
    return weirMake("p", {className: "legend"}, "The message itself:", ...sums.flatMap((sum, kind) => sum === 0n ? [] : [
      weirMake("span", {}, weirMake("span", {className: "key tl-" + WEIR_LEGS[kind]}), ` ${names[kind]} ${clock.amount(String(sum))}`)]));
  }

  sentence(i) {
    const {data, clock} = this.t, [lane, , iteration, from, to, , reason, label] = data.steps[i], length = clock.length(from, to);
    const takes = WeirClock.place(length) > 0 ? `, takes ${clock.amount(length)}` : "";
    return {time: clock.text(from), text: `${label ?? `${data.lanes[lane].name}, frame ${iteration}`}${takes}${reason ? " \u2013 " + reason : ""}`};
  }

  story() {
    const {data} = this.t, count = data.steps.length, first = data.steps.findIndex((s) => WeirClock.place(s[4]) > 0);
    this.items = new Map();
    const list = weirMake("ol", {className: "story", tabIndex: 0, "aria-label": "The story, step by step"}), begin = Math.max(0, first);
    const add = (i) => {
      const {time, text} = this.sentence(i), item = weirMake("li", {"data-step": String(i)}, weirMake("span", {className: "when", textContent: time}), weirMake("span", {textContent: text}));
      item.addEventListener("pointerenter", () => this.light(i));
      item.addEventListener("pointerleave", () => this.light(this.at));
      item.addEventListener("click", () => this.go(i));
      this.items.set(i, item);
      return item;
    };
    const shown = count - begin <= WEIR_STORY_FEW + 1 ? count : begin + WEIR_STORY_FEW;
    if (begin > 0) list.append(this.more(begin === 1 ? "1 step before the latency begins" : `${begin} steps before the latency begins`, (at) => { for (let i = 0; i < Math.min(begin, 500); i++) at.before(add(i)); }));
    for (let i = begin; i < shown; i++) list.append(add(i));
    if (shown < count) list.append(this.more(`${count - shown} more steps`, (at) => { for (let i = shown; i < Math.min(count, shown + 2000); i++) at.before(add(i)); }));
    return [weirMake("p", {className: "story-head", textContent: `Step by step (times in ${data.unit}, from where the latency counts)`}), list];
  }

  more(text, open) {
    const button = weirMake("button", {type: "button", textContent: text}), item = weirMake("li", {className: "more"}, button);
    button.addEventListener("click", () => { open(item); item.remove(); });
    return item;
  }

  // ---- walking ----

  step(by) {
    const {steps} = this.t.data;
    if (!steps.length) return;
    const first = steps.findIndex((s) => WeirClock.place(s[4]) > 0);
    this.go(this.at < 0 ? (by > 0 ? Math.max(0, first) : steps.length - 1) : Math.min(Math.max(this.at + by, 0), steps.length - 1));
  }

  go(i) {
    const {steps} = this.t.data;
    if (!steps.length) return;
    this.at = i < 0 ? steps.length - 1 : i;
    const [, , , from, to] = steps[this.at];
    this.t.cursor = WeirClock.place(from);
    this.t.reveal(WeirClock.place(from), WeirClock.place(to));
    this.t.draw();
    this.t.tip.textContent = this.telling();
    this.items?.get(this.at)?.scrollIntoView({block: "nearest"});
    this.t.body.querySelector(".tl-lit")?.scrollIntoView({block: "nearest"});
  }

  leave() {
    this.at = -1;
    this.t.cursor = undefined;
    this.t.tip.textContent = "";
    this.t.draw();
  }

  telling() {
    const {data} = this.t, {time, text} = this.sentence(this.at), now = WeirClock.place(data.steps[this.at][3]);
    const fills = data.levels.map((l) => [l, WeirTimelineLanes.fill(l, now)]).filter(([, n]) => n > 0).map(([l, n]) => `${l.name} ${n}${l.capacity ? ` of ${l.capacity}` : ""}`);
    const few = fills.slice(0, 12).join(", ") + (fills.length > 12 ? ` and ${fills.length - 12} more` : "");
    return `Step ${this.at + 1} of ${data.steps.length}, at ${this.t.clock.with(time)}: ${text}. In the queues: ${few || "nothing"}.`;
  }

  // The bar of a step, alone; -1: none.
  light(i) {
    weirAll(".tl-lit", this.t.figure).forEach((e) => e.classList.remove("tl-lit"));
    if (i < 0) return;
    const [lane, , iteration, , , , , label] = this.t.data.steps[i];
    const bars = label === undefined ? `.wt-run[data-lane="${lane}"][data-iteration="${iteration}"]` : `.wt-run[data-operator="${CSS.escape(label)}"]`;
    weirAll(bars, this.t.body).forEach((e) => e.classList.add("tl-lit"));
    this.items?.get(i)?.classList.add("tl-lit");
  }

  // After the lanes were drawn: where one stands, and what is in the queues then.
  mark() {
    const {t} = this, cursor = t.body.querySelector(".tl-cursor");
    this.light(this.at);
    if (this.at < 0 || !cursor) return;
    const now = WeirClock.place(t.data.steps[this.at][3]), x = weirRound(t.x(now)), parts = [`<path d="M${x} 0V${t.lanes.height}"/>`];
    t.lanes.shown.forEach((i) => {
      const place = t.lanes.places[i];
      t.data.lanes[i].levels.slice(0, place.strips).forEach((level, n) => {
        const y = place.first + place.row * place.rows + (WEIR_STRIP + 1) * n, text = `${WeirTimelineLanes.fill(level, now)}${level.capacity ? "/" + level.capacity : ""}`;
        const behind = x + 8 + text.length * 6 < t.left + t.width;
        parts.push(`<g class="tl-fill"><rect x="${weirRound(behind ? x + 2 : x - 6 - text.length * 6)}" y="${y - 2}" width="${text.length * 6 + 4}" height="11" rx="2"/><text x="${weirRound(behind ? x + 4 : x - 4 - text.length * 6)}" y="${y + 7}">${text}</text></g>`);
      });
    });
    cursor.innerHTML = parts.join("");
  }
}
