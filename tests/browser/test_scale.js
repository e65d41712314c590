// SPDX-License-Identifier: Apache-2.0
// Large models in a real browser: how large their pages are, how much a browser works until they can be used, what memory it takes.
// The limits are bytes, elements, resident memory and processor time; the last is held against what the same browser needs for a
// loop of known length at that moment, so that a slow or busy machine fails nothing.
//
// WEIR_SCALE_ONLY=name: one model alone; the figures are printed in any case.
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const {after, before, test} = require("node:test");
const {scratch, weir, open, close, launch} = require("./support.js");

const MEGABYTE = 1 << 20;
const KINDS = {
  "a thread each, 300, dense": ["holoscan", "--nodes", "300", "--best-ratio", "0.5"],
  "a thread each, 2000": ["holoscan", "--nodes", "2000", "--density", "0.001", "--best-ratio", "0.5", "--queue", "2"],
  "shared processors, 2000": ["priority", "--graphs", "200", "--tasks", "10", "--processors", "260", "--load", "0.4"],
  "a pool of cores, 300": ["flow", "--nodes", "300", "--cores", "300"],
  "a pool of cores, 2000": ["flow", "--nodes", "2000", "--cores", "2000"],
  "a GPU, 1938": ["gpu", "--shape", "stencil", "--size", "44"],
};

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

// Of the process that shows the page: seconds of processor time so far, and bytes that are its own.
async function renderer(session) {
  const {processInfo} = await session.send("SystemInfo.getProcessInfo");
  let found = {cpu: 0, bytes: 0};
  for (const {type, id, cpuTime} of processInfo) {
    if (type !== "renderer") continue;
    const rollup = fs.readFileSync(`/proc/${id}/smaps_rollup`, "utf8");
    const bytes = 1024 * ["Private_Clean", "Private_Dirty"].reduce((sum, key) => sum + Number(new RegExp(key + ": +(\\d+)").exec(rollup)[1]), 0);
    if (cpuTime > found.cpu) found = {cpu: cpuTime, bytes};
  }
  return found;
}

// Seconds of processor time that a loop takes which takes 0.1 s on a machine of today.
async function pace() {
  const page = await (await browser.newContext()).newPage(), session = await browser.newBrowserCDPSession();
  const cpu = async () => (await renderer(session)).cpu;
  const begun = await cpu();
  await page.evaluate(() => { let x = 1; for (let i = 0; i < 1e8; i++) x = (x * 48271) % 2147483647; return x; });
  const took = await cpu() - begun;
  await page.context().close();
  return took;
}

for (const [name, options] of Object.entries(KINDS)) {
  if (process.env.WEIR_SCALE_ONLY && process.env.WEIR_SCALE_ONLY !== name) continue;
  test(name, async () => {
    const model = scratch("scale.yaml"), file = scratch("scale.html"), large = !/ 300/.test(name);
    weir(["generate", ...options, "-o", model]);
    weir(["report", model, "-o", file], [0, 1, 4]);
    const bytes = fs.statSync(file).size;
    const session = await browser.newBrowserCDPSession();
    const live = fs.readFileSync(file, "utf8").includes('<section class="live"');
    const page = await open(browser, file, {still: !live});
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const used = await renderer(session), elements = await page.evaluate(() => document.querySelectorAll("*").length);
    const took = await page.evaluate(() => performance.now());
    console.log(`${name}: ${(bytes / MEGABYTE).toFixed(1)} MB, ${elements} elements, ${used.cpu.toFixed(2)} s of CPU, ready after ${(took / 1000).toFixed(1)} s, ${(used.bytes / MEGABYTE).toFixed(0)} MB of memory`);
    await close(page);
    assert.ok(bytes <= 5 * MEGABYTE, `${bytes} bytes`);
    assert.ok(used.bytes <= 300 * MEGABYTE, `${used.bytes} bytes of memory`);
    const unit = Math.max(0.1, await pace()) / 0.1;
    assert.ok(used.cpu <= (large ? 5 : 2) * unit, `${used.cpu} s of processor time; the machine is ${unit.toFixed(1)} times slower than usual`);
  });
}

test("2,000 operators with 100,000 queues: the report stays small, and simulates no more than it can afford", () => {
  const model = scratch("queues.yaml"), file = scratch("queues.html");
  weir(["generate", "holoscan", "--nodes", "2000", "--density", "0.05", "--queue", "2", "-o", model]);
  weir(["report", model, "-o", file]);
  const text = fs.readFileSync(file, "utf8"), [, runs, iterations] = /(\d+) simulated runs of (\d+) iterations/.exec(text);
  assert.ok(text.length <= 5 * MEGABYTE, `${text.length} bytes`);
  assert.ok(runs * iterations * 102000 <= 21e6, `${runs} runs of ${iterations} iterations`);
});
