// SPDX-License-Identifier: Apache-2.0
// What the timelines of the engines show: who delays whom, the critical chain of launches, where data grows old and where messages
// are lost, how late executions on a pool of cores are, which worker runs what. The figures are those of the command line.
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const {after, before, test} = require("node:test");
const {root, scratch, weir, report, write, analyzed, launch, open, close} = require("./support.js");

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

// The page about a model, and what its first timeline is drawn from.
async function drawn(name, model) {
  const on = await open(browser, report(write(name + ".yaml", model), name));
  return {on, figure: on.locator("figure.timeline").first(), data: await on.evaluate(() => weirPictures.get(document.querySelector("figure.timeline")).data)};
}

const gantt = (name) => {
  weir(["analyze", scratch(name + ".yaml"), "--gantt", scratch(name + ".svg")], [0, 1]);
  return fs.readFileSync(scratch(name + ".svg"), "utf8");
};
const count = (text, part) => text.split(part).length - 1;
const KIND = {DELAY: 11, TARDY: 12, RELEASE: 17, LOST: 18};
const spans = (data, kind) => data.lanes.flatMap((lane, i) => lane.spans.filter((s) => s[0] === kind).map((span) => ({lane: lane.name, i, span, more: span[5] ?? {}})));

test("shared processors: who delays whom, how often, with an arrow from each", async () => {
  const model = "platform: {scheduler: fixed-priority}\nprocessors: {cpu: {}}\noperators:\n  quick: {time: 2, on: cpu, priority: 9}\n  middle: {time: 3, on: cpu, priority: 5}\n" +
    "  slow: {time: 6, on: cpu, priority: 1}\nsources:\n  - {operator: quick, period: 8}\n  - {operator: middle, period: 20}\n  - {operator: slow, period: 40}\n";
  const {on, figure, data} = await drawn("shared", model), times = {quick: 2, middle: 3, slow: 6};
  const answer = JSON.parse(analyzed(scratch("shared.yaml"))), delays = spans(data, KIND.DELAY);
  const said = answer.operators.flatMap((o) => o.interference.map((by) => [o.name, by.operator, by.times * times[by.operator]])).sort();
  assert.deepEqual(delays.map(({lane, span, more}) => [lane, data.lanes[more.by].name, span[4] - span[3]]).sort(), said, "what delays is what the program says");
  assert.ok(said.length >= 3);
  assert.ok(delays.some(({more}) => / \dx$/.test(more.label)), "how often");
  assert.equal(await figure.locator(".tl-delay").count(), delays.length);
  assert.equal(await figure.locator(".tl-by").count(), delays.length, "an arrow for each");
  assert.equal(count(gantt("shared"), "wt-by\""), delays.length);
  const bar = figure.locator(".wt-run:has(.tl-delay)").first();
  await bar.locator("rect").hover();
  assert.match(await figure.locator(".tip").textContent(), /can come first$/);
  assert.match(await figure.locator(".tl-words").textContent(), /which other operators can run first, and for how long\.A pale bar reaches from/, "what the signs mean");
  await close(on);
});

test("a GPU: the critical chain adds up to the bound, step by step", async () => {
  const {on, figure, data} = await drawn("chain", fs.readFileSync(root + "/examples/gpu/vision.yaml", "utf8"));
  const json = JSON.parse(analyzed(scratch("chain.yaml"))), launches = new Map(json.launches.map((l) => [l.kernel, l]));
  assert.ok(data.steps.length > 3);
  data.steps.forEach((step, i) => {
    const here = launches.get(step[7]), before = i && launches.get(data.steps[i - 1][7]);
    if (before) assert.ok(here.after.includes(before.id), `${step[7]} waits for ${data.steps[i - 1][7]}`);
    if (i) assert.ok(data.steps[i - 1][4] <= step[3], "one after the other");
  });
  assert.equal(data.steps.at(-1)[4] / 10 ** data.digits, json.bound);
  const account = await figure.locator(".account").textContent(), [, all, parts] = /^([\d.]+) us = (.*)\.$/.exec(account);
  const sum = parts.split(" + ").reduce((n, part) => n + Number(/[\d.]+/.exec(part.replace(/^[a-z]+\d? /, ""))[0]), 0);
  assert.ok(Math.abs(sum - Number(all)) < 1e-6, account);
  await figure.locator(".stage").focus();
  await on.keyboard.press("Home");
  assert.match(await figure.locator(".tip").textContent(), new RegExp(`^Step 1 of ${data.steps.length}, .*${data.steps[0][7]}`));
  assert.ok(await figure.locator(".wt-run.tl-lit").count() >= 1, "its bar is lit");
  assert.match(gantt("chain"), /wt-path/);
  await close(on);
});

