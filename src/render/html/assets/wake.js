// SPDX-License-Identifier: Apache-2.0
// What the page begins with, once all that it is made of has been read.
"use strict";

const weirPictures = new Map(weirAll("figure.wide").filter((f) => f.querySelector(".stage")).map((figure) => [figure, figure.classList.contains("timeline") ? new WeirTimeline(figure) : new WeirPicture(figure)]));

weirAll(".which select").forEach((select) => select.addEventListener("change", () => {
  const section = select.closest("section.model");
  weirAll("figure.timeline", section).forEach((figure) => { figure.hidden = figure.dataset.pair !== select.value; });
  section.dispatchEvent(new Event("weir-shown"));
}));

weirAll("button.copy").forEach((button) => button.addEventListener("click", () =>
  weirCopy(button, document.getElementById(button.dataset.copy).textContent)));
