// SPDX-License-Identifier: Apache-2.0
// A timeline that one can move in: time zooms at the pointer, names and scale stay where they are, lanes beside the critical path
// fold. What is drawn where is in timeline_lanes.js and timeline_head.js; who walks along the path in journey.js.
"use strict";

const WEIR_LANES_FEW = 8; // nothing folds below
const WEIR_CRITICAL = 1, WEIR_MANY = 2.5; // the kind of a span at its worst time; pixels of a bar that cannot be told from its neighbour

class WeirTimeline {
  constructor(figure) {
    this.figure = figure;
    this.stage = figure.querySelector(".stage");
    this.tip = figure.querySelector(".tip");
    this.ghost = null; // what it was before
    this.folds = true;
    this.tight = false; // as high as the window
    this.drawing = 0;
    const data = figure.querySelector("script.timeline-data"), notice = this.stage.textContent.trim();
    this.build();
    this.journey = new WeirJourney(this);
    this.given = data && JSON.parse(data.textContent); // as the page was written
    if (this.given) this.show(this.given); else this.say(notice);
    this.listen();
    new ResizeObserver(() => this.redraw()).observe(this.stage);
  }

  build() {
    this.head = weirMake("div", {className: "tl-head"});
    this.body = weirMake("div", {className: "tl-body"});
    this.scroll = this.stage; // what scrolls is what has the focus
    this.map = weirMake("div", {className: "tl-map", "aria-hidden": "true"});
    this.words = weirMake("div", {className: "tl-words"});
    this.sum = weirMake("p", {className: "account", hidden: true}); // what the latency adds up from
    const buttons = [["in", "+", "zoom in"], ["out", "-", "zoom out"], ["latency", "latency", "show the latency alone"], ["all", "all", "show all of the time"],
      ["height", "height", "fit the height"], ["fold", "lanes", "show or fold the lanes beside the critical path"]];
    this.figure.querySelector(".tools").replaceChildren(...buttons.map(([act, text, title]) => {
      const button = weirMake("button", {type: "button", textContent: text, title, "aria-label": title, "data-zoom": act});
      button.addEventListener("click", () => this.act({in: "+", out: "-", latency: "l", all: "0", height: "h", fold: "f"}[act]));
      return button;
    }));
    weirAll(".tl-map, .tl-words, .account", this.figure).forEach((e) => e.remove()); // of a page that was saved
    this.stage.replaceChildren(this.head, this.body);
    this.stage.before(this.sum);
    this.stage.after(this.map);
    this.figure.append(this.words);
  }

  // Another timeline in the same frame; what is looked at stays where all of it still fits.
  show(data, ghost = null) {
    const before = this.data && {...this.view}, {home} = this;
    this.data = data;
    this.clock = new WeirClock(data.digits, data.unit);
    this.ghost = ghost;
    this.group();
    const place = WeirClock.place;
    this.all = {from: place(data.begin), to: place(data.reach)};
    for (const r of data.rulers) this.all.to = Math.max(this.all.to, r.kind === "deadline" && place(r.to) > this.all.to * 1.5 ? this.all.to : place(r.to));
    if (ghost) this.all.to = Math.max(this.all.to, place(ghost.end));
    if (!(this.all.from < this.all.to)) this.all = {from: this.all.from - 1, to: this.all.to + 1};
    const margin = (this.all.to - this.all.from) * 0.01;
    this.all = {from: this.all.from - margin, to: this.all.to + margin};
    const moved = before && (before.from !== home.from || before.to !== home.to);
    this.home = {...this.all}; // before anybody zooms
    if (data.first) this.home = {from: Math.max(this.all.from, data.first[0] - 0.01 * (data.first[1] - data.first[0])), to: data.first[1]};
    this.view = moved ? before : {...this.home};
    this.journey.show();
    this.draw();
  }

  get moved() {
    return this.view.from !== this.home.from || this.view.to !== this.home.to;
  }

  say(text) {
    this.data = null;
    this.sum.hidden = true;
    this.figure.querySelector(".tools").hidden = true;
    this.stage.replaceChildren(weirMake("p", {textContent: text}));
    this.words.replaceChildren();
    this.map.replaceChildren();
    this.tip.textContent = "";
  }

  again() { // after words alone
    if (!this.head.isConnected) this.stage.replaceChildren(this.head, this.body);
    this.figure.querySelector(".tools").hidden = false;
  }

  // Which lanes are on the path, and which of the others are shown.
  group() {
    const {data} = this, on = new Set([...data.steps.map((s) => s[0]), ...data.legs.map((l) => l[1])]);
    data.lanes.forEach((lane, i) => { lane.on = on.size === 0 || on.has(i) || (!data.steps.length && Boolean(data.groups[lane.group]?.heading)); lane.levels = []; });
    data.levels.forEach((level) => data.lanes[level.lane].levels.push(level));
    data.lanes.forEach((lane) => lane.levels.sort((a, b) => b.most - a.most));
    const off = data.lanes.filter((lane) => !lane.on).length;
    this.foldable = data.lanes.length > WEIR_LANES_FEW && off > 1 ? off : 0;
    const button = this.figure.querySelector("[data-zoom=fold]");
    button.hidden = !this.foldable;
    button.textContent = this.folds ? `+${off + data.leftOut} others` : "path only";
    button.setAttribute("aria-label", `${button.textContent}: ${button.title}`);
  }

