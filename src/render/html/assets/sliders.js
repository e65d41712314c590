// SPDX-License-Identifier: Apache-2.0
// The numbers of a model that one can move: a slider and a field for each, in the order of how much they matter, with a mark where
// a deadline breaks. What was moved is told as changes in the words of --what-if.
"use strict";

const WEIR_SLIDERS_FEW = 12; // the first, by influence; the others on demand
const WEIR_QUEUES_MOST = 4000; // the page was written without sliders for more
const WEIR_NAME_LONG = 18;   // characters; longer ones stand above their number
const WEIR_MARKS_MOST = 64;  // numbers whose influence is computed

// One number: the end of an interval, a time or a count.
class WeirParameter {
  constructor(spec, end, unit) {
    this.spec = spec;
    this.end = end;
    this.given = spec.value.map(BigInt)[end];
    this.value = this.given;
    this.digits = spec.type === "count" ? 0 : spec.digits;
    this.unit = spec.type === "count" ? "" : unit;
    this.least = BigInt(spec.least);
    this.what = spec.type !== "interval" ? spec.key : spec.key === "time" ? ["best", "worst"][end] : `${spec.key}, ${["least", "most"][end]}`;
    this.name = spec.of === "platform" ? this.what : `${this.what} of ${spec.name}`;
    const big = this.given * 3n;
    this.high = spec.type === "count" ? (big > 12n ? big : 12n) : this.given > 0n ? big : 10n ** BigInt(this.digits + 1);
  }

  // Where its slider begins; it ends at `high`.
  get begin() {
    return this.spec.type === "count" ? this.least : 0n;
  }

  get text() {
    return weirFormat(this.value, this.digits);
  }

  // More of it makes latencies longer (1) or shorter (-1), as a rule; where to look for the end of what is good.
  get worse() {
    const shorter = ["workers", "cores", "sms", "max-concurrent", "period", "within", "deadline", "frame", "slot"];
    return this.spec.type === "interval" ? (this.end ? 1 : -1) : shorter.includes(this.spec.key) || this.spec.key === "capacity" ? -1 : 1;
  }
}

class WeirSliders {
  constructor(model, changed) {
    this.model = model;
    this.unit = model.unit === "tick" ? "" : " " + model.unit;
    this.changed = changed;
    this.rows = new Map();
    this.asked = model.parameters.some((spec) => spec.key === "within" || spec.key === "deadline");
    this.parameters = model.parameters.flatMap((spec) => {
      spec.digits = model.digits;
      const ends = spec.type === "interval" ? [0, 1] : [0];
      spec.ends = ends.map((end) => new WeirParameter(spec, end, this.unit));
      return spec.ends.filter((p) => spec.type !== "interval" || p.end === 1 || p.given > 0n);
    });
    this.element = weirMake("div", {className: "sliders"});
    this.draw();
  }

  // ---- what was moved ----

  get moved() {
    return this.model.parameters.filter((spec) => spec.ends.some((p) => p.value !== p.given));
  }

  // One, or one for each queue of a port, which is one queue.
  changesOf(spec) {
    const values = spec.ends.map((p) => p.text), text = values.length > 1 ? `[${values.join(", ")}]` : values[0];
    return [spec.target, ...spec.with ?? []].map((target) => `${target}.${spec.key}=${text}`);
  }

  get changes() {
    return this.moved.flatMap((spec) => this.changesOf(spec));
  }

  // A change of one number; the best time of an interval falls with its worst.
  written(p, value) {
    const [before, behind] = this.around(p), text = weirFormat(value, p.digits), [best] = p.spec.ends;
    return p.end && value < best.value ? `${p.spec.target}.${p.spec.key}=[${text}, ${text}]` : before + text + behind;
  }

  // What stands around one number in such a change.
  around(p) {
    const {spec} = p, other = spec.ends[1 - p.end]?.text, head = `${spec.target}.${spec.key}=`;
    if (spec.ends.length === 1) return [head, ""];
    return p.end ? [`${head}[${other}, `, "]"] : [`${head}[`, `, ${other}]`];
  }

