// SPDX-License-Identifier: Apache-2.0
// Reports in a real browser, opened from disk: what is read, pointed at, typed and moved there.
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const {after, before, test} = require("node:test");
const {report, canonical, edited, write, analyzed, same, example, weir, scratch, open, settled, close, launch} = require("./support.js");

const ultrasound = "published/multi-ai-ultrasound";
let browser, page;

before(async () => {
  browser = await launch();
});
after(() => browser?.close());

// Waits for the answer to whatever `act` does to the sliders.
async function answered(on, act, section = 0) {
  const live = on.locator("section.live").nth(section), count = Number(await live.getAttribute("data-answers")) || 0;
  await act();
  await on.waitForFunction(([i, n]) => {
    const s = document.querySelectorAll("section.live")[i];
    return Number(s.dataset.answers) > n && s.getAttribute("aria-busy") === "false";
  }, [section, count], {timeout: 300000});
}

// All sliders, and in the order in which they stay.
async function unfold(on) {
  await on.waitForFunction(() => Array.from(document.querySelectorAll("section.live")).every((s) => s.dataset.weighed), null, {timeout: 300000});
  await on.evaluate(() => document.querySelectorAll("details.more-sliders").forEach((d) => { d.open = true; }));
  await on.waitForFunction(() => Array.from(document.querySelectorAll("details.more-sliders")).every((d) => d.childElementCount > 1));
}

const row = (on, label) => on.getByRole("slider", {name: label, exact: true});
const field = (on, label) => on.getByRole("textbox", {name: label + ", as a number", exact: true});
const type = (on, label, value) => answered(on, async () => {
  await field(on, label).fill(String(value));
  await field(on, label).press("Tab");
});
const seen = (on) => on.evaluate(() => Array.from(document.querySelectorAll(".verdict, .why, table.pairs, .throughput"), (e) => e.outerHTML));
const copied = async (on) => {
  await on.getByRole("button", {name: "Copy as YAML"}).click();
  await on.getByRole("button", {name: "Copied"}).first().waitFor();
  return on.evaluate(() => navigator.clipboard.readText());
};

test("the verdict is the first thing on the page", async () => {
  page = await open(browser, report(example(ultrasound)));
  await unfold(page);
  assert.equal(await page.title(), "Multi AI Ultrasound");
  assert.equal(await page.locator("html").getAttribute("data-live"), "worker");
  const first = page.locator("main p").first();
  assert.match(await first.textContent(), /^✓ The deadline is met, always\. From replayer to holoviz it takes at most 4029 us/);
  assert.equal(await page.locator("table.pairs tbody tr").textContent(), "replayer → holoviz4029 us0 us5000 us971 us✓ met");
  const headings = await page.locator("h3").allTextContents();
  assert.deepEqual(headings, ["Latencies", "The pipeline", "How the worst case happens", "What if?", "Throughput", "What simulation shows",
    "What to change", "What this assumes", "The model"]);
});

test("pointing at a bar tells what it is", async () => {
  const bars = page.locator("figure.timeline .wt-run"), tip = page.locator("figure.timeline .tip");
  assert.match(await tip.textContent(), /^Point at a part/);
  const widths = await bars.evaluateAll((all) => all.map((e) => e.getBoundingClientRect().width));
  const bar = bars.nth(widths.indexOf(Math.max(...widths)));
  await bar.hover({timeout: 300000});
  assert.equal(await tip.textContent(), await bar.locator("title").textContent());
  assert.match(await tip.textContent(), /multiai_inference|aortic_ste_pre/);
  await page.locator("figure.drawing .wd-operator").nth(2).hover();
  assert.match(await page.locator("figure.drawing .tip").textContent(), /aortic_ste_pre.*880/);
});

