// SPDX-License-Identifier: Apache-2.0
// The documentation as pages: read from a file, without a network, on narrow and wide screens, in light and dark.
"use strict";

const assert = require("node:assert/strict");
const {spawnSync} = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const {before, after, test} = require("node:test");
const {root, program, scratch, example, canonical, edited, write, analyzed, launch, open, close} = require("./support.js");

const site = scratch("site");
const made = spawnSync(path.join(root, "scripts/docs"), [program, site], {encoding: "utf8"});
const page = (name) => path.join(site, name);
let browser;

before(async () => {
  assert.equal(made.status, 0, made.stderr);
  browser = await launch();
});
after(() => browser?.close());

// Every page that is no report: those have tests of their own.
function all(folder = site) {
  return fs.readdirSync(folder, {withFileTypes: true}).flatMap((entry) => {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "reports" ? [] : all(name);
    return name.endsWith(".html") ? [name] : [];
  });
}

// In the page: what is wider than the screen; text whose contrast with its ground is below 4.5; landmarks, headings, names.
function faults() {
  // What was found out of a colour, and of what lies behind an element, is kept: most texts share both.
  const out = [], kept = (find) => { const known = new Map(); return (of) => known.get(of) ?? (known.set(of, find(of)), known.get(of)); };
  const parse = (text) => (/rgba?\(([^)]*)\)/.exec(text)?.[1] ?? "0,0,0,0").split(",").map(Number);
  const light = kept((text) => parse(text).slice(0, 3).map((c) => c / 255).map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0));
  const ground = kept((element) => {
    const colour = getComputedStyle(element).backgroundColor;
    return parse(colour)[3] !== 0 ? colour : element.parentElement ? ground(element.parentElement) : getComputedStyle(document.body).backgroundColor;
  });
  if (document.documentElement.scrollWidth > innerWidth) out.push(`wider than the screen: ${document.documentElement.scrollWidth}`);
  for (const tag of ["header", "nav", "main", "footer"]) if (!document.querySelector(tag)) out.push(`no ${tag}`);
  if (document.querySelectorAll("h1").length !== 1) out.push(`${document.querySelectorAll("h1").length} h1`);
  let last = 1;
  for (const heading of document.querySelectorAll("article :is(h1, h2, h3, h4, h5, h6)")) {
    const level = Number(heading.tagName[1]);
    if (level > last + 1) out.push(`h${level} below h${last}: ${heading.textContent}`);
    last = level;
  }
  for (const image of document.querySelectorAll("img")) if (!image.alt) out.push(`no words for ${image.src}`);
  for (const frame of document.querySelectorAll("iframe")) if (!frame.title) out.push(`no words for ${frame.src}`);
  const seen = new Set(), walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!walk.currentNode.textContent.trim() || seen.has(element) || !element.checkVisibility()) continue;
    seen.add(element);
    const ink = light(getComputedStyle(element).color), back = light(ground(element));
    const contrast = (Math.max(ink, back) + 0.05) / (Math.min(ink, back) + 0.05);
    if (contrast < 4.5) out.push(`contrast ${contrast.toFixed(2)}: ${element.textContent.slice(0, 40)}`);
  }
  return out;
}

// Each is loaded once and then seen in every way: loading is most of the work.
test("every page at 390, 1024 and 1440 px, in light and dark: fits, can be read, asks nothing of a network", async () => {
  const files = all(), view = await open(browser, files[0], {still: true});
  assert.ok(files.length > 60, `${files.length} pages`);
  const ways = [[390, "light"], [390, "dark"], [1024, "dark"], [1440, "dark"], [1440, "light"]];
  for (const file of files) {
    await view.goto("file://" + file, {waitUntil: "domcontentloaded"});
    for (const [width, colorScheme] of ways.reverse()) { // each page begins as the last one ended
      if (view.viewportSize().width !== width) await view.setViewportSize({width, height: 400});
      await view.emulateMedia({colorScheme});
      assert.deepEqual(await view.evaluate(faults), [], `${path.relative(site, file)} at ${width}, ${colorScheme}`);
    }
  }
  await close(view);
});

test("the search finds a section, by the keyboard alone", async () => {
  const view = await open(browser, page("guide/see.html"), {still: true});
  await view.keyboard.press("/");
  await view.keyboard.type("bottleneck cycle ratio");
  await view.waitForSelector("#results li a");
  assert.match(await view.textContent("#found"), /^[0-9]+ places?/);
  assert.match(await view.textContent("#results li"), /bottleneck/i);
  await view.keyboard.press("ArrowDown");
  await view.keyboard.press("Enter");
  await view.waitForURL((url) => !url.pathname.endsWith("see.html"));
  assert.ok(view.url().startsWith("file://" + site), view.url());
  await view.fill("#query", "no such words anywhere");
  await view.waitForFunction(() => document.querySelector("#found").textContent === "Nothing found");
  await view.keyboard.press("Escape");
  assert.ok(await view.isHidden("#results"));
  await close(view);
});

test("code is copied: of a session the commands", async () => {
  const view = await open(browser, page("index.html"), {still: true});
  const copied = async (box) => {
    await box.hover();
    await box.getByRole("button").click();
    return view.evaluate(() => navigator.clipboard.readText());
  };
  const session = view.locator(".code", {has: view.locator("pre.console")}).first(), shell = view.locator(".code", {has: view.locator("pre.sh")}).first();
  assert.match(await copied(session), /^make run /);
  assert.equal(await copied(shell), await shell.locator("pre").textContent());
  await close(view);
});

test("the menu opens on a narrow screen, and a page leads to the next", async () => {
  const view = await open(browser, page("index.html"), {still: true, viewport: {width: 390, height: 800}});
  assert.ok(await view.isHidden("#pages"));
  await view.click(".menu");
  assert.equal(await view.getAttribute(".menu", "aria-expanded"), "true");
  assert.ok(await view.isVisible("#pages"));
  await view.click('a[rel="next"]');
  assert.equal(path.relative(site, new URL(view.url()).pathname), "start.html");
  await view.click('a[rel="prev"]');
  assert.equal(path.relative(site, new URL(view.url()).pathname), "index.html");
  await close(view);
});

test("without scripts all pages can be reached", async () => {
  const view = await open(browser, page("guide/see.html"), {still: true, javaScriptEnabled: false, viewport: {width: 390, height: 800}});
  assert.ok(await view.isVisible("#pages a"));
  assert.ok(await view.isHidden(".search"));
  await close(view);
});

test("the live report in a page computes what the program does", async () => {
  const view = await open(browser, page("guide/see.html"), {still: true});
  await view.locator("iframe").scrollIntoViewIfNeeded();
  const frame = view.frames().find((one) => one.url().includes("/reports/")) ?? await view.waitForEvent("framenavigated");
  await frame.waitForFunction(() => document.documentElement.dataset.live, null, {timeout: 60000});
  const field = frame.getByRole("textbox", {name: "worst of holoviz, as a number", exact: true});
  await field.fill("900");
  await field.press("Tab");
  await frame.waitForFunction(() => document.querySelector("section.live .answer .bound"), null, {timeout: 60000});
  const model = write("changed.yaml", edited(canonical(example("multi-ai-ultrasound")), {holoviz: [0, 900]}, {}));
  const {worst} = JSON.parse(analyzed(model)).latency[0];
  assert.equal(await frame.locator("section.live .answer .bound").textContent(), `${worst} us`);
  await close(view);
});