  // ---- what is looked at ----

  redraw() {
    if (!this.data || this.drawing) return;
    this.drawing = requestAnimationFrame(() => { this.drawing = 0; this.draw(); });
  }

  look(from, to) {
    const {all} = this, least = Math.max(1e-6 * (all.to - all.from), Math.min(4, (all.to - all.from) / 4));
    let width = Math.min(Math.max(to - from, least), all.to - all.from), start = (from + to - width) / 2;
    start = Math.min(Math.max(start, all.from), all.to - width);
    this.view = {from: start, to: start + width};
    this.figure.dispatchEvent(new Event("weir-view", {bubbles: true}));
    this.redraw();
  }

  zoom(factor, at = this.cursor ?? (this.view.from + this.view.to) / 2) {
    const {from, to} = this.view, middle = at >= from && at <= to ? at : (from + to) / 2;
    const width = Math.min((to - from) / factor, this.all.to - this.all.from), start = middle - (middle - from) / (to - from) * width;
    this.look(start, start + width);
  }

  pan(share) {
    const by = share * (this.view.to - this.view.from);
    this.look(this.view.from + by, this.view.to + by);
  }

  // So that a stretch of time is seen.
  reveal(from, to) {
    const {view} = this, width = view.to - view.from;
    if (to - from > width || from < view.from || to > view.to) this.look((from + to - Math.max(width, (to - from) * 1.2)) / 2, (from + to + Math.max(width, (to - from) * 1.2)) / 2);
  }

  fitLatency() {
    const ruler = this.data.rulers.find((r) => r.kind !== "deadline");
    if (!ruler) return this.look(this.all.from, this.all.to);
    const ends = this.data.rulers.flatMap((r) => [r.from, r.to]).map(WeirClock.place);
    const from = WeirClock.place(ruler.from), to = Math.min(Math.max(...ends), this.all.to), margin = (to - from) * 0.02;
    return this.look(from - margin, to + margin);
  }

  act(key) {
    const acts = {
      "+": () => this.zoom(1.5), "=": () => this.zoom(1.5), "-": () => this.zoom(1 / 1.5),
      "0": () => { this.tight = false; this.look(this.all.from, this.all.to); }, l: () => this.fitLatency(),
      h: () => { this.tight = !this.tight; this.redraw(); },
      f: () => { this.folds = !this.folds; this.group(); this.redraw(); },
      ArrowRight: () => this.journey.step(1), ArrowLeft: () => this.journey.step(-1), Home: () => this.journey.go(0), End: () => this.journey.go(-1),
      ArrowUp: () => this.scroll.scrollBy(0, -40), ArrowDown: () => this.scroll.scrollBy(0, 40),
      a: () => this.pan(-0.2), d: () => this.pan(0.2), n: () => this.part(1), p: () => this.part(-1),
      Escape: () => this.journey.leave(),
    };
    if (!this.data || !Object.hasOwn(acts, key)) return false;
    acts[key]();
    return true;
  }

  // ---- places ----

  x(time) {
    return this.left + (WeirClock.place(time) - this.view.from) / (this.view.to - this.view.from) * this.width;
  }

  time(clientX) {
    const x = clientX - this.scroll.getBoundingClientRect().left;
    return this.view.from + (x - this.left) / this.width * (this.view.to - this.view.from);
  }

  measure() {
    const whole = this.stage.clientWidth, shown = this.data.lanes;
    this.compact = whole < 640; // names stand above their lanes
    const longest = Math.max(4, ...shown.map((l) => l.name.length + (l.rowName ? 4 : 0)));
    this.left = this.compact ? 6 : Math.max(92, Math.min(whole * 0.24, 26 + 6.7 * Math.min(longest, 28)));
    this.right = Math.min(whole * 0.3, Math.max(8, ...shown.map((l) => l.label ? 12 + weirWide(l.label) : 8)));
    this.whole = whole;
    this.width = Math.max(40, whole - this.left - this.right);
  }

  draw() {
    if (!this.data || this.stage.clientWidth === 0) return;
    this.again();
    this.measure();
    this.head.innerHTML = new WeirTimelineHead(this).svg();
    this.lanes = new WeirTimelineLanes(this);
    this.body.innerHTML = this.lanes.svg();
    this.map.innerHTML = new WeirTimelineMap(this).svg();
    this.journey.mark();
    if (!this.tip.textContent) this.hint();
  }

