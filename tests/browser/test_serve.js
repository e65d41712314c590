// SPDX-License-Identifier: Apache-2.0
// The editor of weir serve in a real browser: choosing, editing, mistakes, saving, and what the report in its frame may do.
"use strict";

const assert = require("node:assert/strict");
const {spawn} = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const {after, before, test} = require("node:test");
const {program, example, scratch, analyzed, write, launch, blank, close} = require("./support.js");

const folder = scratch("models");
let browser, missing = "";
const servers = [];

// Starts a server; its address, or "" where there is no libmicrohttpd.
function serve(...options) {
  return new Promise((done, fail) => {
    const server = spawn(program, ["serve", folder, "--port", "0", ...options], {stdio: ["ignore", "pipe", "pipe"]});
    let said = "", complained = "";
    servers.push(server);
    server.stderr.on("data", (bytes) => { complained += bytes; });
    server.stdout.on("data", (bytes) => {
      said += bytes;
      const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(said);
      if (found) done(found[0]);
    });
    server.on("exit", () => {
      if (complained.includes("libmicrohttpd")) done("");
      else fail(new Error("the server ended: " + complained));
    });
  });
}

before(async () => {
  fs.mkdirSync(folder);
  fs.copyFileSync(example("camera"), path.join(folder, "camera.yaml"));
  fs.copyFileSync(example("multi-ai-ultrasound"), path.join(folder, "ultrasound.yaml"));
  fs.writeFileSync(path.join(folder, "dos.yaml"), fs.readFileSync(example("camera"), "utf8").replaceAll("\n", "\r\n"));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  servers.forEach((server) => server.kill());
});

// An editor that has had its first answer. page.trouble: errors, and requests to anyone else.
async function edit(t, address, options = {}) {
  if (!address) {
    t.skip("this weir has no server");
    return null;
  }
  const page = await blank(browser, {viewport: {width: 1300, height: 900}, ...options});
  Object.assign(page, {address, accept: true, asked: []});
  page.says = (message) => {
    if (/Failed to load resource/.test(message.text()) && page.refused) return; // the browser tells of each 4xx
    page.trouble.push(`the console: ${message.type()} ${message.text()}`);
  };
  page.asks = (dialog) => {
    page.asked.push(dialog.message() || dialog.type());
    return page.accept ? dialog.accept() : dialog.dismiss();
  };
  await page.goto(address);
  await page.waitForFunction(() => Number(document.body.dataset.answered) > 0, null, {timeout: 300000});
  return page;
}

async function answered(page, act) {
  const count = await page.evaluate(() => Number(document.body.dataset.answered));
  await act();
  await page.waitForFunction((n) => Number(document.body.dataset.answered) > n && !document.querySelector("iframe.coming"), count, {timeout: 300000});
}

const chooser = (page) => page.getByRole("combobox", {name: "Model"});
const choose = (page, model) => answered(page, () => chooser(page).selectOption(model));
const text = (page) => page.getByLabel("The model, as YAML");
const report = (page) => page.frameLocator("iframe#report");
const inner = async (page) => (await page.$("iframe#report")).contentFrame();
const verdict = (page) => report(page).locator(".verdict").textContent();