test("all of it with the keyboard", async () => {
  await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
  const stops = [];
  for (let i = 0; i < 16; i++) {
    await page.keyboard.press("Tab");
    stops.push(await page.evaluate(() => {
      const e = document.activeElement, outline = getComputedStyle(e).outlineStyle;
      return (outline === "none" ? "UNSEEN " : "") + (e.getAttribute("aria-label") || e.textContent).split(/[.,]/)[0].trim();
    }));
  }
  assert.deepEqual(stops.slice(0, 14), ["Skip to the answer", "Latencies", "larger", "smaller", "whole", "Drawing of the pipeline", "zoom in", "zoom out",
    "show the latency alone", "show all of the time", "fit the height", "+4 others: show or fold the lanes beside the critical path", "Timeline", "The story"]);
  assert.ok(!stops.join().includes("UNSEEN"), stops.join());
  const stage = page.locator("figure.timeline .stage"), tip = page.locator("figure.timeline .tip");
  await stage.focus();
  const bar = () => page.locator("figure.timeline .wt-run[data-operator=multiai_inference][data-critical='1']").last().evaluate((e) => e.querySelector("rect").getBoundingClientRect().width);
  const start = await bar();
  await page.keyboard.press("+");
  await page.keyboard.press("+");
  await page.waitForFunction(() => new Promise((resolve) => requestAnimationFrame(() => resolve(true))));
  assert.ok(Math.abs(await bar() - start * 2.25) < 3, "+ shows less time");
  assert.match(page.url(), /view=/, "the address has it");
  await page.keyboard.press("0");
  await page.waitForFunction(() => new Promise((resolve) => requestAnimationFrame(() => resolve(true))));
  assert.ok(Math.abs(await bar() - start) < 2, "0 shows all of it");
  await page.keyboard.press("n");
  const one = await tip.textContent();
  await page.keyboard.press("n");
  const two = await tip.textContent();
  await page.keyboard.press("p");
  assert.notEqual(one, two);
  assert.equal(await tip.textContent(), one);
});

test("the critical path, step by step: what it waited for, and what is in the queues", async () => {
  const figure = page.locator("figure.timeline"), tip = figure.locator(".tip"), json = JSON.parse(analyzed(example(ultrasound)));
  assert.match(await figure.locator(".account").textContent(), /^4029 us = 3149 running \+ 880 waiting behind frame 0 in aortic_ste_pre\.$/);
  await figure.locator(".stage").focus();
  await page.keyboard.press("Home");
  const told = [await tip.textContent()];
  for (let i = 0; i < 3; i++) {
    await page.keyboard.press("ArrowRight");
    told.push(await tip.textContent());
  }
  assert.equal(new Set(told).size, 4, told.join("\n"));
  assert.match(told[0], new RegExp(`^Step 1 of ${json.latency[0].witness.critical.length}, at -?[\\d.]+ us: \\S+, frame \\d+`));
  assert.match(told.at(-1), /In the queues: .*\d of \d/);
  assert.ok(await figure.locator(".tl-cursor path").count() === 1 && await figure.locator(".tl-fill").count() > 3, "every queue tells its fill");
  assert.equal(await figure.locator(".wt-run.tl-lit").count(), 1);
  const sentence = figure.locator("ol.story li").nth(1), operator = (await sentence.textContent()).match(/^-?[\d.]+(\S+), frame/)[1];
  await sentence.hover();
  assert.equal(await figure.locator(".wt-run.tl-lit").getAttribute("data-operator"), operator, "a sentence lights its bar");
  await figure.locator(".stage").focus();
  await page.keyboard.press("Escape");
  assert.equal(await figure.locator(".tl-cursor path").count(), 0);
});

test("the journey of the message adds up, and zooming stays at the pointer", async () => {
  const figure = page.locator("figure.timeline"), data = JSON.parse(await figure.locator("script.timeline-data").textContent());
  assert.equal(data.legs.reduce((sum, leg) => sum + leg[5] - leg[4], 0), 4029);
  data.legs.reduce((end, leg) => { assert.equal(leg[4], end); return leg[5]; }, 0);
  assert.ok(data.legs.some((leg) => leg[0] === 0) && data.legs.some((leg) => leg[0] !== 0));
  const box = await figure.locator(".tl-body").boundingBox(), x = Math.round(box.x + box.width * 0.7);
  const under = () => figure.evaluate((e, at) => weirPictures.get(e).time(at), x), before = await under();
  await page.mouse.move(x, box.y + 40);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -120);
  await page.keyboard.up("Control");
  await page.waitForFunction(() => { const t = weirPictures.get(document.querySelector("figure.timeline")); return t.view.to - t.view.from < 0.8 * (t.all.to - t.all.from); });
  assert.ok(Math.abs(await under() - before) < 2, "what is under the pointer stays there");
  const left = await figure.locator(".tl-name").first().boundingBox();
  await page.mouse.down();
  await page.mouse.move(x - 200, box.y + 40, {steps: 4});
  await page.mouse.up();
  assert.ok(await under() > before + 10, "dragging moves");
  assert.equal((await figure.locator(".tl-name").first().boundingBox()).x, left.x, "names stay");
  await figure.getByRole("button", {name: "show all of the time"}).click();
  const folded = figure.locator("[data-zoom=fold]");
  if (await folded.isVisible()) {
    const count = await figure.locator(".tl-lanes .tl-name").count();
    assert.match(await folded.textContent(), /^\+\d+ others$/);
    await folded.click();
    await page.waitForFunction((n) => document.querySelectorAll(".tl-lanes .tl-name").length > n, count);
    await folded.click();
  }
});

