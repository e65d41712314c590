// SPDX-License-Identifier: Apache-2.0
// What if? Numbers of a model are moved, the engines compute everything anew, and all of the page follows: what it says is written by
// the same code that wrote the page.
"use strict";

const WEIR_MARKS_AT_ONCE = 4, WEIR_MARKS_TIME = 6000; // numbers in one question; ms for all of them

class WeirWhatIf {
  constructor(section, model, engine) {
    this.section = section;
    this.page = section.closest("section.model");
    this.number = section.dataset.model;
    this.model = model;
    this.engine = engine;
    this.later = {};
    this.weighing = {};
    for (const key of ["answers", "finished", "took", "weighed"]) delete section.dataset[key]; // of a page that was saved
    this.sliders = new WeirSliders(model, () => this.compute());
    this.draw();
    this.page.addEventListener("weir-shown", () => { this.remember(); if (this.given) this.compute(); });
    this.select?.addEventListener("change", () => { this.chosen ||= !this.following; });
    this.page.addEventListener("weir-view", () => this.remember());
    this.recall();
  }

  get changed() {
    return this.sliders.moved.length > 0;
  }

  get verdict() {
    return weirAll(".verdict", this.page).at(-1);
  }

  // Of the latencies that have a timeline of their own.
  get select() {
    return this.page.querySelector(".which select");
  }

  // Whether lines of the drawing do without labels; undefined: there is no drawing to change.
  get crowded() {
    const svg = this.page.querySelector("figure.drawing svg");
    return svg ? Boolean(svg.querySelector(".wd-thin, .wd-common")) : undefined;
  }

  get runs() {
    return this.section.dataset.runs.split(",");
  }

  // What the page said before anything was moved: in the page, so that one that is saved has it.
  get given() {
    return this.page.querySelector("template.given");
  }

  keep() {
    if (this.given) return;
    const kept = weirMake("template", {className: "given"});
    kept.content.append(...weirAll("[data-part]", this.page).map((part) => part.cloneNode(true)));
    this.page.append(kept);
  }

  draw() {
    this.answer = weirMake("p", {className: "answer", role: "status", "aria-live": "polite", textContent: "Move a slider: everything on the page follows."});
    const button = (name, text, title, act) => {
      const made = weirMake("button", {type: "button", textContent: text, className: name, title});
      made.addEventListener("click", () => act(made));
      return made;
    };
    const files = weirMake("div", {className: "buttons files", role: "group", "aria-label": "Download"}, weirMake("span", {textContent: "Download"}),
      button("svg", "SVG", "the timeline as a picture", () => this.file("svg")), button("png", "PNG", "the timeline as pixels", () => this.file("png")),
      button("trace", "Trace", "the timeline for Perfetto", () => this.file("trace")), button("model", "YAML", "the model as it stands", () => this.file("yaml")),
      button("page", "Page", "this page as it stands: numbers, latency and zoom", () => this.file("html")));
    const buttons = weirMake("div", {className: "buttons"}, button("reset", "Reset", "as the model is", () => this.reset()),
      button("yaml", "Copy as YAML", "the model as it stands", (b) => weirCopy(b, this.yaml ?? this.source)),
      button("what-if", "Copy as --what-if", "for weir explore", (b) => weirCopy(b, this.command)));
    this.advice = weirMake("div", {className: "alone", hidden: true});
    this.section.querySelector(".made")?.remove(); // of the page that was saved
    this.section.append(weirMake("div", {className: "made"}, this.answer, buttons, this.advice, this.sliders.element, files));
  }

  get source() {
    return this.page.querySelector("pre.source")?.textContent ?? "";
  }

  get command() {
    const quote = (text) => "'" + text.replaceAll("'", "'\\''") + "'";
    return this.sliders.changes.map((change) => `--what-if ${quote(change)}`).join(" ");
  }

  get timelines() {
    return weirAll("figure.timeline", this.page).filter((figure) => !figure.hidden).map((figure) => weirPictures.get(figure));
  }