test("a model is chosen, edited, and its report follows", async (t) => {
  const page = await edit(t, await serve());
  if (!page) return;
  assert.deepEqual(await chooser(page).locator("option").allTextContents(), ["new", "camera.yaml", "dos.yaml", "ultrasound.yaml"]);
  assert.equal(await page.getByRole("button", {name: "Save"}).isVisible(), false);
  await choose(page, "ultrasound.yaml");
  const model = await text(page).inputValue();
  assert.equal(model, fs.readFileSync(example("multi-ai-ultrasound"), "utf8"));
  assert.equal(new URL(page.url()).hash, "#ultrasound.yaml");
  const bound = (file) => String(JSON.parse(analyzed(file)).latency[0].worst);
  assert.ok((await verdict(page)).includes(bound(example("multi-ai-ultrasound")) + " us"));

  const changed = model.replace("[0, 880]", "[0, 1760]");
  assert.notEqual(changed, model);
  await answered(page, () => text(page).fill(changed));
  assert.ok((await verdict(page)).includes(bound(write("changed.yaml", changed)) + " us"), await verdict(page));
  assert.ok((await page.title()).startsWith("\u25cf ultrasound.yaml"));

  // What is not saved is not lost without a question.
  page.accept = false;
  await chooser(page).selectOption("camera.yaml");
  await page.waitForFunction(() => document.getElementById("models").value === "ultrasound.yaml");
  assert.equal(page.asked.length, 1);
  assert.equal(await text(page).inputValue(), changed);
  page.accept = true;
  await choose(page, "camera.yaml");
  assert.equal(await page.title(), "camera.yaml \u2013 weir");
  assert.equal(page.refused, 0);
  await close(page);
});

test("mistakes have a place, and a click leads to it", async (t) => {
  const page = await edit(t, await serve());
  if (!page) return;
  await choose(page, "camera.yaml");
  const before = await verdict(page);
  await answered(page, () => text(page).fill("weir: 1\nname: \u00e4\u{1F600}\noperators:\n  a: {time: [2, 1]}\n  \u{1F600}: {tim: 3}\nqueues:\n  - a -> nobody\n"));
  const list = page.locator("#mistakes button"), words = await list.allTextContents();
  assert.ok(words.length >= 2, words.join("; "));
  assert.match(await page.getByRole("status").textContent(), /mistakes/);
  for (const [i, word] of words.entries()) {
    const [, line, column] = /^line (\d+), column (\d+): /.exec(word).map(Number);
    await list.nth(i).click();
    const [start, end, value, focus] = await page.evaluate(() => {
      const e = document.activeElement;
      return [e.selectionStart, e.selectionEnd, e.value, e.id];
    });
    assert.equal(focus, "text");
    assert.ok(end > start);
    const above = value.slice(0, start).split("\n");
    assert.equal(above.length, line);
    assert.equal(Array.from(above.at(-1)).length + 1, column, word);
  }
  assert.equal(await verdict(page), before); // the last report stays
  await answered(page, () => text(page).fill("operators: {a: {time: 3}}"));
  assert.equal(await list.count(), 0);
  assert.ok((await verdict(page)).includes("3"));
  assert.ok(page.refused > 0);
  await close(page);
});

test("lines have numbers, and mistakes are marked where they are", async (t) => {
  const page = await edit(t, await serve());
  if (!page) return;
  await answered(page, () => text(page).fill("operators:\n  a: {time: 3}\n  b: {tim: 4}\nqueues:\n  - a -> c\n"));
  const drawn = () => page.evaluate(() => ({numbers: Array.from(document.querySelectorAll(".numbers > div"), (e) => e.textContent),
    wrong: Array.from(document.querySelectorAll(".numbers .wrong"), (e) => e.textContent),
    marks: Array.from(document.querySelectorAll(".marks u"), (e) => e.textContent)}));
  let {numbers, wrong, marks} = await drawn();
  assert.deepEqual(numbers, ["1", "2", "3", "4", "5", "6"]);
  assert.deepEqual(wrong, ["3", "5"]);
  assert.deepEqual(marks, ["tim", "c"]);
  // The mark lies under the word, and the number beside its line.
  const places = await page.evaluate(() => {
    const box = (e) => e.getBoundingClientRect(), u = document.querySelector(".marks u"), area = document.getElementById("text");
    const line = parseFloat(getComputedStyle(area).lineHeight);
    return {mark: box(u).top - box(area).top, number: box(document.querySelector(".numbers .wrong")).top - box(area).top, expected: 12 + 2 * line, line};
  });
  assert.ok(Math.abs(places.mark - places.expected) < places.line / 2 && Math.abs(places.number - places.expected) < places.line / 2, JSON.stringify(places));
  // Of a long text only what is in view is drawn, and scrolling moves it along.
  await answered(page, () => text(page).fill("operators:\n  a: 1\n" + Array.from({length: 499}, (_, i) => `# ${i}`).join("\n") + "\n"));
  await page.evaluate(() => { document.getElementById("text").scrollTop = 1e6; });
  await page.waitForFunction(() => document.querySelector(".numbers").lastElementChild.textContent === "502");
  ({numbers} = await drawn());
  assert.ok(numbers.length < 100);
  await close(page);
});