test("connections that do not wait: where data grows old, and what is lost", async () => {
  const model = "unit: ms\noperators:\n  camera: {time: [2, 4]}\n  fuse: {time: [3, 8]}\n  plan: {time: [10, 20]}\nsources:\n  - {operator: camera, period: 13}\n  - {operator: plan, period: 50}\n" +
    "queues:\n  - camera -> fuse\n  - {from: fuse, to: plan, latest: true}\ndeadlines:\n  - {from: camera, to: plan, within: 150}\n";
  const {on, figure, data} = await drawn("old", model), ruler = data.rulers.find((r) => r.kind === "latency"), {latency} = JSON.parse(analyzed(scratch("old.yaml")));
  assert.equal(data.legs.reduce((sum, leg) => sum + leg[5] - leg[4], 0), ruler.to - ruler.from, "the journey is whole");
  assert.ok(ruler.to - ruler.from <= latency[0].worst * 10 ** data.digits, "no older than what is proved");
  data.legs.slice(1).forEach((leg, i) => assert.equal(leg[4], data.legs[i][5]));
  assert.match(await figure.locator(".account").textContent(), /^\d+ ms = \d+ running \+ \d+ growing old between fuse and plan/);
  assert.ok(data.rulers.some((r) => /^deadline: 150 ms, \d+ to spare$/.test(r.text)), "how far the deadline is");
  const lost = spans(data, KIND.LOST);
  assert.ok(lost.length > 3 && lost.every(({lane}) => lane === "fuse -> plan"), "what is replaced before it is read");
  assert.match(gantt("old"), /a message is lost/);
  await close(on);
});

test("a pool of cores: releases, and how late executions are", async () => {
  const model = "unit: us\nplatform: {cores: 2, scheduler: global-edf}\noperators:\n  a: {cost: {init: 6}}\n  b: {cost: {init: 6}}\n  c: {cost: {init: 6}}\n" +
    "sources:\n  - {operator: a, rate: 100kHz}\n  - {operator: b, rate: 100kHz}\n  - {operator: c, rate: 100kHz}\n";
  const {on, figure, data} = await drawn("pool", model);
  const executions = data.lanes.flatMap((l) => l.spans.filter((s) => s[0] === 2)), period = 10 * 10 ** data.digits;
  assert.equal(spans(data, KIND.RELEASE).length, executions.length, "each has a release");
  const releases = new Map(spans(data, KIND.RELEASE).map(({i, span}) => [`${i} ${span[2]}`, span[3]]));
  const late = data.lanes.flatMap((l, i) => l.spans.filter((s) => s[0] === 2 && s[4] > releases.get(`${i} ${s[2]}`) + period).map((s) => [i, s[2], s[4] - releases.get(`${i} ${s[2]}`) - period]));
  assert.ok(late.length > 0, "some are");
  assert.deepEqual(spans(data, KIND.TARDY).map(({i, span}) => [i, span[2], span[4] - span[3]]), late, "what is after a deadline, and nothing else");
  assert.match(data.lanes[1].details, /a deadline 10 us after each release; it ends at most [\d.]+ us after that/);
  // At first what the bound is about is seen, and not all of a long run; the rest is a key away.
  const views = () => on.evaluate(() => { const {view, all} = weirPictures.get(document.querySelector("figure.timeline")); return [view.to - view.from, all.to - all.from, view.to]; });
  const [first, all, last] = await views(), bound = await on.evaluate((r) => WeirClock.place(r.to), data.rulers.find((r) => r.kind === "bound"));
  assert.ok(first < 0.7 * all && last >= bound, `${first} of ${all}, to ${last}`);
  assert.match(gantt("pool"), /Only part of it is shown\..*never more than/s);
  assert.ok(!on.url().includes("view="), "nobody has moved yet");
  await figure.locator(".stage").press("0");
  await on.waitForFunction((n) => document.querySelectorAll(".tl-tardy").length === n, late.length);
  assert.equal((await views())[0], all);
  assert.match(on.url(), /view=/);
  // There is no bound with fewer cores: the mark stands where the slider does, and speaks of no deadline.
  await on.waitForFunction(() => document.querySelector("section.live").dataset.weighed, null, {timeout: 300000});
  const [at, place, title] = await on.locator(".row:has([aria-label=cores])").evaluate((row) => {
    const range = row.querySelector("[type=range]"), mark = row.querySelector(".limit");
    return [Number(mark.style.getPropertyValue("--at")), (range.value - range.min) / (range.max - range.min), mark.title];
  });
  assert.ok(Math.abs(at - place) < 1e-9, `${at}, ${place}`);
  assert.equal(title, "cores: at least 2 for a bound; take it");
  await close(on);
});