  reset() {
    this.sliders.reset();
    this.compute();
  }

  // ---- the address ----

  remember() {
    const shown = this.timelines[0], {select} = this;
    weirAddress.write(this.number, {set: this.sliders.changes, view: shown?.data && shown.moved ? [shown.view.from, shown.view.to] : undefined,
      latency: this.chosen && select.selectedIndex > 0 ? select.value : undefined});
  }

  recall() {
    const state = weirAddress.read();
    if (state.model !== this.number) return this.weigh(true);
    const {select} = this;
    if (select && state.latency && Array.from(select.options).some((o) => o.value === state.latency)) {
      select.value = state.latency;
      select.dispatchEvent(new Event("change"));
    }
    this.sliders.apply(state.set);
    if (state.view?.length === 2 && state.view.every(Number.isFinite)) this.timelines[0]?.look(...state.view);
    this.page.scrollIntoView();
    return this.changed ? this.compute() : this.weigh(true);
  }

  // ---- questions and answers ----

  question(more) {
    return {model: this.model.model, changes: this.sliders.changes, limit: this.section.dataset.limit, runs: this.runs, pictures: [], ...more};
  }

  compute() {
    this.keep();
    this.page.classList.toggle("changed", this.changed);
    this.remember();
    this.asked = performance.now();
    this.weighed = 0;
    clearTimeout(this.slow);
    clearTimeout(this.after);
    this.slow = setTimeout(() => { this.answer.prepend(weirMake("span", {className: "busy", textContent: "Computing \u2026 "})); }, 150);
    this.section.setAttribute("aria-busy", "true");
    const pictures = this.timelines.map((t) => Number(t.figure.dataset.pair));
    this.engine.ask(this, this.question({pictures, parts: true, crowded: this.crowded}), (answer, latest) => this.tell(answer, latest));
  }

  tell(answer, latest) {
    if (latest) {
      clearTimeout(this.slow);
      this.section.setAttribute("aria-busy", "false");
      this.section.dataset.took = String(Math.round(performance.now() - this.asked));
      this.after = setTimeout(() => this.finish(), 250);
    }
    const trap = answer.trap !== undefined;
    this.yaml = answer.yaml;
    weirAll(".yaml, .model", this.section).forEach((b) => { b.disabled = answer.yaml === undefined; });
    if (trap || answer.refusal !== undefined)
      this.refuse(trap ? `The engine stopped: ${answer.trap}. It was started anew; please report this.` : answer.refusal);
    else this.update(answer);
    if (latest) this.section.dataset.answers = String(Number(this.section.dataset.answers || 0) + 1);
  }

  // What takes longer, when nothing has moved for a while.
  finish() {
    if (this.changed)
      this.engine.ask(this.later, this.question({later: true}), (answer, latest) => {
        if (latest && answer.later) this.put(answer.later);
        this.section.dataset.finished = String(Number(this.section.dataset.finished || 0) + 1);
      }, true);
    this.weigh(false);
  }

  // No model any more: a deadlock, a number that is too large.
  refuse(text) {
    const parts = weirAll("[data-part]", this.page);
    parts.filter((part) => part.tagName !== "H3").forEach((part) => { part.innerHTML = ""; });
    const verdict = weirMake("p", {className: "verdict unknown"}, weirMake("strong", {textContent: "? With this change there is nothing to analyse."}), " " + text);
    parts.find((p) => p.dataset.part === "verdict")?.replaceChildren(verdict);
    this.answer.replaceChildren(weirMake("span", {className: "error", textContent: text}));
    this.timelines.forEach((p) => p.say(text));
  }

  update({parts, pictures, drawing, worst}) {
    this.put(this.changed ? parts : this.given.innerHTML);
    const {verdict} = this;
    this.answer.className = verdict?.className.replace("verdict", "answer") ?? "answer";
    this.answer.replaceChildren(...(verdict ? Array.from(verdict.childNodes, (node) => node.cloneNode(true)) : []));
    for (const {latency, text, refusal} of pictures) {
      const timeline = weirPictures.get(this.page.querySelector(`figure.timeline[data-pair="${latency}"]`));
      if (text) timeline.show(JSON.parse(text), this.changed ? timeline.given : null); else timeline.say(`There is no picture here: ${refusal}.`);
    }
    if (drawing) this.redraw(drawing);
    this.follow(worst);
  }

