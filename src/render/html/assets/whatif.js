// SPDX-License-Identifier: Apache-2.0
// What if? Sliders for the times of operators and the capacities of queues; the engine computes everything anew, and the page
// follows. Words and digits are those of text.c and threads.c.
"use strict";

// ---- numbers ----

// Times are whole ticks; a unit has 10^digits of them.
function weirFormat(ticks, digits) {
  const negative = ticks < 0n, text = String(negative ? -ticks : ticks).padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits), rest = text.slice(text.length - digits).replace(/0+$/, "");
  return (negative ? "-" : "") + whole + (rest ? "." + rest : "");
}

function weirParse(text, digits) {
  const match = /^\s*(\d+)(?:[.,](\d*))?\s*$/.exec(text);
  if (!match || (match[2] || "").length > digits) return null;
  return BigInt(match[1] + (match[2] || "").padEnd(digits, "0"));
}

// JSON with its numbers as they are written, to the last digit: as text.
function weirExactly(text) {
  return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (part) => part[0] === '"' ? part : `"${part}"`));
}

const WEIR_UNBOUNDED = 4294967295;
const WEIR_FINE = 0, WEIR_UNDECIDED = 1, WEIR_MISSED = 2, WEIR_NO_BOUND = 3;

// ---- words about an answer ----

class WeirWords {
  constructor(model, result) {
    this.model = model;
    this.result = result;
    this.unit = model.unitName === "tick" ? "" : " " + model.unitName;
  }

  time(text) {
    return text === null || text === undefined ? "?" : text + this.unit;
  }

  // A period: its decimals, or, where those do not end, rounded up.
  ratio(key) {
    const t = this.result.throughput, exact = t[key + "_exact"];
    if (!exact) return this.time(t[key]);
    const [numerator, denominator] = exact.map(BigInt), more = Math.max(0, 3 - this.model.digits), scale = 10n ** BigInt(more);
    const fine = (numerator * scale + denominator - 1n) / denominator;
    return (fine * denominator === numerator * scale ? "" : "about ") + weirFormat(fine, this.model.digits + more) + this.unit;
  }

  static isBracket(l) {
    return l.worst_lower !== undefined;
  }

  static neverHappens(l) {
    return l.worst === null && !l.unbounded && !WeirWords.isBracket(l);
  }

  worst(l) {
    if (l.unbounded) return "no bound";
    if (WeirWords.isBracket(l)) return `${this.time(l.worst_lower)} to ${this.time(l.worst)}`;
    return WeirWords.neverHappens(l) ? "never happens" : this.time(l.worst);
  }

  static verdict(l) {
    if (l.unbounded) return WEIR_NO_BOUND;
    if (l.deadline === null || l.met === true) return WEIR_FINE;
    return l.met === false ? WEIR_MISSED : WEIR_UNDECIDED;
  }

  get deciding() {
    return this.result.latency.reduce((found, l) => WeirWords.verdict(l) > WeirWords.verdict(found) ? l : found);
  }

  headline() {
    const of = (v) => this.result.latency.filter((l) => WeirWords.verdict(l) === v).length;
    const deadlines = this.result.latency.filter((l) => l.deadline !== null).length;
    if (of(WEIR_NO_BOUND)) return ["bad", "There is no bound."];
    if (of(WEIR_MISSED)) return ["bad", of(WEIR_MISSED) === 1 ? "A deadline is missed." : "Deadlines are missed."];
    if (of(WEIR_UNDECIDED)) return ["unknown", "A limit was reached before the deadline was decided."];
    if (deadlines) return ["good", deadlines === 1 ? "The deadline is met, always." : "Every deadline is met, always."];
    if (this.result.latency.some(WeirWords.isBracket)) return ["unknown", "A limit was reached: the worst case lies in a bracket."];
    return ["good", "The worst case is known exactly."];
  }

  // Text and elements about the latency that decides.
  sentence() {
    const l = this.deciding, bound = weirMake("strong", {className: "bound", textContent: this.worst(l)});
    const parts = [` From ${l.from} to ${l.to} `];
    if (l.unbounded) parts.push("it can take longer than any time that one could name");
    else if (WeirWords.neverHappens(l)) parts.push("nothing ever takes any time: it never happens");
    else if (WeirWords.isBracket(l)) parts.push("the worst case is ", bound);
    else if (WeirWords.verdict(l) === WEIR_MISSED) parts.push("it can take ", bound);
    else parts.push("it takes at most ", bound, ", and there is an execution that takes so long");
    if (l.deadline !== null) parts.push(`; the deadline is ${this.time(l.deadline)}`);
    return [...parts, "."];
  }