test("keys and names are completed", async (t) => {
  const page = await edit(t, await serve());
  if (!page) return;
  await text(page).fill("");
  const type = (words) => page.keyboard.type(words);
  const choices = () => page.locator("#choices:not([hidden]) [role=option]").allTextContents();
  await type("oper");
  assert.ok((await choices()).some((c) => c.startsWith("operators")), "a key at the top");
  await page.keyboard.press("Tab");
  assert.equal(await text(page).inputValue(), "operators: ");
  await page.keyboard.press("Backspace");
  await type("\n  camera: {ti");
  await page.keyboard.press("ArrowDown");
  assert.equal(await text(page).getAttribute("aria-activedescendant"), "choice-0");
  await page.keyboard.press("Enter");
  await type("3, reen");
  await page.keyboard.press("Tab");
  await type("t");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Escape");
  await type("}\ndisplay: 4\n");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await type("queues:\n  - cam");
  await page.keyboard.press("Tab");
  await type(" -> dis");
  await page.keyboard.press("Tab");
  assert.equal(await text(page).inputValue(), "operators:\n  camera: {time: 3, reentrant: true}\n  display: 4\nqueues:\n  - camera -> display");
  await page.keyboard.press("Control+End");
  await type("\n");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await type("source: {");
  await page.keyboard.press("Control+Space");
  assert.ok((await choices()).some((c) => c.startsWith("operator")) && (await choices()).some((c) => c.startsWith("period")));
  await page.keyboard.press("Escape");
  assert.deepEqual(await choices(), []);
  await page.keyboard.press("Control+z");
  await close(page);
});

test("a verdict is never beside another model's text", async (t) => {
  const page = await edit(t, await serve());
  if (!page) return;
  let go;
  await page.route("**/api/report**", async (route) => {
    await new Promise((done) => { go = done; });
    await route.continue();
  });
  const state = () => page.evaluate(() => [document.querySelector(".right").classList.contains("stale"), document.getElementById("state").textContent]);
  await page.waitForFunction(() => !document.querySelector(".right").classList.contains("stale"));
  assert.deepEqual(await state(), [false, ""]);
  let typed = false;
  const done = answered(page, async () => {
    await text(page).fill("operators: {a: {time: 3}}");
    typed = true;
  });
  while (!typed) await page.waitForTimeout(10);
  assert.deepEqual(await state(), [true, "analysing \u2026"]);
  while (!go) await page.waitForTimeout(20);
  assert.deepEqual(await state(), [true, "analysing \u2026"]);
  go();
  await done;
  await page.waitForFunction(() => !document.querySelector(".right").classList.contains("stale"));
  assert.deepEqual(await state(), [false, ""]);
  assert.ok((await verdict(page)).includes("3"));
  await close(page);
});