test("a link carries what one looks at; files to take along are those of the program", async () => {
  const [file] = page.url().split("#");
  const on = await open(browser, file.replace("file://", "") + "#model=1&set=holoviz.time%3D%5B0%2C+900%5D&view=0,2000");
  await on.waitForFunction(() => document.querySelector("section.live").dataset.answers);
  const byHand = write("link.yaml", edited(canonical(example(ultrasound)), {holoviz: [0, 900]}, {})), json = JSON.parse(analyzed(byHand));
  assert.equal(await on.locator(".verdict .bound").textContent(), `${json.latency[0].worst} us`);
  assert.ok(Math.abs(await on.evaluate(() => { const {view} = weirPictures.get(document.querySelector("figure.timeline")); return view.to - view.from; }) - 2000) < 1);
  assert.ok(await on.locator(".tl-ghost rect").count() > 0, "what it was before is there");
  const saved = async (name) => {
    const [download] = await Promise.all([on.waitForEvent("download"), on.getByRole("group", {name: "Download"}).getByRole("button", {name, exact: true}).click()]);
    return fs.readFileSync(await download.path());
  };
  weir(["analyze", byHand, "--gantt", scratch("link.svg"), "--trace", scratch("link.json")], [0, 1]);
  same((await saved("SVG")).toString(), fs.readFileSync(scratch("link.svg"), "utf8"), "SVG");
  same((await saved("Trace")).toString(), fs.readFileSync(scratch("link.json"), "utf8"), "trace");
  same(analyzed(write("saved.yaml", (await saved("YAML")).toString())), analyzed(byHand), "YAML");
  assert.deepEqual(Array.from((await saved("PNG")).subarray(1, 4)), [80, 78, 71]);
  // The page itself begins where it was saved, has nothing twice, and can go back to what it was at first.
  fs.writeFileSync(scratch("kept.html"), await saved("Page"));
  const looked = (p) => p.evaluate(() => [Array.from(document.querySelectorAll(".verdict, .why, table.pairs, h3"), (e) => e.outerHTML), weirPictures.get(document.querySelector("figure.timeline")).view,
    document.querySelectorAll(".tl-map, .tl-words, .sliders, .made, .answer, template.given").length, document.querySelectorAll("figure.timeline svg").length]);
  const before = await looked(on);
  await close(on);
  const kept = await open(browser, scratch("kept.html"));
  await kept.waitForFunction(() => document.querySelector("section.live").dataset.answers);
  assert.deepEqual(await looked(kept), before);
  await answered(kept, () => kept.getByRole("button", {name: "Reset"}).click());
  assert.equal(await kept.locator(".verdict .bound").textContent(), await page.locator(".verdict .bound").textContent(), "as it was at first");
  await close(kept);
});

test("a deadline that is missed: what alone is enough is enough, and one tick more is not", async () => {
  const on = await open(browser, report(write("late.yaml", "unit: ms\noperators:\n  a: {time: [2, 4]}\n  infer: {time: [10, 30.25]}\n  c: {time: [1, 5]}\nqueues:\n  - a -> infer -> c\n" +
    "deadlines:\n  - {from: a, to: c, within: 60}\n  - {from: infer, to: c, within: 33}\n"), "late"));
  await unfold(on);
  const items = on.locator(".alone li");
  assert.ok(await items.count() > 0);
  for (let i = 0; i < await items.count(); i++) {
    await items.nth(i).getByRole("button", {name: "as --what-if"}).click();
    const change = (await on.evaluate(() => navigator.clipboard.readText())).match(/^--what-if '(.*)'$/)[1];
    weir(["explore", scratch("late.yaml"), "--what-if", change], [0]);
    weir(["explore", scratch("late.yaml"), "--what-if", change.replace(/([\d.]+)\]$/, (n) => String(Math.round((parseFloat(n) + 0.01) * 100) / 100) + "]")], [1]);
  }
  assert.equal(await on.locator(".limit:visible").count(), await items.count());
  await answered(on, () => items.first().locator(".take").click());
  assert.match(await on.locator(".verdict").textContent(), /^✓ Every deadline is met/);
  await close(on);
});

