// SPDX-License-Identifier: Apache-2.0
// Files to take along: the timeline as a picture or as a trace, the model as it stands, the page itself.
"use strict";

const weirDownload = {
  save(name, type, data) {
    const url = URL.createObjectURL(new Blob([data], {type})), link = weirMake("a", {href: url, download: name});
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  },

  // The page with all that was made in it; it begins where this one is.
  page() {
    const root = document.documentElement.cloneNode(true);
    delete root.dataset.live;
    return "<!doctype html>\n" + root.outerHTML;
  },

  // As pixels, twice as many as it is large, on the ground of the page.
  async png(svg) {
    const image = new Image(), box = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg).slice(1).map(Number);
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
    await image.decode();
    const scale = Math.min(2, 8000 / box[0], 8000 / box[1]), canvas = weirMake("canvas", {width: Math.round(box[0] * scale), height: Math.round(box[1] * scale)});
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  },

  // Name of the file from the name of the model.
  name(model, ending) {
    return (model.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "pipeline") + ending;
  },
};
