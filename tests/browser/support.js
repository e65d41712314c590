// SPDX-License-Identifier: Apache-2.0
// What the tests of pages share: the program, models with changes made by hand, pages in a browser that may not use a network.
"use strict";

const assert = require("node:assert/strict");
const {spawnSync} = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const root = path.resolve(__dirname, "../..");
const program = process.env.WEIR_PROGRAM;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "weir-pages-"));
process.on("exit", () => fs.rmSync(folder, {recursive: true, force: true}));

const example = (name) => path.join(root, "examples", name + ".yaml");
const scratch = (name) => path.join(folder, name);

// Runs weir; `allowed` are the exit statuses that are no failure. Returns what it prints.
function weir(args, allowed = [0, 1]) {
  const run = spawnSync(program, args, {encoding: "utf8", maxBuffer: 1 << 28, cwd: root});
  assert.ok(allowed.includes(run.status), `weir ${args.slice(0, 6).join(" ")}: status ${run.status}\n${run.stderr}`);
  return run.stdout;
}

// What weir says where it refuses.
function weirFails(args) {
  const run = spawnSync(program, args, {encoding: "utf8", maxBuffer: 1 << 28, cwd: root});
  assert.ok(run.status === 3 || run.status === 2, `weir ${args.join(" ")}: status ${run.status}`);
  return run.stderr;
}

// The report about models, in a file.
function report(models, name = "report", options = []) {
  const file = scratch(name + ".html");
  weir(["report", ...[models].flat(), "-o", file, ...options]);
  return file;
}

// The model as weir writes it, with one line for each operator and each queue.
function canonical(model) {
  const file = scratch("canonical.yaml");
  weir(["convert", model, "-o", file]);
  return fs.readFileSync(file, "utf8");
}

// Such a text with other numbers, without any help of weir. times: {operator: [best, worst]}, capacities: {"from>to": capacity}.
function edited(text, times, capacities) {
  const left = {times: new Set(Object.keys(times)), capacities: new Set(Object.keys(capacities))};
  const bare = (name) => name.replace(/^"(.*)"$/, "$1");
  const lines = text.split("\n").map((line) => {
    const operator = /^  (\S.*?): \{(time: )(\[[^\]]*\]|[^,}]*)(.*)$/.exec(line);
    if (operator && left.times.delete(bare(operator[1]))) {
      const [best, worst] = times[bare(operator[1])];
      return `  ${operator[1]}: {time: [${best}, ${worst}]${operator[4]}`;
    }
    const queue = /^  - \{from: (.*?), to: (.*?), (.*)capacity: [^,}]*(.*)$/.exec(line);
    const ends = queue && `${bare(queue[1])}>${bare(queue[2])}`;
    if (queue && left.capacities.delete(ends)) return `  - {from: ${queue[1]}, to: ${queue[2]}, ${queue[3]}capacity: ${capacities[ends]}${queue[4]}`;
    return line;
  });
  assert.equal(left.times.size + left.capacities.size, 0, "every change has its line");
  return lines.join("\n");
}

function write(name, text) {
  fs.writeFileSync(scratch(name), text);
  return scratch(name);
}

const analyzed = (models, options = []) => weir(["analyze", "--json", ...options, ...[models].flat()], [0, 1, 4]);

// Long texts that are equal; where they are not, only the place is shown.
function same(actual, expected, what) {
  if (actual === expected) return;
  let at = 0;
  while (at < Math.min(actual?.length ?? 0, expected?.length ?? 0) && actual[at] === expected[at]) at++;
  const around = (text) => JSON.stringify(text?.slice(Math.max(0, at - 60), at + 100) ?? text);
  assert.fail(`${what}: differs at ${at}: ${around(actual)}, expected ${around(expected)}`);
}

// ---- a browser ----

// WEIR_BROWSER is found by `run`; playwright-core lies in the build folder. A frame that may reach nothing would be a process of
// its own: what it may do does not depend on that, and starting processes is most of what these tests cost.
const launch = () => require(path.join(process.env.WEIR_MODULES, "playwright-core")).chromium.launch({
  executablePath: process.env.WEIR_BROWSER, args: ["--no-sandbox", "--font-render-hinting=none", "--force-color-profile=srgb", "--disable-gpu",
    "--disable-features=IsolateSandboxedIframes,Translate,OptimizationHints,MediaRouter"]});

// Pages by what they cannot change later; those that are closed are used again, since a page of its own is mostly a process that
// starts. A page keeps nothing, which `close` checks. fresh: a process that nobody had before; once: a page that nobody has after.
const idle = new Map(), contexts = new Map();
async function blank(browser, {viewport = {width: 1240, height: 900}, colorScheme = "light", fresh = false, once = false, ...more} = {}) {
  const kind = JSON.stringify(more), context = () => browser.newContext({permissions: ["clipboard-read", "clipboard-write"], ...more});
  let page = fresh || once ? null : idle.get(kind)?.pop();
  if (!page) {
    if (!fresh && !contexts.has(kind)) contexts.set(kind, await context());
    page = await (fresh ? await context() : contexts.get(kind)).newPage();
    const wait = page.waitForFunction.bind(page); // without a look at every picture, which would have to be drawn
    page.waitForFunction = (what, value, options) => wait(what, value, {polling: 50, ...options});
    page.on("pageerror", (error) => page.trouble.push("an error: " + error.message));
    page.on("console", (message) => page.says(message));
    page.on("dialog", (dialog) => page.asks(dialog));
    page.on("request", (request) => {
      if (!request.url().startsWith(page.address) && !/^(about|blob|data):/.test(request.url())) page.trouble.push("a request: " + request.url());
    });
    page.on("response", (response) => { page.refused += response.status() >= 400; });
  }
  Object.assign(page, {kind, fresh, once, trouble: [], address: "file:", refused: 0});
  page.says = (message) => page.trouble.push(`the console: ${message.type()} ${message.text()}`);
  page.asks = (dialog) => { page.trouble.push("a dialog"); return dialog.dismiss(); };
  await page.setViewportSize(viewport);
  await page.emulateMedia({colorScheme, media: "screen"});
  return page;
}

// Two pictures later everything is drawn anew.
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// A page that reports all that should not happen: errors, and anything asked of a network, which a policy forbids it.
async function open(browser, file, {before, still, ...options} = {}) {
  const page = await blank(browser, {...options, once: Boolean(before)});
  if (before) await page.addInitScript(before);
  await page.goto("file://" + file);
  if (!still) await page.waitForFunction(() => document.documentElement.dataset.live, null, {timeout: 300000});
  return page;
}

async function close(page) {
  assert.deepEqual([page.trouble, await page.evaluate(() => location.protocol === "about:" ? [] : [document.cookie, localStorage.length, sessionStorage.length].filter(Boolean))], [[], []]);
  if (page.fresh || page.once) return (page.fresh ? page.context() : page).close();
  await page.unrouteAll();
  page.asks = (dialog) => dialog.accept();
  await page.goto("file://" + write("blank.html", "<!doctype html><title></title>")); // the same file again would be no new page
  idle.set(page.kind, [...idle.get(page.kind) ?? [], page]);
}

module.exports = {root, folder, program, example, scratch, weir, weirFails, report, canonical, edited, write, analyzed, same, launch, blank, open, settled, close};
