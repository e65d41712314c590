// SPDX-License-Identifier: Apache-2.0
// What one looks at, in the address of the page, so that a link carries it: numbers that were moved, the latency, the stretch of
// time. "#model=1&set=infer.time=[1, 24.25]&latency=0&view=-10,60". It stands in the page, too, for those who save it.
"use strict";

const weirAddress = {
  read() {
    const own = location.hash.length > 1 ? location.hash : document.documentElement.dataset.state ?? "", state = new URLSearchParams(own.slice(1));
    return {model: state.get("model"), set: state.getAll("set"), latency: state.get("latency"), view: state.get("view")?.split(",").map(Number)};
  },

  write(model, {set, latency, view}) {
    const state = new URLSearchParams();
    state.set("model", model);
    for (const change of set) state.append("set", change);
    if (latency !== undefined) state.set("latency", latency);
    if (view) state.set("view", view.map((n) => String(Math.round(n * 1000) / 1000)).join(","));
    const plain = !set.length && !view && latency === undefined, root = document.documentElement;
    if (plain) delete root.dataset.state; else root.dataset.state = "#" + state;
    try {
      history.replaceState(null, "", plain ? location.pathname + location.search : "#" + state);
    } catch { /* a page that may not change its address still works */ }
  },
};