  // The latency that decides, unless somebody looks at another one.
  follow(worst) {
    const {select} = this, [shown] = this.timelines, pair = String(worst);
    if (!shown || shown.figure.dataset.pair === pair || this.chosen) return;
    if (!select) {
      shown.figure.dataset.pair = pair;
      this.compute();
    } else if (Array.from(select.options).some((o) => o.value === pair)) {
      this.following = true;
      select.value = pair;
      select.dispatchEvent(new Event("change"));
      this.following = false;
    }
  }

  put(html) {
    const made = weirMake("template", {innerHTML: html});
    for (const part of weirAll("[data-part]", made.content)) {
      const place = this.page.querySelector(`[data-part="${part.dataset.part}"]`);
      if (place) place.innerHTML = part.innerHTML;
    }
  }

  // ---- how much each number matters ----

  weigh(first) {
    const all = this.sliders.questions, begun = performance.now(), marks = [], {changes} = this.sliders, same = () => changes.join() === this.sliders.changes.join();
    const next = () => {
      const some = all.splice(0, WEIR_MARKS_AT_ONCE);
      if (!this.engine.worker || !same()) return;
      if (!some.length || performance.now() - begun > WEIR_MARKS_TIME) {
        const busy = this.section.contains(document.activeElement) && document.activeElement !== document.body;
        this.sliders.weigh(marks, first && !busy);
        this.advise();
        this.section.dataset.weighed = String(Number(this.section.dataset.weighed || 0) + 1);
        return;
      }
      this.engine.ask(this.weighing, this.question({marks: some}), (answer, latest) => {
        if (!latest || !answer.marks) return;
        marks.push(...answer.marks);
        next();
      }, true);
    };
    this.parametersForget();
    next();
  }

  parametersForget() {
    this.sliders.parameters.forEach((p) => { if (p.mark) p.mark = {...p.mark, limit: null}; });
    this.sliders.show();
    this.advice.hidden = true;
  }

  // Where a deadline is not met: what alone would be enough.
  advise() {
    const good = this.verdict?.classList.contains("good"), found = good ? [] : this.sliders.enough;
    this.advice.hidden = found.length === 0;
    if (!found.length) return;
    const items = found.slice(0, 6).map(({p, value, change, text}) => {
      const take = weirMake("button", {type: "button", textContent: text, className: "take", title: "Take it"});
      take.addEventListener("click", () => this.sliders.set(p, value));
      const copy = weirMake("button", {type: "button", textContent: "--what-if", title: `Copy --what-if '${change}'`, "aria-label": `Copy ${text} as --what-if`});
      copy.addEventListener("click", () => weirCopy(copy, `--what-if '${change}'`));
      const yaml = weirMake("button", {type: "button", textContent: "YAML", title: "Copy as YAML", "aria-label": `Copy ${text} as YAML`});
      yaml.addEventListener("click", () => weirCopy(yaml, this.line(p, change)));
      return weirMake("li", {}, take, copy, yaml);
    });
    this.advice.replaceChildren(weirMake("p", {textContent: "Each of these alone is enough:"}), weirMake("ul", {}, ...items));
  }

  // The line of the model.
  line(p, change) {
    const {spec} = p, value = change.slice(`${spec.target}.${spec.key}=`.length), ends = spec.of === "queue" && this.model.queues[spec.index].map((i) => this.model.operators[i]);
    return ends ? `- {from: ${JSON.stringify(ends[0])}, to: ${JSON.stringify(ends[1])}, ${spec.key}: ${value}}` : spec.of === "platform" ? `${spec.key}: ${value}` : `${spec.name}: {${spec.key}: ${value}}`;
  }