test("a limit is not a mistake, and a save that fails stays said", async (t) => {
  const page = await edit(t, await serve("--write"));
  if (!page) return;
  await choose(page, "camera.yaml");
  page.refused = 1; // the browser tells of each
  await page.route("**/api/report**", (route) => route.fulfill({status: 503, contentType: "text/plain", body: "too much for this server\n"}), {times: 1});
  await answered(page, async () => text(page).fill(await text(page).inputValue() + "# longer\n"));
  assert.match(await page.getByRole("status").textContent(), /^a limit was reached/);
  assert.equal(await page.locator("#mistakes.limit").textContent(), "too much for this server");
  await page.route("**/api/model**", (route) => route.request().method() === "PUT" ? route.fulfill({status: 500, contentType: "text/plain", body: "the model could not be written\n"}) : route.continue());
  await page.getByRole("button", {name: "Save"}).click();
  const failed = page.getByRole("alert");
  await failed.filter({hasText: "not saved: the model could not be written"}).waitFor();
  await answered(page, async () => text(page).fill(await text(page).inputValue() + "# more\n"));
  assert.equal(await failed.textContent(), "not saved: the model could not be written");
  await page.unroute("**/api/model**");
  await page.getByRole("button", {name: "Save"}).click();
  await page.waitForFunction(() => document.getElementById("failed").textContent === "");
  await close(page);
});

test("sliders write into the text, and boxes lead to it", async (t) => {
  const page = await edit(t, await serve());
  if (!page) return;
  await choose(page, "ultrasound.yaml");
  const model = await text(page).inputValue(), frame = await inner(page);
  await frame.waitForFunction(() => document.documentElement.dataset.live, null, {timeout: 300000});
  const moved = async (selector, value) => {
    const count = await frame.evaluate(() => Number(document.querySelector("section.live").dataset.answers) || 0);
    const field = frame.locator(selector).first();
    await field.fill(value);
    await field.press("Enter");
    await frame.waitForFunction((n) => (Number(document.querySelector("section.live").dataset.answers) || 0) > n, count, {timeout: 300000});
  };
  await moved('input[aria-label*="aortic_ste_pre"]:not([type=range])', "1760");
  await page.waitForFunction((old) => document.getElementById("text").value !== old, model);
  const changed = await text(page).inputValue(), lines = (words) => words.split("\n");
  assert.equal(lines(changed).filter((line, i) => line !== lines(model)[i]).length, 1, "one line differs");
  assert.match(changed, /aortic_ste_pre:.*1760/);
  const worst = String(JSON.parse(analyzed(write("slid.yaml", changed))).latency[0].worst);
  assert.ok((await verdict(page)).includes(worst + " us"), worst);
  assert.equal(await page.evaluate(() => document.querySelector(".right").classList.contains("stale")), false);
  await frame.getByRole("button", {name: "Reset"}).first().click();
  await page.waitForFunction((old) => document.getElementById("text").value === old, model);
  // A list of receivers is spelled out where one of its queues changes.
  await moved('input[aria-label="capacity of replayer \u2192 replayer.broadcast, as a number"]', "3");
  await page.waitForFunction((old) => document.getElementById("text").value !== old, model);
  const listed = await text(page).inputValue(), unfolded = JSON.parse(analyzed(write("listed.yaml", listed))).latency[0].worst;
  assert.match(listed, /- \{from: replayer, to: replayer\.broadcast, capacity: 3\}\n  - replayer\.broadcast -> plax_cham_pre\n/);
  assert.ok(unfolded > 6000 && (await verdict(page)).includes(unfolded + " us"), `${unfolded}`);
  await frame.getByRole("button", {name: "Reset"}).first().click();
  await page.waitForFunction((old) => document.getElementById("text").value === old, model);
  // A click on a box selects its time.
  await frame.locator(".wd-operator", {hasText: "aortic_ste_pre"}).first().click();
  const selected = () => page.evaluate(() => { const e = document.getElementById("text"); return e.value.slice(e.selectionStart, e.selectionEnd); });
  await page.waitForFunction(() => document.activeElement.id === "text");
  assert.equal(await selected(), "[0, 880]");
  // What has no place in the text is not shown beside it as if it were what the text says.
  await answered(page, () => text(page).fill("operators: {a: [1, 3], b: 2, c: 3}\nqueues:\n  - {from: a, to: [b, c], broadcast: {time: 0}}\n"));
  const other = await inner(page), stale = () => page.evaluate(() => document.querySelector(".right").classList.contains("stale"));
  await other.waitForFunction(() => document.documentElement.dataset.live, null, {timeout: 300000});
  assert.equal(await stale(), false);
  await other.locator('input[aria-label="capacity of a \u2192 a.broadcast, as a number"]').fill("3");
  await other.locator('input[aria-label="capacity of a \u2192 a.broadcast, as a number"]').press("Enter");
  await page.waitForFunction(() => document.querySelector(".right").classList.contains("stale"));
  assert.match(await page.getByRole("status").textContent(), /no place in this text/);
  await other.getByRole("button", {name: "Reset"}).first().click();
  await page.waitForFunction(() => !document.querySelector(".right").classList.contains("stale"));
  await close(page);
});