  reset() {
    this.parameters.forEach((p) => { p.spec.ends.forEach((e) => { e.value = e.given; }); });
    this.show(true);
  }

  // Changes as a link or a person has them; what cannot be read is passed over.
  apply(changes) {
    for (const text of changes) {
      const spec = this.model.parameters.find((s) => text.startsWith(`${s.target}.${s.key}=`));
      const values = spec && text.slice(`${spec.target}.${spec.key}=`.length).replace(/^\[|\]$/g, "").split(",").map((v) => weirParse(v, spec.ends[0].digits));
      if (!spec || values.length !== spec.ends.length || values.includes(null)) continue;
      spec.ends.forEach((p, i) => { p.value = values[i]; });
    }
    this.show();
  }

  // Where the worst time falls below the best, or the best rises above the worst, the other one follows.
  set(p, value) {
    const other = p.spec.ends[1 - p.end];
    p.value = value;
    if (other && (p.end ? other.value > value : other.value < value)) other.value = value;
    this.show(true);
    this.changed();
  }

  // ---- as rows ----

  draw() {
    const helps = (p) => p.mark?.limit !== undefined && p.mark.limit !== null ? 1 : 0; // of those that matter alike
    const order = [...this.parameters].sort((a, b) => this.weight(a) === this.weight(b) ? helps(b) - helps(a) : this.weight(b) - this.weight(a)), few = order.slice(0, WEIR_SLIDERS_FEW), rest = order.slice(WEIR_SLIDERS_FEW);
    const more = weirMake("details", {className: "more-sliders", open: this.element.querySelector("details")?.open ?? false}, weirMake("summary", {textContent: `${rest.length} more`}));
    few.forEach((p) => this.row(p));
    const left = this.model.queues.length > WEIR_QUEUES_MOST
      ? [weirMake("p", {className: "legend", textContent: `Its ${this.model.queues.length} queues have no sliders; weir explore --what-if changes them.`})] : [];
    this.element.replaceChildren(...few.map((p) => this.rows.get(p).element), ...(rest.length ? [more] : []), ...left);
    const fill = () => { if (more.open && more.childElementCount === 1) more.append(...rest.map((p) => this.row(p))); };
    more.addEventListener("toggle", fill);
    fill();
    this.show();
  }

  weight(p) {
    return p.mark ? p.mark.influence : p.spec.of === "operator" && p.end === p.spec.ends.length - 1 ? -1 : -2;
  }

  row(p) {
    if (this.rows.has(p)) return this.rows.get(p).element;
    const whole = p.spec.type === "count", steps = whole ? p.high : p.high < 1000n ? p.high : 1000n;
    const range = weirMake("input", {type: "range", min: String(p.begin), max: String(steps), "aria-label": p.name});
    const field = weirMake("input", {type: "text", inputMode: "decimal", autocomplete: "off", "aria-label": p.name + ", as a number"});
    const mark = weirMake("button", {type: "button", className: "limit", hidden: true, "aria-label": "where it breaks"}), track = weirMake("div", {className: "track"}, range, mark);
    const name = p.spec.of === "platform" ? "platform" : p.spec.name;
    const element = weirMake("div", {className: name.length > WEIR_NAME_LONG ? "row long" : "row"}, weirMake("span", {className: "of", title: name}, ...name.split(/(?<=[_. ])/).flatMap((part) => [part, document.createElement("wbr")])), weirMake("span", {className: "what", textContent: p.what}), field, track);
    const take = (value) => {
      if (value === null || value < p.least || value >= 2n ** 63n) field.setAttribute("aria-invalid", "true"); else this.set(p, value);
    };
    range.addEventListener("input", () => take(whole ? BigInt(range.value) : BigInt(range.value) * p.high / steps));
    field.addEventListener("change", () => take(weirParse(field.value, p.digits)));
    mark.addEventListener("click", () => this.set(p, BigInt(p.mark.limit)));
    let shown = null;
    const show = (anew) => {
      this.mark(p, mark);
      if (shown === p.value && !anew) return; // what somebody is typing stays
      shown = p.value;
      range.value = String(whole ? p.value : (p.value * steps + p.high / 2n) / p.high);
      range.setAttribute("aria-valuetext", p.text + p.unit);
      field.value = p.text;
      field.removeAttribute("aria-invalid");
      element.classList.toggle("changed", p.value !== p.given);
    };
    const reveal = () => { // on a narrow screen the timeline comes to lie above it; on a wide one all of the panel is in view, and so the verdict
      element.scrollIntoView({block: "nearest"});
      const panel = element.closest(".live"), over = panel?.getBoundingClientRect().top;
      if (over < 0 && getComputedStyle(panel).position === "sticky") scrollBy(0, over);
    };
    element.addEventListener("focusin", () => { reveal(); requestAnimationFrame(reveal); });
    this.rows.set(p, {element, show});
    show();
    return element;
  }

