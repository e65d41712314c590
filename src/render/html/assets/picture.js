// SPDX-License-Identifier: Apache-2.0
// Pictures that zoom, and tell what is under the pointer: drawings of pipelines, which have no time in them.
"use strict";

const WEIR_PARTS = ".wd-operator, .wd-queue";

class WeirPicture {
  constructor(figure) {
    this.figure = figure;
    this.stage = figure.querySelector(".stage");
    this.tip = figure.querySelector(".tip");
    this.scale = 0; // as it is drawn
    this.hint();
    weirAll("button[data-zoom]", figure).forEach((button) =>
      button.addEventListener("click", () => this.act({in: "+", out: "-", all: "0"}[button.dataset.zoom])));
    this.stage.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !this.act(event.key)) return;
      event.preventDefault();
    });
    this.stage.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      this.zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2);
      event.preventDefault();
    }, {passive: false});
    this.drag();
    if (figure.classList.contains("drawing")) this.fit(0.5);
  }

  get svg() {
    return this.stage.querySelector("svg");
  }

  act(key) {
    const {stage} = this, acts = {
      "+": () => this.zoom(1.5), "=": () => this.zoom(1.5), "-": () => this.zoom(1 / 1.5), "0": () => this.fit(0),
      n: () => this.step(1), p: () => this.step(-1), Escape: () => this.hint(),
      ArrowLeft: () => stage.scrollBy(-60, 0), ArrowRight: () => stage.scrollBy(60, 0),
      ArrowUp: () => stage.scrollBy(0, -40), ArrowDown: () => stage.scrollBy(0, 40),
    };
    if (!this.svg || !Object.hasOwn(acts, key)) return false;
    acts[key]();
    return true;
  }

  // ---- sizes ----

  size(scale) {
    const {svg} = this;
    this.scale = scale;
    svg.setAttribute("width", String(svg.viewBox.baseVal.width * scale));
    svg.removeAttribute("height");
  }

  zoom(factor) {
    const {stage} = this, now = this.scale || 1, middle = (stage.scrollLeft + stage.clientWidth / 2) / now;
    this.size(Math.min(32, Math.max(0.1, now * factor)));
    stage.scrollLeft = middle * this.scale - stage.clientWidth / 2;
  }

  // All of it, unless that makes it smaller than `least`.
  fit(least) {
    const {svg, stage} = this, high = parseFloat(getComputedStyle(stage).maxHeight) || Infinity;
    if (svg && stage.clientWidth > 0)
      this.size(Math.min(1, Math.max(least, 0.1, Math.min(stage.clientWidth / svg.viewBox.baseVal.width, high / svg.viewBox.baseVal.height))));
  }

  // Another picture in the same frame: as large, and with ids that no other picture has.
  replace(text) {
    const {stage} = this, left = stage.scrollLeft, top = stage.scrollTop, prefix = this.figure.dataset.prefix;
    stage.innerHTML = text;
    for (const element of weirAll("[id]", stage)) element.id = prefix + element.id;
    for (const element of weirAll("[style*='url(#'], [fill^='url(#']", stage))
      for (const name of ["style", "fill"])
        if (element.hasAttribute(name)) element.setAttribute(name, element.getAttribute(name).replaceAll("url(#", "url(#" + prefix));
    for (const element of weirAll("[aria-labelledby]", stage))
      element.setAttribute("aria-labelledby", element.getAttribute("aria-labelledby").split(" ").map((id) => prefix + id).join(" "));
    if (this.scale) this.size(this.scale);
    stage.scrollTo(left, top);
    this.hint();
  }

  say(text) {
    this.stage.replaceChildren(weirMake("p", {textContent: text}));
    this.hint();
  }

  // ---- what is under the pointer, or next ----

  hint() {
    weirAll(".shown", this.stage).forEach((e) => e.classList.remove("shown"));
    const parts = this.svg && this.stage.querySelector(WEIR_PARTS);
    this.tip.textContent = parts ? "Point at a part to read about it. With the keyboard: n and p go from part to part, + and - zoom." : "";
  }

  tell(part) {
    weirAll(".shown", this.stage).forEach((e) => e.classList.remove("shown"));
    part.classList.add("shown");
    this.tip.textContent = part.querySelector("title")?.textContent ?? "";
  }

  step(by) {
    const parts = weirAll(WEIR_PARTS, this.stage), now = parts.findIndex((e) => e.classList.contains("shown"));
    if (parts.length === 0) return;
    const part = parts[(now < 0 ? (by > 0 ? 0 : parts.length - 1) : now + by + parts.length) % parts.length];
    this.tell(part);
    const box = part.getBoundingClientRect(), frame = this.stage.getBoundingClientRect();
    if (box.left < frame.left || box.right > frame.right) this.stage.scrollLeft += (box.left + box.right - frame.left - frame.right) / 2;
    if (box.top < frame.top || box.bottom > frame.bottom) this.stage.scrollTop += (box.top + box.bottom - frame.top - frame.bottom) / 2;
  }

  drag() {
    const {stage} = this;
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
      const part = event.target.closest(WEIR_PARTS);
      if (part && !part.classList.contains("shown")) this.tell(part);
    });
    const release = () => { held = null; stage.classList.remove("held"); };
    stage.addEventListener("pointerup", release);
    stage.addEventListener("pointercancel", release);
  }
}