test("sliders write numbers of any kind: times in braces, deadlines, periods, loads of kernels", async (t) => {
  const page = await edit(t, await serve());
  if (!page) return;
  const models = [
    ["operators: {a: 1ms, b: [2ms, 3ms]} # fast\nqueues: [a -> b]\nsource: {operator: a, period: 10ms}\ndeadlines: [{from: a, to: b, within: 20ms}]\n",
      [["worst of a", "2", "a: 1ms", "a: [1ms, 2ms]"], ["period of a", "12", "10ms", "12ms"], ["within of a \u2192 b", "30", "20ms", "30ms"], ["capacity of a \u2192 b", "2", "[a -> b]", "[{from: a, to: b, capacity: 2}]"]]],
    ["unit: us\nplatform: {cores: 2}\noperators:\n  a: {cost: {init: 3, per-sample: 1}}\nsources: # one\n  - operator: a\n    period: 20\n",
      [["cores", "3", "cores: 2", "cores: 3"], ["cost.init of a", "4", "init: 3", "init: 4"], ["period of a", "21", "period: 20", "period: 21"]]],
    ["operators: {a: 4, b: 6, v: [1, 3]}\nqueues: [{from: a, to: v, capacity: 4, full: pop, port: in}, {from: b, to: v, capacity: 4, full: pop, port: in}]\n", // one queue
      [["capacity of a \u2192 v", "5", "capacity: 4, full: pop, port: in}, {from: b, to: v, capacity: 4", "capacity: 5, full: pop, port: in}, {from: b, to: v, capacity: 5"]]],
    ["unit: us\nplatform: {gpu: {sms: 6, deadline: 30}}\nkernels: {load: 4, blur: {load: 12}}\ndependencies: [load -> blur]\n",
      [["sms", "8", "sms: 6", "sms: 8"], ["load of load", "5", "load: 4", "load: 5"], ["load of blur", "13", "load: 12", "load: 13"], ["deadline", "40", "deadline: 30", "deadline: 40"]]],
  ];
  for (const [model, moves] of models) {
    await answered(page, () => text(page).fill(model));
    const frame = await inner(page);
    await frame.waitForFunction(() => document.documentElement.dataset.live, null, {timeout: 300000});
    await frame.evaluate(() => document.querySelectorAll("details.more-sliders").forEach((d) => { d.open = true; }));
    let expected = model;
    for (const [name, value, before, after] of moves) {
      const field = frame.getByRole("textbox", {name: name + ", as a number", exact: true});
      expected = expected.replace(before, after);
      await field.fill(value);
      await field.press("Enter");
      await page.waitForFunction((words) => document.getElementById("text").value === words, expected, {timeout: 20000}).catch(async () => assert.equal(await text(page).inputValue(), expected, name));
    }
  }
  await close(page);
});

test("models and reports are downloaded", async (t) => {
  const page = await edit(t, await serve());
  if (!page) return;
  await choose(page, "camera.yaml");
  for (const [button, file, begins] of [["get-model", "camera.yaml", fs.readFileSync(example("camera"), "utf8").slice(0, 40)], ["get-report", "camera.html", "<!doctype html>"]]) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#" + button).click()]);
    assert.equal(download.suggestedFilename(), file);
    assert.ok(fs.readFileSync(await download.path(), "utf8").startsWith(begins), file);
  }
  await close(page);
});