test("verdict and timeline stay in view while sliders move, at each width", async () => {
  const on = await open(browser, report(example(ultrasound), "stays"));
  await unfold(on);
  const seen = () => on.evaluate(() => [".live .answer", "figure.timeline .tl-head"].map((name) => {
    const e = document.querySelector(name), {left, top, bottom} = e.getBoundingClientRect(), at = document.elementFromPoint(left + 20, (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2);
    return top > -1 && bottom < innerHeight + 1 && e.contains(at) ? "" : `${name}: ${top} to ${bottom}, below ${at?.outerHTML.slice(0, 60)}`;
  }));
  for (const [width, height] of [[390, 844], [1024, 768], [1440, 900]]) {
    await on.setViewportSize({width, height});
    for (const name of ["worst of multiai_inference", "worst of replayer", "capacity of replayer \u2192 plax_cham_pre"]) {
      await answered(on, async () => {
        await row(on, name).focus();
        await on.keyboard.press("ArrowRight");
      });
      await settled(on);
      assert.deepEqual(await seen(), ["", ""], `${width}, ${name}`);
      const {top, bottom} = await row(on, name).boundingBox().then(({y, height: high}) => ({top: y, bottom: y + high}));
      assert.ok(top >= 0 && bottom <= height, `${width}: ${name} at ${top}`);
    }
    await on.evaluate(() => document.activeElement.blur());
  }
  await close(on);
});

test("sliders: the bound is the program's, to the last digit", async () => {
  const original = await seen(page);
  await answered(page, async () => {
    await row(page, "worst of multiai_inference").focus();
    for (let i = 0; i < 30; i++) await page.keyboard.press("ArrowRight");
  });
  const time = await field(page, "worst of multiai_inference").inputValue();
  assert.ok(Number(time) > 797);
  await answered(page, () => row(page, "capacity of replayer → plax_cham_resized").press("ArrowRight"));
  const byHand = write("by-hand.yaml", edited(canonical(example(ultrasound)), {multiai_inference: [0, time]}, {"replayer>plax_cham_resized": 2}));
  const json = JSON.parse(analyzed(byHand));
  assert.notEqual(json.latency[0].worst, 4029);
  assert.equal(await page.locator(".verdict .bound").textContent(), `${json.latency[0].worst} us`);
  assert.equal(await page.locator("section.live .answer .bound").textContent(), `${json.latency[0].worst} us`);
  const yaml = await copied(page);
  same(analyzed(write("copied.yaml", yaml)), analyzed(byHand), "copied as YAML");
  const other = await open(browser, report(byHand, "by-hand"));
  await unfold(other);
  assert.deepEqual(await seen(page), await seen(other), "the page is that of the changed model");
  const drawn = (on) => on.locator("figure.drawing").evaluate((e) => Array.from(e.querySelectorAll(".wd-operator, .wd-queue"), (g) =>
    [g.querySelector(".wd-box, .wd-line").getAttribute("class").split(" ").sort().join(" "), Boolean(g.querySelector(".wd-frame")),
      g.querySelector(".wd-times, .wd-capacity")?.textContent].join("; ")));
  assert.deepEqual(await drawn(page), await drawn(other));
  const timeline = (on) => on.locator("figure.timeline").evaluate((e) => JSON.stringify({...weirPictures.get(e).data, lanes: weirPictures.get(e).data.lanes.map((l) => l.spans)}));
  same(await timeline(page), await timeline(other), "the timeline");
  await page.waitForFunction(() => document.querySelector("section.live").dataset.finished, null, {timeout: 300000});
  const later = (on) => on.evaluate(() => Array.from(document.querySelectorAll("[data-part=simulation] p, [data-part=changes]"), (e) => e.textContent));
  assert.deepEqual(await later(page), await later(other), "simulation and advice");
  await close(other);
  await answered(page, () => page.getByRole("button", {name: "Reset"}).click());
  assert.deepEqual(await seen(page), original);
  same(await copied(page), canonical(example(ultrasound)), "the model as it was");
});

test("numbers that are typed; a deadline that is missed, said everywhere", async () => {
  await type(page, "worst of holoviz", "2000");
  assert.match(await page.locator(".verdict").textContent(), /^✗ A deadline is missed\. From replayer to holoviz it can take \d+ us; the deadline is 5000 us\.$/);
  assert.match(await page.locator(".live-verdict").textContent(), /missed/);
  assert.match(await page.locator(".live-slack").textContent(), /^-/);
  for (const nonsense of ["-5", "abc", "", "1.5", "999999999999999999999"]) {
    await field(page, "worst of holoviz").fill(nonsense);
    await field(page, "worst of holoviz").press("Tab");
    assert.equal(await field(page, "worst of holoviz").getAttribute("aria-invalid"), "true", nonsense);
  }
  await answered(page, () => page.getByRole("button", {name: "Reset"}).click());
  assert.equal(await field(page, "worst of holoviz").getAttribute("aria-invalid"), null);
  await close(page);
});

test("from no bound to a bound and back", async () => {
  const file = write("camera.yaml", "unit: ms\noperators:\n  a: {time: [2, 4]}\n  b: {time: [10, 30.5]}\n  c: {time: [1, 5]}\n" +
    "queues:\n  - {from: a, to: b, capacity: 1}\n  - {from: b, to: c, capacity: 1}\nsource: {operator: a, period: 25, arrivals: exact}\n");
  const on = await open(browser, report(file, "camera"));
  const original = await seen(on);
  assert.match(original[0], /There is no bound/);
  assert.match(await on.locator(".why").textContent(), /backlog grows without bound/);
  assert.match(await on.locator("main").textContent(), /Let inputs of a come less often than every 25 ms/);
  await unfold(on);
  await type(on, "worst of b", "20.5");
  assert.match(await on.locator(".verdict").textContent(), /The worst case is known exactly\. From a to c it takes at most 29\.5 ms/);
  assert.ok(await on.locator("figure.timeline .tl-lanes").isVisible());
  assert.ok(await on.locator(".why").isHidden());
  await answered(on, () => on.getByRole("button", {name: "Reset"}).click());
  assert.deepEqual(await seen(on), original);
  await close(on);
});

test("what the engine refuses is said, and a trap does not end it", async () => {
  const file = write("two.yaml", "operators:\n  a: {time: [1, 3]}\n  b: {time: [1, 4]}\nqueues:\n  - {from: a, to: b, capacity: 2}\n");
  const on = await open(browser, report(file, "two"));
  const original = await seen(on);
  await unfold(on);
  await type(on, "worst of a", "5000000000000000000");
  assert.match(await on.locator(".verdict").textContent(), /nothing to analyse/);
  assert.ok(await on.getByRole("button", {name: "Copy as YAML"}).isDisabled());
  await answered(on, () => on.getByRole("button", {name: "Reset"}).click());
  assert.deepEqual(await seen(on), original);
  await close(on);

  const broken = await open(browser, report(file, "two"), {before: () => {
    const post = Worker.prototype.postMessage; // the second question is one that no engine survives
    let count = 0;
    Worker.prototype.postMessage = function (message) {
      if (message.question?.parts && ++count === 2) message.question.changes = null;
      return post.call(this, message);
    };
  }});
  await type(broken, "worst of a", "5");
  await type(broken, "worst of a", "6");
  assert.match(await broken.locator("section.live .answer").textContent(), /^The engine stopped: .* It was started anew/);
  await answered(broken, () => broken.getByRole("button", {name: "Reset"}).click());
  assert.deepEqual(await seen(broken), original);
  await close(broken);
});

test("a long analysis does not hold the page up", async () => {
  const file = scratch("long.yaml");
  weir(["generate", "holoscan", "--nodes", "12", "--queue", "2", "--best-ratio", "0.5", "--seed", "3", "-o", file]);
  const on = await open(browser, report(file, "long"), {before: () => {
    const post = Worker.prototype.postMessage; // a worker that takes its time over the first question
    let count = 0;
    Worker.prototype.postMessage = function (message) {
      if (message.question?.parts && ++count === 1) return;
      return post.call(this, message);
    };
  }});
  await unfold(on);
  const name = await on.locator("section.live input[type=range][aria-label^='worst of']").first().getAttribute("aria-label");
  await row(on, name).press("ArrowRight");
  await on.getByText("Computing …").waitFor();
  assert.equal(await on.evaluate(() => new Promise((resolve) => setTimeout(() => resolve("alive"), 50))), "alive");
  await answered(on, () => row(on, name).press("ArrowRight"));
  const value = await field(on, name).inputValue(), operator = name.replace("worst of ", "");
  const best = /\[(\d+),/.exec(canonical(file).split("\n").find((l) => l.startsWith(`  ${operator}: `)))[1];
  const json = JSON.parse(analyzed(write("longer.yaml", edited(canonical(file), {[operator]: [best, value]}, {}))));
  assert.equal(await on.locator(".verdict .bound").textContent(), String(json.latency[0].worst));
  await close(on);
});

test("without workers, without WebAssembly, without scripts", async () => {
  const file = report(example("camera"), "camera-example");
  const alone = await open(browser, file, {before: () => { window.Worker = class { constructor() { throw new Error("no"); } }; }});
  assert.equal(await alone.locator("html").getAttribute("data-live"), "page");
  const original = await seen(alone);
  await answered(alone, () => alone.locator("section.live input[type=range]").first().press("ArrowRight"));
  assert.notDeepEqual(await seen(alone), original);
  await answered(alone, () => alone.getByRole("button", {name: "Reset"}).click());
  assert.deepEqual(await seen(alone), original);
  await close(alone);

  const none = await open(browser, file, {before: () => { delete window.WebAssembly; }});
  assert.equal(await none.locator("html").getAttribute("data-live"), "none");
  assert.match(await none.locator("section.live").textContent(), /This browser cannot recompute: it has no WebAssembly\. Everything else on the page is complete\./);
  await close(none);

  const still = await open(browser, file, {javaScriptEnabled: false, still: true});
  assert.match(await still.locator(".verdict").textContent(), /deadline is met/);
  assert.equal(await still.locator("figure.timeline svg").count(), 1);
  await close(still);

  const without = fs.readFileSync(report(example("camera"), "without", ["--no-live"]), "utf8");
  assert.ok(!without.includes("What if?") && without.length < 200000, String(without.length));
});

test("several models: a table of verdicts first, a slider moves its own model alone", async () => {
  const on = await open(browser, report([example("camera"), example("wlan-decoder"), example("nbfm-receiver"), example("gpu/vision"), example(ultrasound)], "several",
    ["--title", "All of them"]));
  assert.equal(await on.locator("h1").textContent(), "All of them");
  assert.equal(await on.locator("main > *").first().evaluate((e) => e.tagName), "NAV");
  const rows = await on.locator("table.summary tbody tr").allTextContents();
  assert.equal(rows.length, 5);
  assert.match(rows[0], /^Camera at 30 Hz✓ The deadline is met, always\.capture → display46\.75 ms100 msthreads of their own$/);
  assert.match(rows[3], /a GPU$/);
  const camera = await on.locator("#model-1 .verdict").textContent();
  await answered(on, () => on.locator("#model-5 section.live input[type=range]").nth(4).press("ArrowRight"), 4);
  assert.match(await on.locator("#model-5 .verdict").textContent(), /40\d\d us/);
  assert.equal(await on.locator("#model-1 .verdict").textContent(), camera);
  await on.locator("table.summary a").nth(2).click();
  assert.equal(new URL(on.url()).hash, "#model-3");
  await close(on);
});

test("names that try to be HTML stay names", async () => {
  const names = ["</script><img src=x onerror=alert(1)>", 'a "quoted" name\'s', "日本語", "<!--", "p1-wp-hatch-1 url(#x)"];
  const file = write("names.yaml", `name: ${JSON.stringify(names.join(" "))}\noperators:\n` + names.map((n, i) => `  ${JSON.stringify(n)}: {time: [0, ${i + 1}]}\n`).join("") +
    "queues:\n" + names.slice(1).map((n, i) => `  - {from: ${JSON.stringify(names[i])}, to: ${JSON.stringify(n)}}\n`).join(""));
  const on = await open(browser, report(file, "names"));
  assert.equal(await on.title(), names.join(" "));
  assert.equal(await on.locator("img").count(), 0);
  await type(on, "worst of " + names[2], "7");
  assert.equal(await on.locator("img").count(), 0);
  assert.match(await on.locator(".verdict").textContent(), /^✓.*<\/script><img.* to p1-wp-hatch-1 url\(#x\) it takes at most \d+, and/);
  await close(on);
});