test("the deadline is a post on a pool of cores and on shared processors, too, met or not", async () => {
  const pool = (within) => `unit: us\nplatform: {cores: 2}\noperators: {a: 4, b: 5, c: 4}\nqueues: [a -> b -> c]\nsource: {operator: a, period: 10}\ndeadlines: [{from: a, to: c, within: ${within}}]\n`;
  const shared = (within) => "unit: us\nplatform: {scheduler: fixed-priority}\nprocessors: {cpu: {}}\noperators:\n  quick: {time: 2, on: cpu, priority: 9}\n  slow: {time: 6, on: cpu, priority: 1}\n" +
    `sources:\n  - {operator: quick, period: 8}\n  - {operator: slow, period: 40}\ndeadlines: [{from: slow, to: slow, within: ${within}}]\n`;
  for (const [name, model, met, not, far] of [["post-pool", pool, 20, 12], ["post-shared", shared, 12, 7, 300]]) {
    for (const [within, look] of [[met, "kept"], [not, "open"]]) {
      const on = await open(browser, (weir(["report", write(name + ".yaml", model(within)), "-o", scratch(name + ".html")], [0, 4]), scratch(name + ".html")));
      assert.ok(await on.locator(`.tl-lanes .tl-${look}.tl-post`).count() >= 1, `${name} ${within}`);
      assert.equal(await on.locator(`.tl-lanes .tl-over`).count(), look === "open" ? 1 : 0, `${name} ${within}`);
      await close(on);
    }
    if (!far) continue;
    const {on, figure} = await drawn(name, model(far));
    assert.match(await figure.locator(".tl-lanes").textContent(), /8 us of 300 us/, "one that is far away is told");
    await close(on);
  }
});

test("what is missing where times are exact numbers: the best time falls with the worst", async () => {
  const model = (b) => `unit: ms\noperators: {a: 2, b: ${b}, c: 3}\nqueues: [a -> b -> c]\ndeadlines:\n  - {from: a, to: c, within: 16}\n`;
  const on = await open(browser, report(write("exactly.yaml", model(9)), "exactly"));
  await on.waitForFunction(() => document.querySelector("section.live").dataset.weighed, null, {timeout: 300000});
  const take = on.locator(".alone .take", {hasText: "b at most"});
  assert.equal(await take.textContent(), "b at most 6 ms");
  const met = (b) => JSON.parse(analyzed(write("exactly.yaml", model(b)))).latency[0].met;
  assert.deepEqual([met(6), met(7)], [true, false]);
  await take.click();
  await on.waitForFunction(() => document.querySelector(".verdict").classList.contains("good"));
  await close(on);
});

