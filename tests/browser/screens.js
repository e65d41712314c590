// SPDX-License-Identifier: Apache-2.0
// The pictures of docs/guide/screens.md: pages as they look in a browser, at the widths and in the light that people have. Not a test:
// scripts/pictures runs it.
"use strict";

const {spawn} = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const {after, before, test} = require("node:test");
const {root, folder, program, example, report, write, launch, blank, open, close} = require("./support.js");

const place = (name) => path.join(root, "docs/pictures", `screen-${name}.png`);
const camera = "unit: ms\noperators:\n  camera: {time: [2, 4]}\n  infer: {time: [10, 30.25]}\n  display: {time: [1, 5]}\nqueues:\n  - camera -> infer -> display\n" +
  "deadlines:\n  - {from: camera, to: display, within: 40}\n";
const shared = "unit: us\nplatform: {scheduler: fixed-priority}\nprocessors: {cpu: {}, dsp: {}}\noperators:\n  control: {time: [1, 2], on: cpu, priority: 9}\n  decode: {time: [2, 4], on: cpu, priority: 6}\n" +
  "  log: {time: [3, 6], on: cpu, priority: 1}\n  filter: {time: [2, 3], on: dsp, priority: 5}\n  detect: {time: [4, 5], on: dsp, priority: 2}\nqueues:\n  - filter -> decode\n  - filter -> detect\n" +
  "sources:\n  - {operator: control, period: 10}\n  - {operator: filter, period: 25, jitter: 2}\n  - {operator: log, period: 60}\ndeadlines:\n  - {from: filter, to: decode, within: 20}\n";
const lossy = "unit: ms\noperators:\n  camera: {time: [2, 4]}\n  imu: 1\n  fuse: {time: [3, 8]}\n  plan: {time: [10, 20]}\nsources:\n  - {operator: camera, period: 13}\n  - {operator: imu, period: 5}\n" +
  "  - {operator: plan, period: 50}\nqueues:\n  - camera -> fuse\n  - {from: imu, to: fuse, latest: true}\n  - {from: fuse, to: plan, latest: true}\ndeadlines:\n  - {from: camera, to: plan, within: 60}\n";
const pool = "unit: us\nplatform: {cores: 2, scheduler: global-edf}\noperators:\n  receive: {cost: {init: 6}}\n  demodulate: {cost: {init: 7}}\n  decode: {cost: {init: 6}}\n" +
  "queues:\n  - {from: receive, to: demodulate, capacity: auto}\n  - {from: demodulate, to: decode, capacity: auto}\nsources:\n  - {operator: receive, rate: 100kHz}\n";
const workers = "unit: ms\nplatform: {scheduler: event-based, workers: 2}\noperators: {camera: 3, prepare: 5, infer: 10, display: 4}\nqueues: [camera -> prepare, prepare -> infer, infer -> display, camera -> display]\n";

// Each with the widths and schemes it is shown in; what stands at the top of the picture.
const screens = {
  bench: {model: () => example("multi-ai-ultrasound"), at: ".bench", shots: [[390, "light"], [390, "dark"], [1024, "light"], [1440, "dark"]]},
  missed: {model: () => write("camera.yaml", camera), at: ".verdict", shots: [[1440, "light"]]},
  shared: {model: () => write("shared.yaml", shared), at: "figure.timeline", shots: [[1024, "light"]]},
  gpu: {model: () => example("gpu/vision"), at: "figure.timeline", shots: [[1024, "dark"]]},
  lossy: {model: () => write("lossy.yaml", lossy), at: "figure.timeline", shots: [[1024, "light"]]},
  pool: {model: () => write("pool.yaml", pool), at: "figure.timeline", shots: [[1024, "dark"]]},
  workers: {model: () => write("workers.yaml", workers), at: "figure.timeline", shots: [[1024, "light"]]},
};

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());
const height = (width) => Math.round(width < 500 ? width * 2 : width * 0.62); // of a window; of one picture all of it is shown

for (const [name, {model, at, shots}] of Object.entries(screens))
  test(name, async () => {
    const html = report(model(), "screen-" + name);
    for (const [width, colorScheme] of shots) {
      const page = await open(browser, html, {viewport: {width, height: at === "figure.timeline" ? 1000 : height(width)}, colorScheme});
      await page.waitForFunction(() => document.querySelector("section.live").dataset.weighed, null, {timeout: 300000});
      const shown = page.locator(at).first(), file = place(shots.length > 1 ? `${name}-${width}-${colorScheme}` : name);
      if (at === "figure.timeline") await shown.screenshot({path: file});
      else {
        await shown.evaluate((e) => e.scrollIntoView());
        await page.screenshot({path: file});
      }
      await close(page);
    }
  });

test("serve", async (t) => {
  write("ultrasound.yaml", fs.readFileSync(example("multi-ai-ultrasound"), "utf8"));
  const server = spawn(program, ["serve", folder, "--port", "0"], {stdio: ["ignore", "pipe", "inherit"]});
  const address = await new Promise((done) => server.stdout.on("data", (bytes) => done(/http:[^ ]*\//.exec(String(bytes))?.[0])).on("end", () => done("")));
  if (!address) return t.skip("this weir has no server");
  const page = await blank(browser, {viewport: {width: 1440, height: height(1440)}});
  await page.goto(address + "#ultrasound.yaml");
  await page.waitForFunction(() => Number(document.body.dataset.answered) > 0 && !document.querySelector("iframe.coming"), null, {timeout: 300000});
  await page.getByRole("combobox", {name: "Model"}).selectOption("ultrasound.yaml");
  await page.waitForFunction(() => Number(document.body.dataset.answered) > 1 && !document.querySelector("iframe.coming"), null, {timeout: 300000});
  await page.screenshot({path: place("serve")});
  server.kill();
});