  throughput() {
    const {bottleneck, limited_by} = this.result.throughput, period = limited_by === "period" ? "the period of " : "";
    const names = period + bottleneck.join(", ");
    const who = bottleneck.length > 1 ? ` The bottleneck is the loop of ${names}.` : bottleneck.length ? ` The bottleneck is ${names}.` : "";
    return ["One result every ", weirMake("strong", {textContent: this.ratio("period")}),
      ` is guaranteed; where everything takes its best time, one every ${this.ratio("best_period")}.${who}`];
  }
}

// ---- the sliders of a model ----

class WeirWhatIf {
  constructor(section, model, engine) {
    this.section = section;
    this.page = section.closest("section.model");
    this.model = model;
    this.engine = engine;
    this.unit = model.unitName === "tick" ? "" : " " + model.unitName;
    this.rows = [];
    this.values();
    this.draw();
    this.page.addEventListener("weir-shown", () => { if (this.moved) this.compute(); });
  }

  // As the model has them.
  values() {
    this.times = this.model.operators.map((o) => ({best: BigInt(o.best), worst: BigInt(o.worst)}));
    this.capacities = this.model.queues.map((q) => q.capacity);
  }

  get changed() {
    return this.model.operators.some((o, i) => BigInt(o.best) !== this.times[i].best || BigInt(o.worst) !== this.times[i].worst) ||
      this.model.queues.some((q, i) => q.capacity !== this.capacities[i]);
  }

  draw() {
    this.answer = weirMake("p", {className: "answer", role: "status", "aria-live": "polite",
      textContent: "Move a slider: the verdict, the latencies, the drawing, the timeline and the throughput follow."});
    const times = weirMake("fieldset", {}, weirMake("legend", {textContent: "Execution times" + (this.unit && " in" + this.unit)}));
    this.model.operators.forEach((o, i) => {
      times.append(this.row(o.name, "worst", () => this.times[i].worst, (v) => this.setTimes(i, "worst", v)));
      if (o.best !== "0") times.append(this.row(o.name, "best", () => this.times[i].best, (v) => this.setTimes(i, "best", v)));
    });
    const queues = weirMake("fieldset", {}, weirMake("legend", {textContent: "Queue capacities"}));
    this.model.queues.forEach((q, i) => {
      if (q.capacity === WEIR_UNBOUNDED || q.flags & 1) return;
      const name = this.model.operators[q.from].name + " \u2192 " + this.model.operators[q.to].name;
      queues.append(this.row(name, "capacity", () => BigInt(this.capacities[i]), (v) => { this.capacities[i] = Number(v); }));
    });
    const reset = weirMake("button", {type: "button", textContent: "Reset", className: "reset"});
    reset.addEventListener("click", () => this.reset());
    const yaml = weirMake("button", {type: "button", textContent: "Copy as YAML", className: "yaml"});
    yaml.addEventListener("click", () => weirCopy(yaml, this.yaml ?? this.given));
    this.section.append(this.answer, weirMake("p", {className: "buttons"}, reset, yaml), this.folded(times));
    if (queues.childElementCount > 1) this.section.append(this.folded(queues));
  }

  get given() {
    return this.page.querySelector("pre.source")?.textContent ?? "";
  }

  // Very many sliders stand in a box of their own.
  folded(fieldset) {
    fieldset.classList.toggle("many", fieldset.childElementCount > 16);
    return fieldset;
  }

  // A slider and a field for the same number. The slider goes from 0 to about three times what the model says.
  row(name, what, get, set) {
    const value = get(), whole = what === "capacity", digits = whole ? 0 : this.model.digits, low = whole ? 1n : 0n;
    const high = whole ? (value * 3n > 12n ? value * 3n : 12n) : value > 0n ? value * 3n : 10n ** BigInt(digits + 1);
    const top = whole ? 2n ** 32n - 2n : 2n ** 63n - 1n; // as the engine's numbers; it says itself which are too large
    const label = `${what} of ${name}`;
    const range = weirMake("input", {type: "range", "aria-label": label});
    const field = weirMake("input", {type: "text", inputMode: "decimal", autocomplete: "off", "aria-label": label + ", as a number"});
    Object.assign(range, whole ? {min: "1", max: String(high)} : {min: "0", max: String(high < 1000n ? high : 1000n)});
    const steps = BigInt(range.max);
    const toRange = (v) => String(whole ? v : (v * steps + high / 2n) / high);
    const fromRange = () => whole ? BigInt(range.value) : BigInt(range.value) * high / steps;
    const element = weirMake("div", {className: "row"}, weirMake("span", {textContent: name, title: name}),
      weirMake("span", {textContent: what}), range, field);
    const show = () => {
      const now = get();
      range.value = toRange(now);
      range.setAttribute("aria-valuetext", weirFormat(now, digits) + (whole ? "" : this.unit));
      field.value = weirFormat(now, digits);
      field.removeAttribute("aria-invalid");
      element.classList.toggle("changed", now !== value);
    };
    const change = (v) => {
      if (v === null || v < low || v > top) {
        field.setAttribute("aria-invalid", "true");
        return;
      }
      set(v);
      this.rows.forEach((s) => s());
      this.compute();
    };
    range.addEventListener("input", () => change(fromRange()));
    field.addEventListener("change", () => change(weirParse(field.value, digits)));
    show();
    this.rows.push(show);
    return element;
  }