test("workers: the message that takes longest, where it runs and what it waits for", async () => {
  const {on, figure, data} = await drawn("crewed", "unit: ms\nplatform: {scheduler: event-based, workers: 2}\noperators: {a: [1, 2], b: [1, 4], c: [1, 4]}\nqueues: [a -> b -> c]\ndeadlines: [{from: a, to: c, within: 20}]\n");
  const ruler = data.rulers.find((r) => r.kind === "latency");
  assert.equal(data.legs.reduce((sum, leg) => sum + leg[5] - leg[4], 0), ruler.to - ruler.from, "the journey is whole");
  data.legs.slice(1).forEach((leg, i) => assert.equal(leg[4], data.legs[i][5]));
  assert.match(await figure.locator(".account").textContent(), /^12 ms = 10 running \+ 2 waiting behind frame 0 in b\.$/);
  const [account, lanes] = await Promise.all([figure.locator(".account").boundingBox(), figure.locator(".tl-head").boundingBox()]);
  assert.ok(account.y + account.height <= lanes.y + 1, "the sum stands above the ribbon");
  await close(on);
});

test("workers: what runs on which, never two at once", async () => {
  const {on, figure, data} = await drawn("crew", "platform: {scheduler: event-based, workers: 2}\noperators: {cam: 3, pre: 5, ai: 10, viz: 4}\nqueues: [cam -> pre, pre -> ai, ai -> viz, cam -> viz]\n");
  const workers = data.lanes.filter((l) => /^worker \d$/.test(l.name)), operators = data.lanes.filter((l) => !/^worker/.test(l.name));
  assert.equal(workers.length, 2);
  const runs = (lanes) => lanes.flatMap((l) => l.spans.filter((s) => s[0] <= 3).map((s) => `${s[3]} ${s[4]}`)).sort();
  assert.deepEqual(runs(workers), runs(operators), "each execution once");
  for (const {spans: own} of workers) own.slice(1).forEach((s, i) => assert.ok(s[3] >= own[i][4], "one after the other"));
  assert.match(await figure.locator(".tl-lanes").textContent(), /worker 1.*worker 2/s);
  await close(on);
});

test("more executions at once than rows: those further down are one bar", async () => {
  const {on, figure, data} = await drawn("crowd", "operators: {a: 2, w: {time: 100, reentrant: true}, z: 1}\nqueues: [a -> w, w -> z]\nqueue: unbounded\nsource: {operator: a, period: 2}\n");
  const {rows, spans: all} = data.lanes.find((lane) => lane.name === "w");
  assert.ok(rows > 20 && all.length > 30, `${rows} rows, ${all.length} executions`);
  assert.ok(await figure.locator(".wt-run[data-operator=w]").count() < 12);
  assert.match((await figure.locator(".wt-run[data-operator=w] title").allTextContents()).join("\n"), /^w, \d+ iterations between \d+ and \d+: /m);
  await close(on);
});

test("a file of its own fits the window, and is no larger than it has to be", async () => {
  weir(["analyze", root + "/examples/multi-ai-ultrasound.yaml", "--gantt", scratch("fits.svg")]);
  const on = await open(browser, scratch("fits.svg"), {still: true});
  for (const [width, shown] of [[390, 390], [1024, 1024], [1440, 1120]]) {
    await on.setViewportSize({width, height: 900});
    const {right, left, scroll} = await on.evaluate(() => ({...document.documentElement.getBoundingClientRect().toJSON(), scroll: document.documentElement.scrollWidth}));
    assert.deepEqual([Math.round(right - left), scroll <= width], [shown, true], String(width));
  }
  await close(on);
});

test("lanes beside the critical path are folded, in the page and in the file alike", async () => {
  const file = root + "/examples/multi-ai-ultrasound.yaml", on = await open(browser, report(file, "folded"));
  const folds = await on.locator(".tl-fold text").first().textContent();
  weir(["analyze", file, "--gantt", scratch("folded.svg")]);
  assert.equal(/>(\+\d+ others)</.exec(fs.readFileSync(scratch("folded.svg"), "utf8"))[1], folds);
  await close(on);
});

