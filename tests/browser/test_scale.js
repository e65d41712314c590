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
const {scratch, weir, write, open, close, launch, settled} = require("./support.js");

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

// Of all processes that show pages, which are this page's and one that waits for the next: seconds of processor time so far, and
// bytes that are their own.
async function renderer(session) {
  const {processInfo} = await session.send("SystemInfo.getProcessInfo"), found = {cpu: 0, bytes: 0};
  for (const {type, id, cpuTime} of processInfo) {
    if (type !== "renderer") continue;
    const rollup = fs.readFileSync(`/proc/${id}/smaps_rollup`, "utf8");
    found.bytes += 1024 * ["Private_Clean", "Private_Dirty"].reduce((sum, key) => sum + Number(new RegExp(key + ": +(\\d+)").exec(rollup)[1]), 0);
    found.cpu += cpuTime;
  }
  return found;
}

// How much slower than a machine of today this one is: a loop that takes a second there.
async function pace() {
  const page = await (await browser.newContext()).newPage(), session = await browser.newBrowserCDPSession();
  const cpu = async () => (await renderer(session)).cpu;
  const begun = await cpu();
  await page.evaluate(() => { let x = 1; for (let i = 0; i < 5e7; i++) x = (x * 48271) % 2147483647; return x; });
  const took = await cpu() - begun;
  await page.context().close();
  return Math.max(1, took);
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
    const page = await open(browser, file, {still: !live, fresh: true});
    await settled(page);
    const used = await renderer(session), elements = await page.evaluate(() => document.querySelectorAll("*").length);
    const took = await page.evaluate(() => performance.now());
    console.log(`${name}: ${(bytes / MEGABYTE).toFixed(1)} MB, ${elements} elements, ${used.cpu.toFixed(2)} s of CPU, ready after ${(took / 1000).toFixed(1)} s, ${(used.bytes / MEGABYTE).toFixed(0)} MB of memory`);
    await close(page);
    assert.ok(bytes <= 5 * MEGABYTE, `${bytes} bytes`);
    assert.ok(used.bytes <= 300 * MEGABYTE, `${used.bytes} bytes of memory`);
    const limit = large ? 5 : 2, unit = used.cpu <= limit ? 1 : await pace();
    assert.ok(used.cpu <= limit * unit, `${used.cpu} s of processor time; the machine is ${unit.toFixed(1)} times slower than usual`);
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

test("a chain of 150 operators, and of 300 with eight deadlines: timelines leave the page small", () => {
  for (const [count, deadlines] of [[150, 0], [300, 8]]) {
    const names = Array.from({length: count}, (_, i) => "o" + i), file = scratch("chain.html");
    const model = write("chain.yaml", "operators:\n" + names.map((n, i) => `  ${n}: {time: [1, ${i % 9 + 2}]}\n`).join("") + `queues:\n  - ${names.join(" -> ")}\ndeadlines:\n` +
      Array.from({length: deadlines}, (_, k) => `  - {from: o${k}, to: o${count - 1 - k}, within: 90000}\n`).join("") + (deadlines ? "" : "  []\n"));
    weir(["report", model, "-o", file]);
    const {size} = fs.statSync(file), text = fs.readFileSync(file, "utf8");
    assert.ok(size <= 5 * MEGABYTE, `${size} bytes`);
    assert.ok(text.split('class="timeline-data"').length > 1, "there is a timeline");
    if (deadlines) assert.match(text, /<option value="\d+">[^<]*<\/option><\/select><\/label> \(\d of 8\)/, "which of them are there is said");
  }
});