  // ---- files ----

  file(kind) {
    const latency = Number(this.timelines[0]?.figure.dataset.pair ?? 0), name = (ending) => weirDownload.name(this.model.name, ending);
    if (kind === "html") return weirDownload.save(name(".html"), "text/html", weirDownload.page());
    if (kind === "yaml") return weirDownload.save(name(".yaml"), "application/yaml", this.yaml ?? this.source);
    return this.engine.ask({}, this.question({pictures: [latency], kind: kind === "trace" ? "trace" : "gantt"}), async (answer) => {
      const {text, refusal} = answer.pictures?.[0] ?? answer;
      if (!text) this.answer.replaceChildren(weirMake("span", {className: "error", textContent: refusal}));
      else if (kind === "trace") weirDownload.save(name(".json"), "application/json", text);
      else if (kind === "svg") weirDownload.save(name(".svg"), "image/svg+xml", text);
      else weirDownload.save(name(".png"), "image/png", await weirDownload.png(text));
    });
  }

  // ---- the drawing: what the engine writes of the changed model, at the places of this one ----

  redraw(svg) {
    const picture = weirPictures.get(this.page.querySelector("figure.drawing")), made = weirMake("template", {innerHTML: svg}).content;
    if (!picture?.svg) return;
    if (!picture.svg.querySelector(".wd-operator[data-operator]")) return picture.replace(svg); // groups, which are others now
    const words = Array.from(made.querySelectorAll("svg > .wd-faint"), (e) => e.textContent), places = Array.from(picture.svg.querySelectorAll(":scope > .wd-faint"));
    places.forEach((e, i) => { e.textContent = (i + 1 < places.length ? words.slice(i, i + 1) : words.slice(i)).join(" "); });
    for (const key of ["operator", "queue"]) {
      const now = new Map(Array.from(made.querySelectorAll(`[data-${key}]`), (g) => [g.dataset[key], g]));
      for (const g of picture.svg.querySelectorAll(`[data-${key}]`)) WeirWhatIf.take(g, now.get(g.dataset[key]));
    }
    picture.hint();
  }

  // The words and marks of a box or a line.
  static take(g, from) {
    for (const part of ["title", ".wd-times", ".wd-note", ".wd-capacity"]) {
      const here = g.querySelector(part), there = from.querySelector(part);
      if (here && there) here.textContent = there.textContent;
    }
    for (const part of [".wd-box", ".wd-line", ".wd-head, .wd-head-way", ".wd-capacity"]) {
      const there = from.querySelector(part);
      if (there) g.querySelector(part)?.setAttribute("class", there.getAttribute("class"));
    }
    WeirWhatIf.frame(g, from.querySelector(".wd-frame") !== null);
  }

  // The second frame around a bottleneck.
  static frame(g, wanted) {
    const there = g.querySelector(".wd-frame"), box = g.querySelector(".wd-box");
    if (!wanted) there?.remove();
    if (!wanted || there) return;
    const frame = box.cloneNode(), grown = {x: -4, y: -4, width: 8, height: 8, rx: 3};
    for (const [name, by] of Object.entries(grown)) frame.setAttribute(name, String(Number(box.getAttribute(name)) + by));
    frame.setAttribute("class", "wd-frame");
    box.after(frame);
  }
}

// ---- waking up ----

(async () => {
  const sections = weirAll("section.live"), engine = new WeirEngine();
  delete document.documentElement.dataset.live;
  try {
    await engine.start();
    for (const section of sections) {
      const text = document.querySelector(`script.live-model[data-model="${section.dataset.model}"]`).textContent.trim();
      if (text) new WeirWhatIf(section, JSON.parse(text), engine);
    }
    document.documentElement.dataset.live = engine.worker ? "worker" : "page";
  } catch (error) {
    for (const section of sections)
      section.append(weirMake("p", {className: "error", textContent: `This browser cannot recompute: ${error.message}. Everything else on the page is complete.`}));
    document.documentElement.dataset.live = "none";
  }
})();