test("more lanes than fit: those in view are drawn, as one scrolls and on paper", async () => {
  const model = "platform: {scheduler: fixed-priority}\noperators:\n" + Array.from({length: 400}, (_, i) => `  o${i}: 1\n`).join("") + "sources:\n" + Array.from({length: 400}, (_, i) => `  - {operator: o${i}, period: ${10 + i}}\n`).join("");
  const {on, figure} = await drawn("many", model), names = () => figure.locator(".tl-lanes .tl-name").allTextContents();
  const first = await names();
  assert.ok(first.includes("source of o0") && !first.includes("o399") && first.length < 200, `${first.length} names`);
  await figure.locator(".stage").evaluate((e) => { e.scrollTop = e.scrollHeight; });
  await on.waitForFunction(() => Array.from(document.querySelectorAll(".tl-lanes .tl-name"), (e) => e.textContent).some((t) => /o399/.test(t)));
  await on.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.ok((await names()).length > 800, "all of them on paper");
  await on.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.ok((await names()).length < 200);
  await close(on);
});

test("tables say what the terminal says: who delays whom, units, no columns without a value", async () => {
  const {on} = await drawn("table", "unit: us\nplatform: {scheduler: fixed-priority}\nprocessors: {cpu: {}}\noperators:\n  quick: {time: 2, on: cpu, priority: 9}\n  slow: {time: 6, on: cpu, priority: 1}\n" +
    "sources:\n  - {operator: quick, period: 8}\n  - {operator: slow, period: 40}\n");
  const cells = await on.locator('[aria-label^="When operators run (in us)"] tr').evaluateAll((rows) => rows.map((row) => Array.from(row.cells, (c) => c.textContent).join("  ")));
  const [, said] = /^When operators run \(in us\).*\n((?: {2}\S.*\n)+)/m.exec(weir(["analyze", scratch("table.yaml")], [0, 1]));
  assert.deepEqual(cells, said.trim().split("\n").map((line) => line.trim().replace(/ {2,}/g, "  ")));
  assert.match(cells.at(-1), / {2}quick( \dx)?$/);
  assert.equal(await on.getByText("source → quick: 1; source → slow: 1", {exact: true}).count(), 1);
  await close(on);
});

test("a bound above a deadline is not proved, in amber, with how far simulation got", async () => {
  const pool = "unit: us\nplatform: {cores: 2, scheduler: global-edf}\noperators:\n  a: {cost: {init: 6}}\n  b: {cost: {init: 7}}\n  c: {cost: {init: 6}}\nqueues:\n  - {from: a, to: b, capacity: auto}\n  - {from: b, to: c, capacity: auto}\n" +
    "sources:\n  - {operator: a, rate: 100kHz}\ndeadlines: [{from: a, to: c, within: 40}]\n";
  const shared = "unit: us\nplatform: {scheduler: fixed-priority}\nprocessors: {cpu: {}}\noperators:\n  quick: {time: 2, on: cpu, priority: 9}\n  slow: {time: 6, on: cpu, priority: 1}\n" +
    "sources:\n  - {operator: quick, period: 8}\n  - {operator: slow, period: 40}\ndeadlines: [{from: slow, to: slow, within: 7}]\n";
  for (const [name, model, says] of [["pool-late", pool, /The longest of some simulated runs took 19 us\.$/], ["shared-late", shared, /A simulated run took 8 us: it can be missed\.$/]]) {
    const on = await open(browser, (weir(["report", write(name + ".yaml", model), "-o", scratch(name + ".html")], [4]), scratch(name + ".html"))), verdict = on.locator(".verdict");
    assert.match(await verdict.textContent(), /^\? A deadline is not proved: the bound lies above it\./);
    assert.match(await verdict.textContent(), says);
    assert.equal(await verdict.getAttribute("class"), "verdict unknown");
    if (name === "shared-late") assert.equal(await on.locator(".tl-open.tl-post").count() > 0 && await on.locator(".tl-over.tl-open").count(), 1, "the overrun is shaded, and not in red");
    await close(on);
  }
});