test("too many connections are told so", async (t) => {
  const address = await serve();
  if (!address) return t.skip("this weir has no server");
  const {port} = new URL(address), net = require("node:net"), sockets = [];
  for (let i = 0; i < 64; i++) sockets.push(await new Promise((done, fail) => { const s = net.connect(port, "127.0.0.1", () => done(s)).on("error", fail); }));
  const answer = await new Promise((done, fail) => {
    let said = "";
    const s = net.connect(port, "127.0.0.1", () => s.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`)).on("error", fail);
    s.on("data", (bytes) => { said += bytes; });
    s.on("end", () => done(said));
  });
  sockets.forEach((s) => s.destroy());
  assert.match(answer, /^HTTP\/1.1 503 /);
  assert.match(answer, /too many connections: this server keeps 64 open/);
});

test("the report stays where it was read", async (t) => {
  const page = await edit(t, await serve());
  if (!page) return;
  await choose(page, "ultrasound.yaml");
  await (await inner(page)).evaluate(() => scrollTo(0, 700));
  await page.waitForTimeout(300);
  const at = await (await inner(page)).evaluate(() => scrollY);
  assert.ok(at > 500);
  await answered(page, async () => text(page).fill(await text(page).inputValue() + "\n# changed\n"));
  assert.equal(await (await inner(page)).evaluate(() => scrollY), at);
  await choose(page, "camera.yaml");
  assert.equal(await (await inner(page)).evaluate(() => scrollY), 0);
  await close(page);
});

test("the report computes in its frame, and reaches nothing else", async (t) => {
  const address = await serve("--write"), page = await edit(t, address);
  if (!page) return;
  await choose(page, "ultrasound.yaml");
  const frame = await inner(page);
  await frame.waitForFunction(() => document.documentElement.dataset.live, null, {timeout: 300000});
  const live = frame.locator("section.live"), slider = frame.getByRole("slider").first();
  const count = Number(await live.getAttribute("data-answers")) || 0;
  await slider.focus();
  await slider.press("End");
  await frame.waitForFunction((n) => Number(document.querySelector("section.live").dataset.answers) > n, count, {timeout: 300000});
  const trouble = page.trouble.splice(0);
  assert.deepEqual(trouble, []);
  const reached = await frame.evaluate(async (url) => {
    const found = [];
    const attempt = async (what, act) => { try { await act(); found.push(what); } catch { /* as it should be */ } };
    await attempt("fetch", () => fetch(url + "api/models"));
    await attempt("fetch without cors", () => fetch(url + "api/models", {mode: "no-cors"}));
    await attempt("parent", () => parent.document.title);
    await attempt("storage", () => localStorage.length);
    await attempt("cookie", () => document.cookie);
    await attempt("image", () => new Promise((y, n) => Object.assign(new Image(), {onload: y, onerror: n, src: url + "api/models"})));
    await attempt("navigation", () => { top.location = "about:blank"; });
    return found;
  }, address);
  assert.deepEqual(reached, []);
  page.trouble.length = 0; // the browser tells of each of them
  assert.equal(page.url().startsWith(address), true);
  await close(page);
});

test("saving", async (t) => {
  const page = await edit(t, await serve("--write"));
  if (!page) return;
  const file = path.join(folder, "camera.yaml"), read = (name) => fs.readFileSync(path.join(folder, name), "utf8");
  await choose(page, "camera.yaml");
  const model = await text(page).inputValue();
  const status = (words) => page.waitForFunction((w) => document.getElementById("state").textContent.startsWith(w), words, {timeout: 300000});
  const failed = (words) => page.waitForFunction((w) => document.getElementById("failed").textContent.startsWith(w), words, {timeout: 300000});
  await answered(page, () => text(page).fill(model + "# one\n"));
  await text(page).press("Control+s");
  await status("saved");
  assert.equal(read("camera.yaml"), model + "# one\n");
  assert.equal(await page.title(), "camera.yaml \u2013 weir");
  assert.deepEqual(page.asked, []);

  // Another program was there in the meantime.
  fs.writeFileSync(file, model + "# other\n");
  await answered(page, () => text(page).fill(model + "# two\n"));
  page.accept = false;
  await page.getByRole("button", {name: "Save"}).click();
  await failed("not saved");
  assert.match(page.asked.at(-1), /changed by another program/);
  assert.equal(read("camera.yaml"), model + "# other\n");
  page.accept = true;
  await page.getByRole("button", {name: "Save"}).click();
  await status("saved");
  assert.equal(read("camera.yaml"), model + "# two\n");

  // Under another name; over one that exists; under one that cannot be.
  await page.getByLabel("Save as").fill("fresh.yaml");
  await page.getByRole("button", {name: "Save"}).click();
  await page.waitForFunction(() => document.getElementById("models").value === "fresh.yaml");
  assert.equal(read("fresh.yaml"), model + "# two\n");
  await page.getByLabel("Save as").fill("ultrasound.yaml");
  page.accept = false;
  await page.getByRole("button", {name: "Save"}).click();
  await failed("not saved");
  assert.match(page.asked.at(-1), /There is a ultrasound.yaml already/);
  await page.getByLabel("Save as").fill("../escaped.yaml");
  page.accept = true;
  await page.getByRole("button", {name: "Save"}).click();
  await failed("not saved: that is not a name for a model");
  assert.equal(fs.existsSync(scratch("escaped.yaml")), false);

  // Line ends stay what they were.
  await choose(page, "dos.yaml");
  await answered(page, async () => text(page).fill(await text(page).inputValue() + "# end\n"));
  await page.getByRole("button", {name: "Save"}).click();
  await status("saved");
  assert.equal(read("dos.yaml"), fs.readFileSync(example("camera"), "utf8").replaceAll("\n", "\r\n") + "# end\r\n");
  await close(page);
});

test("leaving with changes is asked about", async (t) => {
  const page = await edit(t, await serve());
  if (!page) return;
  await text(page).click();
  await page.keyboard.press("Control+End");
  await answered(page, () => page.keyboard.type("\n# more"));
  await page.reload();
  assert.deepEqual(page.asked, ["beforeunload"]);
  await close(page);
});

test("all of it with the keyboard, and lines keep their indentation", async (t) => {
  const page = await edit(t, await serve("--write"));
  if (!page) return;
  const stops = [];
  for (let i = 0; i < 7; i++) {
    await page.keyboard.press("Tab");
    stops.push(await page.evaluate(() => {
      const e = document.activeElement;
      return (getComputedStyle(e).outlineStyle === "none" ? "UNSEEN " : "") + e.id;
    }));
  }
  assert.deepEqual(stops, ["models", "name", "save", "ask", "get-model", "get-report", "text"]);
  await text(page).fill("a:\n  b: 1");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\nc: 2");
  assert.equal(await text(page).inputValue(), "a:\n  b: 1\n  c: 2");
  await answered(page, () => page.keyboard.press("Control+Enter"));
  await close(page);
});

test("narrow, wide and dark", async (t) => {
  const address = await serve();
  for (const [width, scheme] of [[800, "light"], [380, "dark"], [1600, "dark"]]) {
    const page = await edit(t, address, {viewport: {width, height: 900}, colorScheme: scheme});
    if (!page) return;
    const sizes = await page.evaluate(() => {
      const box = (s) => document.querySelector(s).getBoundingClientRect();
      return {over: document.documentElement.scrollWidth - innerWidth, high: document.documentElement.scrollHeight - innerHeight,
        text: box("#text"), frame: box("iframe"), back: getComputedStyle(document.body).backgroundColor};
    });
    assert.ok(sizes.over <= 0 && sizes.high <= 0, JSON.stringify(sizes));
    assert.ok(sizes.text.width > 250 && sizes.text.height > 200 && sizes.frame.width > 350 && sizes.frame.height > 300, JSON.stringify(sizes));
    assert.equal(sizes.frame.top >= sizes.text.bottom, width <= 800);
    assert.equal(sizes.back, scheme === "dark" ? "rgb(20, 23, 28)" : "rgb(255, 255, 255)");
    await close(page);
  }
});

// One page, seen in every way: it fits, axe finds nothing, and the keyboard alone reaches all of it.
test("at 390, 1024 and 1440 px, in light and dark: fits, axe is clean, all of it with the keyboard", async (t) => {
  const page = await edit(t, await serve("--write"));
  if (!page) return;
  const axe = fs.readFileSync(path.join(process.env.WEIR_MODULES, "axe-core/axe.min.js"), "utf8"), complaints = ({violations}) =>
    violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " " + n.failureSummary).join(" | ")}`);
  await answered(page, () => text(page).fill("operators:\n  a: {time: 3}\n  b: {tim: 4}\n")); // with a mistake: its list has to be reached, too
  await page.evaluate(axe);
  for (const width of [390, 1024, 1440]) {
    await page.setViewportSize({width, height: 900});
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({colorScheme});
      await page.waitForFunction((w) => document.documentElement.scrollWidth <= w && document.documentElement.scrollHeight <= innerHeight, width);
      const {outside, back} = await page.evaluate(() => ({back: getComputedStyle(document.body).backgroundColor,
        outside: Array.from(document.querySelectorAll("header *, #mistakes button, #text, iframe")).filter((e) => {
          const box = e.getBoundingClientRect();
          return e.checkVisibility() && box.width > 0 && (box.left < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1);
        }).map((e) => e.outerHTML.slice(0, 120))}));
      assert.deepEqual(outside, [], `${width}, ${colorScheme}`);
      assert.equal(back, colorScheme === "dark" ? "rgb(20, 23, 28)" : "rgb(255, 255, 255)");
      assert.deepEqual(complaints(await page.evaluate(() => axe.run(document, {iframes: false, resultTypes: ["violations"]}))), [], `${width}, ${colorScheme}`);
    }
    await page.locator("h1").click(); // from the beginning of the page
    const stops = [], mistakes = await page.locator("#mistakes button").count();
    for (let i = 0; i < 7 + mistakes; i++) {
      await page.keyboard.press("Tab");
      stops.push(await page.evaluate(() => (getComputedStyle(document.activeElement).outlineStyle === "none" ? "UNSEEN " : "") + (document.activeElement.id || document.activeElement.closest("[id]")?.id)));
    }
    assert.deepEqual(stops, ["models", "name", "save", "ask", "get-model", "get-report", "text", ...Array(mistakes).fill("mistakes")], String(width));
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "text", "a mistake leads to its place");
  }
  await close(page);
});

test("a large model, and a server that has gone", async (t) => {
  const page = await edit(t, await serve());
  if (!page) return;
  const many = Array.from({length: 80}, (_, i) => i);
  await answered(page, () => text(page).fill("operators:\n" + many.map((i) => `  o${i}: {time: [1, ${i % 9 + 2}]}`).join("\n") +
    "\nqueues:\n  - " + many.map((i) => "o" + i).join(" -> ") + "\n"));
  assert.match(await verdict(page), /worst case is known|takes at most/);
  await answered(page, () => text(page).fill("#".repeat((1 << 20) + 1)));
  assert.match(await page.locator("#mistakes").textContent(), /at most 1 MiB/);
  assert.match(await page.getByRole("status").textContent(), /^a limit was reached/);
  servers.at(-1).kill();
  await new Promise((done) => servers.at(-1).on("exit", done));
  page.refused = 1; // a connection that is refused is told of, too
  await answered(page, () => text(page).fill("operators: {a: {time: 3}}"));
  assert.match(await page.getByRole("status").textContent(), /does not answer/);
  await close(page);
});