  // Where the worst time falls below the best, or the best rises above the worst, the other one follows.
  setTimes(i, which, value) {
    const next = {...this.times[i], [which]: value};
    if (next.best > next.worst) next[which === "worst" ? "best" : "worst"] = value;
    this.times[i] = next;
  }

  reset() {
    this.values();
    this.rows.forEach((show) => show());
    this.compute();
  }

  // ---- questions and answers ----

  compute() {
    const {model} = this;
    const shown = weirAll("figure.timeline:not([hidden])", this.page).map((f) => Number(f.dataset.pair));
    const question = {model, limit: this.section.dataset.limit, pictures: shown,
      times: this.times.map((t, i) => [i, String(t.best), String(t.worst)])
        .filter(([i, best, worst]) => best !== model.operators[i].best || worst !== model.operators[i].worst),
      capacities: this.capacities.map((p, i) => [i, p]).filter(([i, p]) => p !== model.queues[i].capacity)};
    this.moved = true;
    this.page.classList.toggle("changed", this.changed);
    this.asked = performance.now();
    clearTimeout(this.slow);
    this.slow = setTimeout(() => { this.answer.prepend(weirMake("span", {className: "busy", textContent: "Computing \u2026 "})); }, 150);
    this.section.setAttribute("aria-busy", "true");
    this.engine.ask(this, question, (answer, latest) => this.tell(answer, latest));
  }

  tell(answer, latest) {
    if (latest) {
      clearTimeout(this.slow);
      this.section.setAttribute("aria-busy", "false");
      this.section.dataset.took = String(Math.round(performance.now() - this.asked));
    }
    const trap = answer.trap !== undefined;
    this.yaml = answer.yaml;
    this.json = answer.json;
    this.section.querySelector(".yaml").disabled = answer.yaml === undefined;
    if (trap || answer.refusal !== undefined)
      this.refuse(trap ? `The engine stopped: ${answer.trap}. It was started anew; please report this.` : answer.refusal);
    else this.update(new WeirWords(this.model, weirExactly(answer.json)), answer.pictures);
    if (latest) this.section.dataset.answers = String(Number(this.section.dataset.answers || 0) + 1);
  }

  setVerdict(kind, headline, parts, why) {
    const verdict = this.page.querySelector(".verdict"), reason = this.page.querySelector(".why");
    verdict.className = "verdict " + kind;
    verdict.replaceChildren(weirMake("strong", {textContent: {good: "\u2713", bad: "\u2717", unknown: "?"}[kind] + " " + headline}), ...parts);
    if (reason) {
      reason.hidden = !why;
      reason.textContent = why ? why + "." : "";
    }
  }

  // No model any more: a deadlock, a number that is too large.
  refuse(text) {
    this.setVerdict("unknown", "With this change there is nothing to analyse.", [" " + text], null);
    this.answer.replaceChildren(weirMake("span", {className: "error", textContent: text}));
    weirAll("table.pairs .live-worst, table.pairs .live-best, table.pairs .live-slack, table.pairs .live-verdict", this.page)
      .forEach((cell) => { cell.textContent = "?"; });
    this.pictures().forEach((p) => p.say(text));
  }

  pictures() {
    return weirAll("figure.timeline:not([hidden])", this.page).map((figure) => weirPictures.get(figure));
  }