test("shared processors: a miss that is proved is red everywhere, and every latency counts from the arrival of its input too", async () => {
  const {on, figure} = await drawn("shared-missed", "unit: us\nplatform: {scheduler: fixed-priority}\nprocessors: {cpu: {}, dsp: {}}\noperators:\n  control: {time: [1, 2], on: cpu, priority: 9}\n  decode: {time: [2, 4], on: cpu, priority: 6}\n" +
    "  filter: {time: [2, 3], on: dsp, priority: 5}\n  detect: {time: [4, 5], on: dsp, priority: 2}\nqueues: [filter -> decode, filter -> detect]\nsources:\n  - {operator: control, period: 10}\n  - {operator: filter, period: 25, jitter: 2}\n" +
    "deadlines:\n  - {from: filter, to: decode, within: 20}\n  - {from: filter, to: detect, within: 7}\n");
  assert.match(await on.locator(".verdict").textContent(), /^✗ A deadline is missed\. From filter to detect/);
  assert.equal(await figure.locator(".tl-limit.tl-over").count(), 1, "the overrun");
  assert.equal(await figure.locator(".tl-open").count(), 0);
  assert.equal(count(gantt("shared-missed"), "wt-over wt-limit"), 1);
  const ends = await on.locator('[aria-label^="Latencies from the arrival"] tbody tr').evaluateAll((rows) => rows.map((row) => [row.cells[0].textContent, row.cells[1].textContent]));
  assert.deepEqual(ends, [["filter", "decode"], ["filter", "detect"]]);
  await close(on);
});

// ---- after a slider moved ----

// A model of each engine with one number in it, from what to what, and the slider that moves it: bounds that are lost and found,
// another deciding latency, other words in boxes and on lines.
const processors = (rest) => "unit: us\nplatform: {scheduler: fixed-priority}\nprocessors: {p: {}, q: {}}\n" + rest;
const chain = (c, deadlines = "[{from: a, to: c, within: 30}]") => `unit: ms\noperators: {a: {time: [1, 2]}, b: {time: [1, 3]}, c: {time: [1, ${c}]}}\nqueues: [a -> b -> c]\nsource: {operator: a, period: 10}\ndeadlines: ${deadlines}\n`;
const MOVES = [
  ["worst of c", 4, 9, chain],
  ["worst of c", 4, 14, (c) => chain(c).replace("period: 10", "period: 10, arrivals: exact").replace("[a -> b -> c]", "[{from: a, to: b, capacity: unbounded}, {from: b, to: c, capacity: unbounded}]")],
  ["worst of c", 3, 9, (c) => chain(c, "[{from: a, to: b, within: 6}, {from: a, to: c, within: 12}]")],
  ["worst of c", 4, 30, (c) => chain(c).replace("b -> c", "b, {from: b, to: c, latest: true}")],
  ["workers", 2, 1, (n) => `platform: {scheduler: event-based, workers: ${n}}\n` + chain(4)],
  ["worst of a", 2, 1, (n) => `platform: {scheduler: greedy}\n` + chain(4).replace("[1, 2]", `[1, ${n}]`)],
  ["consume of a \u2192 b", 2, 1, (n) => `platform: {scheduler: event-based, workers: 1}\nunit: ms\noperators: {a: 2, b: 3}\nqueues: [{from: a, to: b, consume: ${n}, capacity: 2}]\nsource: {operator: a, period: 10}\n`],
  ["worst of b", 4, 20, (n) => processors(`operators: {a: {time: 3, on: p, priority: 2}, b: {time: [1, ${n}], on: p, priority: 1}}\nqueues: [a -> b]\nsource: {operator: a, period: 10}\n`)],
  ["worst of c", 30, 3, (n) => processors(`operators: {a: {time: 1, on: p, priority: 2}, c: {time: [1, ${n}], on: p, priority: 3}, b: {time: 1, on: q, priority: 1}}\n` +
    "queues: [{from: a, to: b, capacity: 1, blocking: false}]\nsources: [{operator: a, period: 10}, {operator: c, period: 100}]\ndeadlines: [{from: a, to: b, within: 100}]\n")],
  ["priority of b", 1, 9, (n) => processors(`operators: {a: {time: 3, on: p, priority: 2}, b: {time: [1, 4], on: p, priority: ${n}}}\nsources: [{operator: a, period: 10}, {operator: b, period: 20}]\n`)],
  ["cost.init of b", 6, 12, (n) => `unit: us\nplatform: {cores: 2, scheduler: global-edf}\noperators: {a: {cost: {init: 6}}, b: {cost: {init: ${n}}}}\nqueues: [a -> b]\nsource: {operator: a, rate: 100kHz}\n`],
  ["cores", 1, 3, (n) => `unit: us\nplatform: {cores: ${n}, scheduler: global-edf}\noperators: {a: {cost: {init: 6}}, b: {cost: {init: 6}}}\nqueues: [a -> b]\nsource: {operator: a, rate: 100kHz}\n`],
  ["load of b", 8, 16, (n) => `unit: us\nplatform: {gpu: {sms: 4}}\nkernels: {a: {load: 4}, b: {load: ${n}}}\ndependencies: [a -> b]\n`],
];

