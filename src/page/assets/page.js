// SPDX-License-Identifier: Apache-2.0
// What moves on the page: zooming timelines, telling what is under the pointer, copying, and sliders that recompute.
"use strict";

(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  // ---- timelines ----

  function tell(figure, element) {
    const tip = figure.parentElement.querySelector(".tip");
    all(".shown", figure).forEach((e) => e.classList.remove("shown"));
    if (!element) return;
    element.classList.add("shown");
    if (tip) tip.textContent = element.querySelector("title").textContent;
  }

  function zoom(figure, factor) {
    const svg = figure.querySelector("svg"), stage = figure.querySelector(".stage");
    if (!svg) return;
    const whole = svg.viewBox.baseVal.width, now = Number(svg.dataset.zoom || 1);
    const next = factor === 0 ? 1 : Math.min(32, Math.max(0.25, now * factor));
    const middle = (stage.scrollLeft + stage.clientWidth / 2) / now;
    svg.dataset.zoom = String(next);
    svg.setAttribute("width", String(whole * next));
    svg.removeAttribute("height");
    stage.scrollLeft = middle * next - stage.clientWidth / 2;
  }

  function bindTimeline(figure) {
    const stage = figure.querySelector(".stage");
    all("button[data-zoom]", figure).forEach((button) =>
      button.addEventListener("click", () => zoom(figure, {in: 1.5, out: 1 / 1.5, all: 0}[button.dataset.zoom])));
    stage.addEventListener("keydown", (event) => {
      const act = {"+": () => zoom(figure, 1.5), "=": () => zoom(figure, 1.5), "-": () => zoom(figure, 1 / 1.5),
        "0": () => zoom(figure, 0), ArrowLeft: () => stage.scrollBy(-60, 0), ArrowRight: () => stage.scrollBy(60, 0),
        ArrowUp: () => stage.scrollBy(0, -40), ArrowDown: () => stage.scrollBy(0, 40)}[event.key];
      if (act && !event.ctrlKey && !event.metaKey && !event.altKey) {
        act();
        event.preventDefault();
      }
    });
    stage.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      zoom(figure, event.deltaY < 0 ? 1.2 : 1 / 1.2);
      event.preventDefault();
    }, {passive: false});
    let held = null;
    stage.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || event.pointerType === "touch") return;
      held = {x: event.clientX, y: event.clientY, left: stage.scrollLeft, top: stage.scrollTop};
      stage.setPointerCapture(event.pointerId);
      stage.classList.add("held");
    });
    stage.addEventListener("pointermove", (event) => {
      if (held) {
        stage.scrollLeft = held.left - (event.clientX - held.x);
        stage.scrollTop = held.top - (event.clientY - held.y);
        return;
      }
      tell(figure, event.target.closest(".wg-run, .wg-mark, .wg-level"));
    });
    const release = () => { held = null; stage.classList.remove("held"); };
    stage.addEventListener("pointerup", release);
    stage.addEventListener("pointercancel", release);
    stage.addEventListener("pointerleave", () => tell(figure, null));
  }

  all("figure.timeline").forEach(bindTimeline);
  all("select.which").forEach((select) => select.addEventListener("change", () => {
    all("figure.timeline", select.closest("section.model")).forEach((f) => { f.hidden = f.dataset.pair !== select.value; });
  }));

  // ---- copying ----

  async function copy(button, text) {
    const before = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea", {value: text});
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = before; }, 1500);
  }

  all("button.copy").forEach((button) => button.addEventListener("click", () =>
    copy(button, document.getElementById(button.dataset.copy).textContent)));

  // ---- what if ----

  // Times are whole ticks; a unit has 10^digits of them.
  function format(ticks, digits) {
    const negative = ticks < 0n, text = String(negative ? -ticks : ticks).padStart(digits + 1, "0");
    const whole = text.slice(0, text.length - digits), rest = text.slice(text.length - digits).replace(/0+$/, "");
    return (negative ? "-" : "") + whole + (rest ? "." + rest : "");
  }

  function parse(text, digits) {
    const match = /^\s*(\d+)(?:[.,](\d*))?\s*$/.exec(text);
    if (!match || (match[2] || "").length > digits) return null;
    return BigInt(match[1] + (match[2] || "").padEnd(digits, "0"));
  }

  // Numbers as they are written, to the last digit.
  const exactly = (text) => JSON.parse(text, (_, value, context) =>
    typeof value === "number" ? (context && context.source) || String(value) : value);

  const UNBOUNDED = 4294967295;

  class WhatIf {
    constructor(section, model, engine) {
      this.section = section;
      this.page = section.closest("section.model");
      this.model = model;
      this.engine = engine;
      this.unit = model.unitName === "tick" ? "" : " " + model.unitName;
      this.rows = [];
      engine.build(model);
      this.draw();
    }

    draw() {
      this.answer = make("p", {className: "answer"});
      this.answer.setAttribute("role", "status");
      this.answer.setAttribute("aria-live", "polite");
      const operators = make("fieldset", {}, make("legend", {textContent: "Execution times" + (this.unit ? " in" + this.unit : "")}));
      this.model.operators.forEach((o, i) => {
        operators.append(this.row(o.name, "worst", BigInt(o.worst), this.model.digits, (v) => this.times(i, {worst: v})));
        if (o.best !== o.worst && o.best !== "0")
          operators.append(this.row(o.name, "best", BigInt(o.best), this.model.digits, (v) => this.times(i, {best: v})));
      });
      const queues = make("fieldset", {}, make("legend", {textContent: "Queue capacities"}));
      this.model.queues.forEach((q, i) => {
        if (q.capacity === UNBOUNDED || q.flags & 1) return;
        const name = this.model.operators[q.from].name + " \u2192 " + this.model.operators[q.to].name;
        queues.append(this.row(name, "places", BigInt(q.capacity), 0, (v) => this.capacity(i, v)));
      });
      const reset = make("button", {type: "button", textContent: "Reset"});
      reset.addEventListener("click", () => this.reset());
      const yaml = make("button", {type: "button", textContent: "Copy as YAML", className: "yaml"});
      yaml.addEventListener("click", () => copy(yaml, this.engine.yaml()));
      this.section.append(this.answer, operators, queues, make("p", {className: "buttons"}, reset, yaml));
      this.now = {times: this.model.operators.map((o) => ({best: BigInt(o.best), worst: BigInt(o.worst)}))};
      this.compute();
    }

    // A slider and a field for the same number. The slider goes from 0 to about three times what the model says.
    row(name, what, value, digits, change) {
      const places = what === "places", low = places ? 1n : 0n, high = places ? (value * 3n > 12n ? value * 3n : 12n) : value * 3n || 10n;
      const label = `${what} of ${name}`;
      const range = make("input", {type: "range", min: "0", max: "1000"});
      const field = make("input", {type: "number", min: format(low, digits), step: "any"});
      range.setAttribute("aria-label", label);
      field.setAttribute("aria-label", label);
      if (places) Object.assign(range, {min: "1", max: String(high)});
      const toRange = (v) => places ? String(v) : String(Number(v * 1000n / high));
      const fromRange = () => places ? BigInt(range.value) : BigInt(range.value) * high / 1000n;
      const element = make("div", {className: "row"}, make("span", {textContent: name, title: name}), make("span", {textContent: what}), range, field);
      const show = (v) => {
        range.value = toRange(v);
        field.value = format(v, digits);
        element.classList.toggle("changed", v !== value);
      };
      const set = (v) => {
        if (v === null || v < low) return;
        show(v);
        if (change(v)) this.soon();
      };
      range.addEventListener("input", () => { const v = fromRange(); set(v); });
      field.addEventListener("change", () => set(parse(field.value, digits)));
      show(value);
      this.rows.push({show, value});
      return element;
    }

    attempt(act) {
      try {
        act();
        return true;
      } catch (error) {
        this.complain(error.message);
        return false;
      }
    }

    times(i, change) {
      const next = {...this.now.times[i], ...change};
      if (next.best > next.worst) { // the other one follows
        if (change.worst !== undefined) next.best = next.worst; else next.worst = next.best;
      }
      return this.attempt(() => { this.engine.setTimes(i, next.best, next.worst); this.now.times[i] = next; });
    }

    capacity(i, value) {
      return this.attempt(() => this.engine.setCapacity(i, Number(value)));
    }

    complain(text) {
      this.answer.replaceChildren(make("span", {className: "error", textContent: text}));
    }

    soon() {
      if (this.waiting) return;
      this.waiting = requestAnimationFrame(() => { this.waiting = 0; this.compute(); });
    }

    reset() {
      this.engine.build(this.model);
      this.now = {times: this.model.operators.map((o) => ({best: BigInt(o.best), worst: BigInt(o.worst)}))};
      this.rows.forEach((row) => row.show(row.value));
      this.compute();
    }

    compute() {
      let result;
      try {
        result = exactly(this.engine.analyze());
      } catch (error) {
        this.complain(error.message);
        return;
      }
      const words = (l) => l.unbounded ? "no bound" : l.worst === null ? "not known"
        : l.worst_lower !== undefined ? `${l.worst_lower ?? "?"} to ${l.worst}${this.unit}` : l.worst + this.unit;
      const first = result.latency[0];
      if (first) {
        this.answer.textContent = `${first.from} \u2192 ${first.to}: at most `;
        this.answer.append(make("strong", {className: "bound", textContent: words(first)}));
        if (first.deadline !== null)
          this.answer.append(first.met === true ? `, the deadline of ${first.deadline}${this.unit} is met`
            : first.met === false ? `, the deadline of ${first.deadline}${this.unit} is missed` : ", the deadline is not decided");
        this.answer.append(`; one result every ${result.throughput.period}${this.unit}.`);
      }
      this.update(result, words);
    }

    // The rest of the page follows.
    update(result, words) {
      result.latency.forEach((l, i) => {
        const row = this.page.querySelector(`table.pairs tr[data-pair="${i}"]`);
        if (!row) return;
        const cells = row.children;
        cells[1].textContent = words(l);
        cells[2].textContent = l.best === null ? "?" : l.best + this.unit;
        cells[4].textContent = l.slack === null ? "\u2013" : l.slack + this.unit;
        cells[5].textContent = l.deadline === null ? "no deadline" : l.met === true ? "\u2713 met" : l.met === false ? "\u2717 missed" : "? not decided";
      });
      this.page.querySelectorAll(".live-bound").forEach((e) => { e.textContent = words(result.latency[0]); });
      this.page.querySelectorAll(".live-period").forEach((e) => { e.textContent = result.throughput.period + this.unit; });
      all("figure.timeline", this.page).forEach((figure) => {
        const stage = figure.querySelector(".stage"), zoomed = stage.querySelector("svg")?.dataset.zoom;
        try {
          stage.innerHTML = this.engine.gantt(Number(figure.dataset.pair));
          if (zoomed) zoom(figure, Number(zoomed));
        } catch (error) {
          stage.replaceChildren(make("p", {textContent: error.message}));
        }
      });
      this.redraw(result);
    }

    // In the drawing: times, capacities, and who is on the critical path or the bottleneck.
    redraw(result) {
      const critical = new Set(), ways = new Map(), first = result.latency[0];
      const index = new Map(this.model.operators.map((o, i) => [o.name, i]));
      const steps = first?.witness?.critical || (first?.witness?.segments || []).flatMap((s) => s.steps);
      steps.forEach((step, i) => {
        if (step.counts) critical.add(index.get(step.operator));
        const before = i ? index.get(steps[i - 1].operator) : -1, here = index.get(step.operator);
        if (step.wait === "data") ways.set(before + ">" + here, "data");
        if (step.wait === "backpressure" && !ways.has(here + ">" + before)) ways.set(here + ">" + before, "room");
      });
      all(".weir-drawing .wd-operator", this.page).forEach((g) => {
        const i = Number(g.dataset.operator), t = this.now.times[i], digits = this.model.digits;
        g.querySelector(".wd-box").classList.toggle("wd-critical", critical.has(i));
        g.querySelector(".wd-times").textContent =
          (t.best === t.worst ? "" : format(t.best, digits) + " to ") + format(t.worst, digits) + this.unit;
      });
      all(".weir-drawing .wd-queue", this.page).forEach((g) => {
        const q = this.model.queues[Number(g.dataset.queue)], way = ways.get(q.from + ">" + q.to);
        g.querySelector(".wd-line").classList.toggle("wd-way", way !== undefined);
        g.querySelector(".wd-line").classList.toggle("wd-room", way === "room");
        const head = g.querySelector(".wd-head, .wd-head-way");
        if (head) head.setAttribute("class", way ? "wd-head-way" : "wd-head");
      });
    }
  }

  async function wake() {
    const engine = document.getElementById("engine");
    if (!engine || typeof WeirLive === "undefined") return;
    const bytes = engine.textContent;
    for (const section of all("section.live")) {
      const model = document.querySelector(`script.live-model[data-model="${section.dataset.model}"]`);
      try {
        new WhatIf(section, JSON.parse(model.textContent), await WeirLive.fromBase64(bytes));
      } catch (error) {
        section.append(make("p", {className: "error", textContent: "The engine cannot run in this browser: " + error.message}));
      }
    }
    document.documentElement.dataset.live = "ready";
  }

  wake();
})();