  update(words, pictures) {
    const {result} = words;
    this.setVerdict(...words.headline(), result.latency.length ? words.sentence() : [], result.latency.length ? words.deciding.why : null);
    this.answer.replaceChildren(...this.summary(words));
    result.latency.forEach((l, i) => {
      const row = this.page.querySelector(`table.pairs tr[data-pair="${i}"]`);
      if (!row) return;
      const set = (name, text) => { row.querySelector(".live-" + name).textContent = text; };
      set("worst", words.worst(l));
      set("best", words.time(l.best));
      set("slack", l.slack === null || l.slack === undefined ? "\u2013" : words.time(l.slack));
      set("verdict", l.deadline === null ? "no deadline" : ["\u2713 met", "? not decided", "\u2717 missed", "\u2717 missed"][WeirWords.verdict(l)]);
    });
    this.page.querySelector(".throughput").replaceChildren(...words.throughput());
    for (const {latency, svg, refusal} of pictures) {
      const figure = this.page.querySelector(`figure.timeline[data-pair="${latency}"]`);
      if (svg) weirPictures.get(figure).replace(svg); else weirPictures.get(figure).say(`There is no picture here: ${refusal}.`);
    }
    this.redraw(result);
  }

  summary(words) {
    const {result} = words;
    if (!result.latency.length) return [`One result every ${words.ratio("period")}.`];
    const l = words.deciding, met = ["is met", "is not decided", "is missed", "is missed"][WeirWords.verdict(l)];
    return [`${l.from} \u2192 ${l.to}: at most `, weirMake("strong", {className: "bound", textContent: words.worst(l)}),
      l.deadline === null ? "" : `, the deadline of ${words.time(l.deadline)} ${met}`, `; one result every ${words.ratio("period")}.`];
  }

  // In the drawing: times, capacities, and who is on the critical path or the bottleneck.
  redraw(result) {
    const critical = new Set(), ways = new Map(), digits = this.model.digits;
    const first = result.latency[Number(this.page.querySelector("figure.drawing")?.dataset.pair ?? 0)];
    const index = new Map(this.model.operators.map((o, i) => [o.name, i]));
    const bottleneck = new Set(result.throughput.bottleneck.map((name) => index.get(name)));
    const steps = first?.witness?.critical || (first?.witness?.segments || []).flatMap((s) => s.steps);
    steps.forEach((step, i) => {
      const before = i ? index.get(steps[i - 1].operator) : -1, here = index.get(step.operator);
      if (step.counts) critical.add(here);
      if (step.wait === "data") ways.set(before + ">" + here, "data");
      if (step.wait === "backpressure" && !ways.has(here + ">" + before)) ways.set(here + ">" + before, "room");
    });
    weirAll(".weir-drawing .wd-operator", this.page).forEach((g) => {
      const i = Number(g.dataset.operator), t = this.times[i];
      g.querySelector(".wd-box").classList.toggle("wd-critical", critical.has(i));
      this.frame(g, bottleneck.has(i));
      g.querySelector(".wd-times").textContent =
        (t.best === t.worst ? "" : weirFormat(t.best, digits) + " to ") + weirFormat(t.worst, digits) + this.unit;
    });
    weirAll(".weir-drawing .wd-queue", this.page).forEach((g) => {
      const i = Number(g.dataset.queue), q = this.model.queues[i], way = ways.get(q.from + ">" + q.to);
      g.querySelector(".wd-line").classList.toggle("wd-way", way !== undefined);
      g.querySelector(".wd-line").classList.toggle("wd-room", way === "room");
      g.querySelector(".wd-head, .wd-head-way")?.setAttribute("class", way ? "wd-head-way" : "wd-head");
      const label = g.querySelector(".wd-capacity");
      if (label && this.capacities[i] !== WEIR_UNBOUNDED) label.textContent = label.textContent.replace(/^\d+/, String(this.capacities[i]));
    });
  }

  // The second frame around a bottleneck.
  frame(g, wanted) {
    const there = g.querySelector(".wd-frame"), box = g.querySelector(".wd-box");
    if (!wanted) there?.remove();
    if (!wanted || there) return;
    const frame = box.cloneNode();
    const grown = {x: -4, y: -4, width: 8, height: 8, rx: 3};
    for (const [name, by] of Object.entries(grown)) frame.setAttribute(name, String(Number(box.getAttribute(name)) + by));
    frame.setAttribute("class", "wd-frame");
    box.after(frame);
  }
}

// ---- waking up ----

(async () => {
  const sections = weirAll("section.live"), engine = new WeirEngine();
  try {
    await engine.start();
    for (const section of sections) {
      const model = document.querySelector(`script.live-model[data-model="${section.dataset.model}"]`);
      new WeirWhatIf(section, JSON.parse(model.textContent), engine);
    }
    document.documentElement.dataset.live = engine.worker ? "worker" : "page";
  } catch (error) {
    for (const section of sections)
      section.append(weirMake("p", {className: "error", textContent: `This browser cannot recompute: ${error.message}. Everything else on the page is complete.`}));
    document.documentElement.dataset.live = "none";
  }
})();
