// SPDX-License-Identifier: Apache-2.0
// How pages look: light, dark, narrow, on paper; for those who do not see them; large ones; and compared with pictures of before.
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const {after, before, test} = require("node:test");
const {report, example, weir, write, scratch, blank, open, settled, close, launch} = require("./support.js");

const apps = ["body-pose-estimation", "colonoscopy-segmentation", "endoscopy-depth-clahe", "endoscopy-depth-estimation",
  "endoscopy-out-of-body", "multi-ai-endoscopy", "multi-ai-surgical-ar", "multi-ai-ultrasound"];
const everything = [...["camera", "feedback-loop", "wlan-decoder", "nbfm-receiver", "gpu/vision", "gpu/worked-example"].map(example)];
let browser;

before(async () => {
  browser = await launch();
});
after(() => browser?.close());

// ---- what is asked of every page; each function runs in the browser and returns complaints ----

function structure() {
  const found = [], all = (s) => Array.from(document.querySelectorAll(s)), name = (e) => e.outerHTML.slice(0, 120);
  const ids = all("[id]").map((e) => e.id);
  for (const id of new Set(ids)) if (ids.filter((i) => i === id).length > 1) found.push("an id twice: " + id);
  for (const e of all("[aria-labelledby], [aria-describedby], label[for]"))
    for (const id of (e.getAttribute("aria-labelledby") ?? e.getAttribute("aria-describedby") ?? e.htmlFor).split(" "))
      if (!ids.includes(id)) found.push("refers to nothing: " + name(e));
  for (const e of all("[style*='url(#'], [fill*='url(#']"))
    for (const [, id] of e.outerHTML.split(">")[0].matchAll(/url\(#([^)]*)\)/g)) if (!ids.includes(id)) found.push("filled with nothing: " + name(e));
  for (const e of all("input, select, textarea, button"))
    if (!e.getAttribute("aria-label") && !e.closest("label") && !e.textContent.trim()) found.push("without a name: " + name(e));
  for (const e of all("svg"))
    if (e.getAttribute("role") !== "img" || !(e.getAttribute("aria-label") || e.getAttribute("aria-labelledby"))) found.push("a picture without words: " + name(e));
  for (const e of all("[role=region], nav, [tabindex='0']"))
    if (!e.getAttribute("aria-label")) found.push("a region without a name: " + name(e));
  let level = 0;
  for (const e of all("h1, h2, h3, h4")) {
    const here = Number(e.tagName[1]);
    if (here > level + 1) found.push("a heading too deep: " + e.textContent);
    level = here;
  }
  if (all("h1").length !== 1 || all("main").length !== 1) found.push("one h1 and one main");
  for (const e of all("th")) if (!e.scope) found.push("th without scope: " + name(e));
  if (!document.documentElement.lang) found.push("no language");
  for (const e of all("img, link, script[src], iframe, object")) found.push("something from outside: " + name(e));
  return found;
}

// The contrast of each text with what is behind it: 4.5, or 3 where it is large.
function contrast() {
  const found = new Set(), canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const colour = (text) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return {r, g, b, a: a / 255};
  };
  const over = (top, below) => ({r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a), b: top.b * top.a + below.b * (1 - top.a), a: 1});
  const light = ({r, g, b}) => [r, g, b].map((c) => c / 255).map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => {
    const layers = [];
    for (let at = e; at; at = at.parentElement) {
      const c = colour(getComputedStyle(at).backgroundColor);
      if (c.a > 0) layers.unshift(c);
      if (c.a === 1) break;
    }
    return layers.reduce((below, c) => over(c, below), colour(getComputedStyle(document.documentElement).colorScheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches ? "#14171c" : "#fff"));
  };
  const judge = (e, ink, back, size) => {
    const [a, b] = [light(over(ink, back)), light(back)].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
    if (ratio < (size >= 24 ? 3 : 4.5) - 0.01) found.add(`${ratio.toFixed(2)}: ${e.tagName} ${e.getAttribute("class")} "${e.textContent.trim().slice(0, 40)}"`);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const e = node.parentElement, style = getComputedStyle(e);
    if (!node.textContent.trim() || !e.checkVisibility?.() || e.closest("script, style, title, desc, noscript, [disabled]")) continue;
    if (!e.closest("svg")) {
      judge(e, colour(style.color), behind(e), parseFloat(style.fontSize));
      continue;
    }
    // In a picture: the shapes that were drawn before it and lie below its middle, then the page.
    const box = e.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2, shapes = [];
    for (const shape of e.closest("svg").querySelectorAll("rect")) {
      if (!(shape.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING) || shape.closest("defs")) continue;
      const b = shape.getBoundingClientRect(), s = getComputedStyle(shape);
      if (x < b.left || x > b.right || y < b.top || y > b.bottom || s.fill === "none" || s.fill.startsWith("url")) continue;
      const c = colour(s.fill);
      shapes.push({...c, a: c.a * Number(s.fillOpacity) * Number(s.opacity)});
    }
    judge(e, colour(style.fill), shapes.reduce((below, c) => over(c, below), behind(e)), parseFloat(style.fontSize));
  }
  return Array.from(found);
}

// Texts of one picture do not lie on each other, nor outside of it.
function overlaps() {
  const found = [];
  for (const svg of document.querySelectorAll("svg.weir-drawing, svg.weir-timeline, figure svg")) {
    const frame = svg.getBoundingClientRect();
    const texts = Array.from(svg.querySelectorAll("text"), (e) => ({e, b: e.getBoundingClientRect()})).filter(({b}) => b.width > 0);
    for (const {e, b} of texts)
      if (b.left < frame.left - 2 || b.right > frame.right + 2) found.push(`outside: ${e.textContent}`);
    texts.sort((p, q) => p.b.left - q.b.left);
    for (let i = 0; i < texts.length; i++)
      for (let j = i + 1; j < texts.length && texts[j].b.left < texts[i].b.right - 1.5; j++) {
        const high = Math.min(texts[i].b.bottom, texts[j].b.bottom) - Math.max(texts[i].b.top, texts[j].b.top);
        if (high > 0.3 * Math.min(texts[i].b.height, texts[j].b.height)) found.push(`"${texts[i].e.textContent}" on "${texts[j].e.textContent}"`);
      }
  }
  return found;
}

const narrow = () => document.documentElement.scrollWidth > innerWidth ? [`${document.documentElement.scrollWidth} wide in ${innerWidth}`] : [];

// Nothing that one can press or read lies outside of what it stands in.
const clipped = () => Array.from(document.querySelectorAll(".tools button, .live button, .live input, .answer, .account, .tl text, table.pairs td, table.pairs th, table.summary td, table.summary th")).filter((e) => {
  const box = e.getBoundingClientRect();
  return e.checkVisibility() && box.width > 0 && (box.left < -1 || box.right > innerWidth + 1);
}).map((e) => e.outerHTML.slice(0, 120));

// Posts of rulers do not stand in words.
const struck = () => Array.from(document.querySelectorAll("figure.timeline .tl-head svg")).flatMap((svg) => {
  const {left, top} = svg.getBoundingClientRect(), posts = Array.from(svg.querySelectorAll(".tl-post"), (e) => Array.from(e.getAttribute("d").matchAll(/M([\d.]+) ([\d.]+)V([\d.]+)/g), (m) => m.slice(1).map(Number))).flat();
  return Array.from(svg.querySelectorAll("text.tl-strong")).filter((e) => {
    const box = e.getBoundingClientRect();
    return posts.some(([x, from, to]) => x + left > box.left + 1 && x + left < box.right - 1 && from + top < box.bottom - 3 && to + top > box.top + 3);
  }).map((e) => "a line through " + e.textContent);
});

// From one stop of the keyboard to the next: each can be seen, and none is twice in a row.
async function walk(page, count, name) {
  await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
  await page.locator("h1").click(); // from the beginning of the page
  let before = "";
  for (let i = 0; i < count; i++) {
    await page.keyboard.press("Tab");
    await settled(page);
    const [stop, unseen] = await page.evaluate(() => {
      const e = document.activeElement, box = e.getBoundingClientRect(), style = getComputedStyle(e);
      const at = document.elementFromPoint(Math.min(Math.max(box.left + box.width / 2, 1), innerWidth - 1), Math.min(Math.max(box.top + Math.min(box.height, innerHeight) / 2, 1), innerHeight - 1));
      const why = style.outlineStyle === "none" ? "no outline" : box.bottom < 0 || box.top > innerHeight || box.right < 0 || box.left > innerWidth ? "outside" :
        !at || !(e.contains(at) || at.contains(e) || e.closest("label, .row, summary")?.contains(at)) ? "below " + at?.outerHTML.slice(0, 60) : "";
      return [[...document.querySelectorAll("*")].indexOf(e) + " " + e.outerHTML.slice(0, 100), why];
    });
    assert.equal(unseen, "", `${name}, stop ${i + 1}: ${stop}`);
    assert.notEqual(stop, before, `${name}: ${stop}`);
    before = stop;
  }
}

// ---- the tests ----

for (const scheme of ["light", "dark"])
  test(`names, headings, ids, contrast: ${scheme}`, async () => {
    const trouble = write("trouble.yaml", "unit: ms\noperators:\n  a: {time: [2, 4]}\n  b: {time: [10, 30]}\nqueues:\n  - a -> b\nsource: {operator: a, period: 25, arrivals: exact}\n");
    const late = write("late.yaml", "unit: ms\noperators:\n  a: {time: [2, 4]}\n  b: {time: [10, 30]}\nqueues:\n  - a -> b\ndeadlines:\n  - {from: a, to: b, within: 20}\n");
    const page = await open(browser, report([...everything, trouble, late], "everything"), {colorScheme: scheme});
    const back = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(back, scheme === "dark" ? "rgb(20, 23, 28)" : "rgb(255, 255, 255)");
    assert.deepEqual(await page.evaluate(structure), []);
    assert.deepEqual(await page.evaluate(contrast), []);
    await page.locator("section.live input[type=range]").first().press("ArrowRight");
    await page.waitForFunction(() => document.querySelector("section.live").dataset.answers);
    assert.deepEqual(await page.evaluate(structure), [], "after a change");
    await close(page);
  });

// One page for each engine, and one whose deadline is missed: they fit, no words lie on others, axe finds nothing, and the keyboard reaches
// all of it.
test("from a telephone to a wide screen, light and dark", async () => {
  const late = write("late-wide.yaml", "unit: ms\noperators:\n  a: {time: [2, 4]}\n  b: {time: [10, 30]}\nqueues:\n  - a -> b\ndeadlines:\n  - {from: a, to: b, within: 20}\n  - {from: b, to: b, within: 5}\n");
  const crew = write("crew-wide.yaml", "unit: ms\nplatform: {scheduler: event-based, workers: 2}\noperators: {camera: 3, prepare: 5, infer: 10, display: 4}\n" +
    "queues: [camera -> prepare, prepare -> infer, infer -> display, camera -> display]\ndeadlines: [{from: camera, to: display, within: 20}]\n");
  const models = [...["multi-ai-ultrasound", "wlan-decoder", "nbfm-receiver", "endoscopy-tool-tracking", "gpu/vision"].map(example), crew, late];
  const page = await open(browser, report(models, "widths", ["--runs", "5"]));
  await page.addScriptTag({content: fs.readFileSync(path.join(process.env.WEIR_MODULES, "axe-core/axe.min.js"), "utf8")});
  await page.waitForFunction(() => Array.from(document.querySelectorAll("section.live")).every((s) => s.dataset.weighed), null, {timeout: 300000});
  for (const width of [390, 1024, 1440, 2560]) {
    await page.setViewportSize({width, height: 900});
    await page.waitForFunction((w) => Array.from(document.querySelectorAll("figure.timeline svg.tl-lanes")).every((e) => e.getBoundingClientRect().right <= w && e.getBoundingClientRect().width > Math.min(w, 1720) * 0.5 - 40), width);
    await page.waitForFunction((w) => document.documentElement.scrollWidth <= w, width);
    assert.deepEqual(await page.evaluate(clipped), [], `${width}`);
    assert.deepEqual(await page.evaluate(struck), [], `${width}`);
    assert.deepEqual(await page.evaluate(overlaps), [], `${width}`);
    for (const colorScheme of width > 1440 ? [] : ["light", "dark"]) {
      await page.emulateMedia({colorScheme});
      const {violations} = await page.evaluate((only) => axe.run(document, {resultTypes: ["violations"], ...only}),
        colorScheme === "light" ? {} : {runOnly: ["color-contrast", "link-in-text-block"]}); // what else axe asks does not depend on colours
      assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " " + n.failureSummary).join(" | ")}`), [], `${width}, ${colorScheme}`);
    }
    if (width <= 1440) await walk(page, 50, String(width));
    for (const [i, figure] of (width <= 1440 ? await page.locator("figure.timeline:visible").all() : []).entries()) { // a timeline of each engine, with keys alone
      const look = () => figure.evaluate((e) => { const {view} = weirPictures.get(e); return [view.from, view.to]; }), stage = figure.locator(".stage"), before = await look();
      await stage.focus();
      await page.keyboard.press("+");
      const near = await look();
      assert.ok(near[1] - near[0] < 0.7 * (before[1] - before[0]), `${width}: the timeline of model ${i + 1} zooms`);
      await page.keyboard.press("d");
      await page.keyboard.press("0");
      await page.keyboard.press("n");
      assert.notEqual(await figure.locator(".tip").textContent(), "", `${width}, model ${i + 1}`);
      if (!(await figure.evaluate((e) => weirPictures.get(e).data.steps.length))) continue;
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowRight");
      assert.match(await figure.locator(".tip").textContent(), /^Step 2 of \d+/, `${width}, model ${i + 1}`);
      await page.keyboard.press("Escape");
    }
  }
  await close(page);
});

test("on paper: no controls, all of the model, nothing cut off", async () => {
  const page = await open(browser, report([example("multi-ai-ultrasound"), example("wlan-decoder")], "paper"), {viewport: {width: 720, height: 1000}});
  await page.emulateMedia({media: "print"});
  for (const hidden of [".tools", "section.live", "button", ".live-heading"]) assert.ok(await page.locator(hidden).first().isHidden(), hidden);
  assert.deepEqual(await page.evaluate(narrow), []);
  assert.deepEqual(await page.evaluate(() => Array.from(document.querySelectorAll("figure svg, pre.source"))
    .filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 80))), []);
  await close(page);
});

test("the eight applications: nothing overlaps, wide and narrow", async () => {
  const page = await open(browser, report(apps.map(example), "apps"));
  assert.deepEqual(await page.evaluate(overlaps), []);
  assert.deepEqual(await page.evaluate(narrow), []);
  await page.setViewportSize({width: 400, height: 800});
  await settled(page);
  assert.deepEqual(await page.evaluate(narrow), []);
  assert.deepEqual(await page.evaluate(structure), []);
  await close(page);
});

test("60 operators: small, painted at once, recomputed at once", async (t) => {
  const file = scratch("sixty.yaml");
  weir(["generate", "holoscan", "--nodes", "60", "--density", "0.05", "--queue", "2", "--best-ratio", "0.5", "--seed", "4", "-o", file]);
  const html = report(file, "sixty"), size = fs.statSync(html).size;
  assert.ok(size < 2000000, `${size} bytes`);
  const page = await open(browser, html);
  await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length); // told a little later
  const painted = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
  assert.ok(painted < 3000, `first paint after ${painted} ms`);
  assert.deepEqual(await page.evaluate(narrow), []);
  const took = [];
  for (let i = 1; i <= 5; i++) {
    await page.locator("section.live input[type=range]").nth(3).press("ArrowRight");
    await page.waitForFunction((n) => Number(document.querySelector("section.live").dataset.answers) >= n, i);
    took.push(Number(await page.locator("section.live").getAttribute("data-took")));
  }
  took.sort((a, b) => a - b);
  assert.ok(took[2] < 1000, `answers after ${took} ms`);
  t.diagnostic(`${size} bytes, first paint after ${Math.round(painted)} ms, answers after ${took} ms`);
  await close(page);
});

test("thousands of latencies", async () => {
  const names = Array.from({length: 50}, (_, i) => "op" + i), pairs = [];
  for (let i = 0; i < 50; i++) for (let j = i + 1; j < 50; j++) pairs.push(`  - {from: op${i}, to: op${j}, within: ${i === 30 && j === 31 ? 1 : 100000}}\n`);
  const file = write("pairs.yaml", "operators:\n" + names.map((n) => `  ${n}: {time: [1, 9]}\n`).join("") +
    "queues:\n  - " + names.join(" -> ") + "\ndeadlines:\n" + pairs.join(""));
  const html = report(file, "pairs", ["--runs", "2"]);
  assert.ok(fs.statSync(html).size < 4000000, String(fs.statSync(html).size));
  const page = await open(browser, html);
  assert.match(await page.locator(".verdict").textContent(), /^✗ A deadline is missed\. From op30 to op31/);
  assert.match(await page.locator("table.pairs tbody tr").first().textContent(), /op30 → op31/);
  assert.match(await page.locator("main").textContent(), /200 of 1225 latencies, those in trouble first/);
  assert.equal(await page.locator("figure.timeline:not([hidden])").getAttribute("data-pair"), String(pairs.findIndex((p) => p.includes("within: 1}"))));
  await page.locator(".which select").selectOption({index: 1});
  assert.equal(await page.locator("figure.timeline:visible").count(), 1);
  await close(page);
});

// ---- pictures of before ----

// In one font, or not at all: a test that compares fonts tests the machine. UPDATE=1 writes the pictures anew:
//   UPDATE=1 ctest --preset release -R browser_looks
test("the eight applications look as they did", async (t) => {
  const folder = path.join(__dirname, "looks"), update = process.env.UPDATE === "1", style = "* { font-family: 'DejaVu Sans' !important; }";
  const canvas = await blank(browser);
  for (const app of apps) {
    const page = await open(browser, report(example(app), app), {deviceScaleFactor: 0.4, viewport: {width: 1200, height: 1500}});
    await page.waitForFunction(() => document.querySelector("section.live").dataset.weighed, null, {timeout: 300000});
    await page.addStyleTag({content: style});
    const probe = await page.evaluate(() => {
      const span = document.createElement("span");
      span.style.cssText = "position:absolute;visibility:hidden;white-space:pre;font-size:100px";
      span.textContent = "The quick brown weir 0123456789";
      document.body.append(span);
      const {width} = span.getBoundingClientRect();
      span.remove();
      return Math.round(width);
    });
    if (Math.abs(probe - 1738) > 4 && !update) {
      t.skip(`there is no DejaVu Sans here (its text is ${probe} wide)`);
      await close(page);
      break;
    }
    const file = path.join(folder, app + ".png"), shot = await page.screenshot();
    await close(page);
    if (update) {
      fs.mkdirSync(folder, {recursive: true});
      fs.writeFileSync(file, shot);
      t.diagnostic(`${app}: ${shot.length} bytes, probe ${probe}`);
      continue;
    }
    // Blocks of 4 by 4 pixels; the share of them that are not the same grey, give or take a tenth.
    const differ = await canvas.evaluate(async ([a, b]) => {
      const pixels = async (data) => {
        const image = new Image();
        image.src = "data:image/png;base64," + data;
        await image.decode();
        const w = Math.round(image.width / 4), h = Math.round(image.height / 4), c = new OffscreenCanvas(w, h).getContext("2d");
        c.imageSmoothingQuality = "high";
        c.drawImage(image, 0, 0, w, h);
        const {data: p} = c.getImageData(0, 0, w, h);
        return {w, h, grey: Array.from({length: w * h}, (_, i) => (p[4 * i] + p[4 * i + 1] + p[4 * i + 2]) / 3)};
      };
      const [x, y] = [await pixels(a), await pixels(b)];
      if (x.w !== y.w || x.h !== y.h) return 1;
      return x.grey.filter((g, i) => Math.abs(g - y.grey[i]) > 25).length / x.grey.length;
    }, [shot.toString("base64"), fs.readFileSync(file).toString("base64")]);
    t.diagnostic(`${app}: ${(100 * differ).toFixed(2)} % differ`);
    if (differ > 0.02) fs.writeFileSync(path.join(process.env.WEIR_MODULES, "..", app + "-now.png"), shot);
    assert.ok(differ <= 0.02, `${app}: ${(100 * differ).toFixed(1)} % of the picture is not as in looks/${app}.png; UPDATE=1 writes it anew`);
  }
  await close(canvas);
});