// What a model's section says and draws, apart from numbers that do not depend on the model and what only the program checks.
const told = (section) => {
  const all = (selector) => Array.from(section.querySelectorAll(selector)), shown = (e) => e.innerText.replace(/\s+/g, " ").replace(/ Checked: .*/, "").trim();
  const figure = all("figure.timeline").find((f) => !f.hidden), {data} = weirPictures.get(figure), classes = (e) => (e?.getAttribute("class") ?? "").split(" ").sort().join(" ");
  return {
    parts: all("[data-part]").map((e) => `${e.dataset.part}: ${shown(e)}`), latency: figure.dataset.pair, account: figure.querySelector(".tl-words").textContent,
    timeline: data ? JSON.stringify({...data, lanes: data.lanes.map((l) => l.spans), names: data.lanes.map((l) => l.name)}) : figure.querySelector(".stage").textContent,
    drawing: all("figure.drawing .wd-operator, figure.drawing .wd-queue").map((g) => [g.querySelector("title").textContent, ...Array.from(g.querySelectorAll("text"), (t) => t.textContent),
      ...[".wd-box", ".wd-frame", ".wd-line", ".wd-head, .wd-head-way"].map((part) => classes(g.querySelector(part)))].join("; ")).sort(),
  };
};

test("whatever is moved, on every engine: the page becomes that of the changed model, and goes back", async () => {
  const files = (which) => MOVES.map(([, from, to, model], i) => write(`${which}-${i}.yaml`, "name: m\n" + model(which === "before" ? from : to)));
  const runs = ["--runs", "5", "--iterations", "20"], sections = (on) => on.locator("section.model");
  const pageOf = (which) => (weir(["report", ...files(which), "-o", scratch(which + ".html"), ...runs], [0, 1, 4]), scratch(which + ".html"));
  const on = await open(browser, pageOf("before")), before = await sections(on).evaluateAll((all, f) => all.map(eval(f)), String(told));
  for (const [i, [label, from, to]] of MOVES.entries()) {
    const section = sections(on).nth(i), live = section.locator("section.live"), details = live.locator("details.more-sliders");
    await on.waitForFunction((k) => document.querySelectorAll("section.live")[k].dataset.weighed, i, {timeout: 300000});
    if (await details.count()) await details.evaluate((d) => { d.open = true; });
    const field = live.getByRole("textbox", {name: label + ", as a number", exact: true});
    assert.equal(await field.inputValue(), String(from), label);
    await field.fill(String(to));
    await field.press("Enter");
    await on.waitForFunction((k) => document.querySelectorAll("section.live")[k].dataset.finished, i, {timeout: 300000});
  }
  const moved = await sections(on).evaluateAll((all, f) => all.map(eval(f)), String(told));
  for (const [i] of MOVES.entries()) {
    assert.notDeepEqual(moved[i], before[i], `model ${i} is another one`);
    const count = Number(await sections(on).nth(i).locator("section.live").getAttribute("data-answers"));
    await sections(on).nth(i).getByRole("button", {name: "Reset"}).click();
    await on.waitForFunction(([k, n]) => { const s = document.querySelectorAll("section.live")[k]; return Number(s.dataset.answers) > n && s.getAttribute("aria-busy") === "false"; }, [i, count], {timeout: 300000});
  }
  const back = await sections(on).evaluateAll((all, f) => all.map(eval(f)), String(told));
  await close(on);
  const other = await open(browser, pageOf("after")), fresh = await sections(other).evaluateAll((all, f) => all.map(eval(f)), String(told));
  await close(other);
  for (const [i, [label]] of MOVES.entries()) {
    assert.deepEqual(moved[i], fresh[i], `model ${i}, ${label}`);
    assert.deepEqual(back[i], before[i], `model ${i}, back`);
  }
});