  // The number at which a deadline breaks: where on the track, and to take it.
  mark(p, button) {
    const limit = p.mark?.limit;
    button.hidden = limit === undefined || limit === null;
    if (button.hidden) return;
    const at = Math.min(1, Number(BigInt(limit) - p.begin) / Number(p.high - p.begin)), text = weirFormat(BigInt(limit), p.digits) + p.unit;
    button.style.setProperty("--at", String(at));
    button.title = `${p.name}: ${p.worse > 0 ? "at most" : "at least"} ${text} for ${this.asked ? "every deadline to be met" : "a bound"}; take it`;
    button.setAttribute("aria-label", button.title);
    button.textContent = text;
    button.classList.toggle("left", at > 0.6);
  }

  show(anew = false) {
    for (const {show} of this.rows.values()) show(anew);
  }

  // ---- how much they matter ----

  // Of the most promising numbers, those that are questions to the engine.
  get questions() {
    const first = (p) => p.spec.of === "operator" ? (p.end ? 0 : 2) : p.spec.of === "platform" ? 0 : p.spec.of === "queue" ? 1 : 2;
    const order = [...this.parameters].filter((p) => p.spec.of !== "deadline" && p.spec.key !== "deadline" && !p.spec.with).sort((a, b) => first(a) - first(b) || Number(b.given - a.given)).slice(0, WEIR_MARKS_MOST);
    return order.map((p) => {
      const [before, behind] = this.around(p), i = this.parameters.indexOf(p), top = p.end === 0 && p.spec.ends.length > 1 ? p.spec.ends[1].value : p.high;
      const pair = p.end === 1 ? {head: `${p.spec.target}.${p.spec.key}=`, best: String(p.spec.ends[0].value)} : {};
      return {name: i, now: String(p.value), low: String(p.least), high: String(top > p.value ? top : p.value), before, behind, digits: p.digits, worse: p.worse, ...pair};
    });
  }

  // The answers; the order stays where somebody is at work.
  weigh(marks, sort) {
    for (const mark of marks) this.parameters[mark.name].mark = mark;
    if (sort) this.draw(); else this.show();
  }

  // "infer at most 24.25 ms": what alone would be enough, the smallest change first; only where something is missed.
  get enough() {
    const share = (p) => Math.abs(Number(BigInt(p.mark.limit) - p.value)) / Math.max(1, Number(p.value));
    const real = (p) => p.spec.type === "count" || BigInt(p.mark.limit) > 0n; // nothing takes no time
    return this.parameters.filter((p) => p.mark?.limit !== undefined && p.mark.limit !== null && real(p)).sort((a, b) => share(a) - share(b)).map((p) => {
      const value = BigInt(p.mark.limit);
      return {p, value, change: this.written(p, value), text: `${p.spec.of === "platform" ? p.what : p.spec.name + (p.what === "worst" ? "" : " " + p.what)} ${p.worse > 0 ? "at most" : "at least"} ${weirFormat(value, p.digits)}${p.unit}`};
    });
  }
}