  hint() {
    this.tip.textContent = this.data.steps.length
      ? "Point at a part to read about it. Ctrl and the wheel zoom in time, dragging moves; with the keyboard: \u2190 and \u2192 walk along the critical path, n and p go from part to part, + and - zoom, 0 shows all."
      : "Point at a part to read about it. Ctrl and the wheel zoom in time, dragging moves; with the keyboard: n and p go from part to part, + and - zoom, 0 shows all.";
  }

  // ---- what is under the pointer, or next ----

  tell(part) {
    weirAll(".shown", this.stage).forEach((e) => e.classList.remove("shown"));
    part.classList.add("shown");
    this.tip.textContent = part.querySelector("title")?.textContent ?? "";
  }

  part(by) {
    const all = () => weirAll(".wt-run, .wt-level, .tl-leg", this.stage);
    let parts = all(), now = parts.findIndex((e) => e.classList.contains("shown"));
    if (parts.length === 0) return;
    if (now >= 0 && this.lanes.stale) { // further ones come into view
      const title = parts[now].querySelector("title").textContent;
      this.draw();
      parts = all();
      now = parts.findIndex((e) => e.querySelector("title").textContent === title);
    }
    const next = parts[(now < 0 ? (by > 0 ? 0 : parts.length - 1) : now + by + parts.length) % parts.length];
    this.tell(next);
    next.scrollIntoView({block: "nearest"});
  }

  listen() {
    const {stage} = this, touches = new Map();
    let held = null;
    stage.addEventListener("scroll", () => { if (this.data && this.lanes?.stale) this.redraw(); }, {passive: true});
    for (const name of ["beforeprint", "afterprint"]) addEventListener(name, () => { this.printing = name === "beforeprint"; this.draw(); });
    stage.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("button, input") || !this.act(event.key)) return;
      event.preventDefault();
    });
    stage.addEventListener("wheel", (event) => {
      if (!this.data) return;
      if (event.ctrlKey || event.metaKey || (document.activeElement === stage && !event.shiftKey && Math.abs(event.deltaY) > Math.abs(event.deltaX)))
        this.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.003)), this.time(event.clientX));
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan((event.deltaX || event.deltaY) / this.width);
      else return;
      event.preventDefault();
    }, {passive: false});
    const down = (event) => {
      if (!this.data || event.button !== 0 || event.target.closest(".tl-fold")) return;
      touches.set(event.pointerId, event.clientX);
      held = {x: event.clientX, y: event.clientY, view: {...this.view}, top: stage.scrollTop, map: event.target.closest(".tl-map") !== null, apart: this.apart(touches)};
      if (held.map) this.centre(event.clientX);
    };
    const move = (event) => {
      if (!this.data) return;
      if (!held) return this.point(event);
      if (touches.has(event.pointerId)) touches.set(event.pointerId, event.clientX);
      if (touches.size === 2 && held.apart) return this.pinch(held, touches);
      if (!held.map && Math.abs(event.clientX - held.x) + Math.abs(event.clientY - held.y) < 3) return undefined;
      event.currentTarget.setPointerCapture?.(event.pointerId);
      event.currentTarget.classList.add("held");
      if (held.map) return this.centre(event.clientX);
      const by = (held.x - event.clientX) / this.width * (held.view.to - held.view.from);
      this.look(held.view.from + by, held.view.to + by);
      if (event.pointerType !== "touch") stage.scrollTop = held.top - (event.clientY - held.y);
      return undefined;
    };
    const release = (event) => { touches.delete(event.pointerId); held = null; event.currentTarget.classList.remove("held"); };
    for (const element of [stage, this.map]) {
      element.addEventListener("pointerdown", down);
      element.addEventListener("pointermove", move);
      for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) element.addEventListener(name, release);
    }
    stage.addEventListener("click", (event) => { if (event.target.closest(".tl-fold")) this.act("f"); });
    stage.addEventListener("dblclick", (event) => this.data && this.zoom(2, this.time(event.clientX)));
  }

  point(event) {
    const part = event.target.closest(".wt-run, .wt-level, .tl-leg, .wt-mark, .wt-item");
    if (part && !part.classList.contains("shown")) this.tell(part);
  }

  apart(touches) {
    const [a, b] = touches.values();
    return touches.size === 2 ? Math.max(1, Math.abs(a - b)) : 0;
  }

  pinch(held, touches) {
    const [a, b] = touches.values(), width = (held.view.to - held.view.from) * held.apart / this.apart(touches);
    const share = ((a + b) / 2 - this.scroll.getBoundingClientRect().left - this.left) / this.width;
    const middle = held.view.from + share * (held.view.to - held.view.from);
    this.look(middle - share * width, middle + (1 - share) * width);
  }

  // From the small picture of the whole.
  centre(clientX) {
    const {left} = this.map.getBoundingClientRect(), share = (clientX - left - this.left) / this.width, half = (this.view.to - this.view.from) / 2;
    const middle = this.all.from + share * (this.all.to - this.all.from);
    this.look(middle - half, middle + half);
  }
}
