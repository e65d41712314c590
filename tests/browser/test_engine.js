// SPDX-License-Identifier: Apache-2.0
// The engines as WebAssembly, as a page has them, against the program: the same bytes, whatever is changed.
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const zlib = require("node:zlib");
const {test} = require("node:test");
const {root, weir, weirFails, report, canonical, edited, write, analyzed, same, example, scratch} = require("./support.js");
const {WeirLive, WeirHost, WeirRefusal, weirMark} = require(path.join(root, "src/render/html/assets/live.js"));

const {weirFormat, WeirClock} = require(path.join(root, "src/render/html/assets/time.js"));
const {weirRewrite} = require(path.join(root, "src/render/html/assets/model_text.js"));

// Taken out of a page: what is tested is what people get.
function unpack(file) {
  const text = fs.readFileSync(file, "utf8");
  const bytes = zlib.gunzipSync(Buffer.from(/<script type="text\/plain" id="engine" data-packed="gzip">([^<]*)<\/script>/.exec(text)[1], "base64"));
  const models = Array.from(text.matchAll(/<script type="application\/json" class="live-model"[^>]*>([^<]*)<\/script>/g), (m) => JSON.parse(m[1]));
  return {bytes, models};
}

const ask = ({model}, more = {}) => ({model, changes: [], pictures: [], limit: "0", ...more});
const time = (operator, best, worst) => `${operator}.time=[${best}, ${worst}]`;
const capacity = (ends, places) => `${ends.replace(">", "->")}.capacity=${places}`;

function random(seed) { // xorshift
  let x = BigInt(seed) * 2654435769n + 88172645463325252n & (1n << 64n) - 1n;
  return (below) => {
    x ^= x << 13n & (1n << 64n) - 1n;
    x ^= x >> 7n;
    x ^= x << 17n & (1n << 64n) - 1n;
    return Number(x % BigInt(below));
  };
}

// Examples of every engine, and the models of other tests that use what no example does.
const named = (folder) => fs.readdirSync(path.join(root, folder)).filter((name) => name.endsWith(".yaml")).map((name) => path.join(root, folder, name));
const examples = [...named("examples"), ...named("examples/gpu"), ...named("examples/published")];

test("the examples of every engine, as they are", async () => {
  const crew = write("crew.yaml", "unit: ms\nplatform: {scheduler: event-based, workers: 2}\noperators: {camera: 3, prepare: 5, infer: 10, display: 4}\n" +
    "queues: [camera -> prepare, prepare -> infer, infer -> display, camera -> display]\ndeadlines: [{from: camera, to: display, within: 20}]\n");
  const files = [...examples, crew], html = scratch("all.html");
  weir(["report", ...files, "-o", html, "--runs", "1", "--iterations", "1"], [0, 1, 4]);
  const {bytes, models} = unpack(html);
  assert.equal(models.length, files.length);
  const host = new WeirHost(bytes), engines = new Set();
  for (const [i, file] of files.entries()) {
    const {worst} = await host.answer(ask(models[i], {parts: true})), pictures = [Math.max(0, worst)];
    const answer = await host.answer(ask(models[i], {pictures, kind: "gantt"})), json = analyzed(file), picture = scratch("picture.svg"), trace = scratch("trace.json");
    same(answer.json, json, file);
    engines.add(JSON.parse(json).engine);
    if (answer.pictures[0]?.text === undefined) continue;
    weir(["analyze", file, "--gantt", picture], [0, 1, 4]);
    same(answer.pictures[0].text, fs.readFileSync(picture, "utf8"), file);
    const written = await host.answer(ask(models[i], {pictures, kind: "trace"}));
    assert.equal(written.pictures[0].text === undefined, JSON.parse(json).engine === "fixed-priority", file);
    if (written.pictures[0].text === undefined) continue;
    weir(["analyze", file, "--trace", trace], [0, 1, 4]);
    same(written.pictures[0].text, fs.readFileSync(trace, "utf8"), file);
  }
  assert.deepEqual(Array.from(engines, String).sort(), ["exact", "fixed-priority", "global-edf", "gpu", "sampling", "workers"]);
});

// One number of a model at a time, whatever it is: a time, a count, on any platform. The program reads the YAML of the page, and
// the change itself.
test("every number that can be moved, on every engine", async () => {
  const workers = write("workers.yaml", "unit: ms\nplatform: {scheduler: multi-thread, workers: 2, polling: 1}\noperators:\n  a: {time: [2, 4]}\n  b: {time: [1, 3]}\n  c: {time: [1, 5]}\n" +
    "queues:\n  - a -> b -> c\nsource: {operator: a, period: 20}\ndeadlines:\n  - {from: a, to: c, within: 40}\n");
  const gpu = write("launches.yaml", "unit: ms\noperators:\n  a: {time: [2, 4]}\n  b: {time: [1, 3], gpu: {time: [4, 6], waits: true}}\n  c: {time: [1, 5]}\n" +
    "queues:\n  - {from: a, to: b, consume: 2, capacity: 4}\n  - {from: b, to: c, transfer: [1, 2]}\nsource: {operator: a, period: 20}\n");
  const files = [workers, gpu, ...["camera", "endoscopy-tool-tracking", "wlan-decoder", "nbfm-receiver", "gpu/vision", "jitter"].map(example)];
  const {bytes, models} = unpack(report(files, "numbers", ["--runs", "1", "--iterations", "1"]));
  const host = new WeirHost(bytes), answers = [], byEngine = [], keys = new Set();
  for (const [i, model] of models.entries())
    for (const [k, spec] of model.parameters.entries()) {
      const digits = spec.type === "count" ? 0 : model.digits, next = random(77 * i + k), text = (v) => weirFormat(v, digits);
      const values = spec.value.map((v) => BigInt(v) + BigInt(1 + next(3)) * (BigInt(v) / 7n + 1n));
      const change = `${spec.target}.${spec.key}=${values.length > 1 ? `[${values.map(text).join(", ")}]` : text(values[0])}`;
      const answer = await host.answer(ask(model, {changes: [change]})), file = files[i];
      keys.add(spec.key);
      if (answer.refusal !== undefined) {
        assert.match(weirFails(["explore", file, "--what-if", change]), new RegExp(answer.refusal.slice(0, 30).replace(/[^a-z ]/gi, ".")), change);
        continue;
      }
      answers.push(answer.json);
      byEngine.push(write(`number-${i}-${k}.yaml`, answer.yaml));
    }
  for (const key of ["time", "capacity", "period", "within", "workers", "polling", "gpu.time", "consume", "transfer", "cores", "cost.init", "sms", "load", "priority", "jitter"])
    assert.ok(keys.has(key), `${key} of ${[...keys]}`);
  same(analyzed(byEngine), `[\n${answers.join(",\n")}]\n`, "copied as YAML");
});

// The text that somebody wrote, with a number moved, against what the engine copies: the same model, whichever number it is.
test("every number that can be moved has its place in the text of a model", async () => {
  const written = write("written.yaml", `# by hand
unit: ms
"operators":
    a:        # the camera
        time: [1, 2]   # worst
    "b c": 3
    'd e': {time: [1,
       4], reentrant: true}
    f: [0, 1]

queues:
- a -> "b c" -> f   # chain
- from: a
  to: 'd e'     # end
- {from: 'd e', to: f}
sources:
- operator: a
  period: 20
deadlines:
- {from: a, to: f, within: 100}
- from: a
  to: "b c"
  within: 50 # fifty
`), json = write("written.json", '{"unit": "us", "operators": {"a": {"time": [1, 2]}, "b": {"time": 3}},\n "queues": [{"from": "a", "to": "b"}], "deadlines": [{"from": "a", "to": "b", "within": 30}]}\n');
  const files = [written, json, ...examples, ...named("tests/surfaces/models").filter((file) => !/launches/.test(file))], html = scratch("places.html");
  weir(["report", ...files, "-o", html, "--runs", "1", "--iterations", "1", "--limit", "1000"], [0, 1, 4]);
  const {bytes, models} = unpack(html), host = new WeirHost(bytes), copies = [], lines = (file) => canonical(file).split("\n").filter((line) => !line.startsWith("#")).sort().join("\n");
  let missing = 0;
  for (const [i, model] of models.entries())
    for (const [k, spec] of model.parameters.entries()) {
      const digits = spec.type === "count" ? 0 : model.digits, value = spec.value.map((v) => weirFormat(BigInt(v) + 1n + BigInt(v) / 9n, digits)), {of, target, key, type} = spec;
      const answer = await host.answer(ask(model, {limit: "1000", changes: [`${target}.${key}=${value.length > 1 ? `[${value.join(", ")}]` : value[0]}`]}));
      if (answer.yaml === undefined) continue;
      const text = weirRewrite(fs.readFileSync(files[i], "utf8"), [{of, target, key, type, value}], model.unit === "tick" ? "" : model.unit);
      missing += text === null;
      if (text === null) continue;
      copies.push([write(`place-${i}-${k}.yaml`, text.replaceAll(/gpu: ([\w.]+\.yaml)/g, (_, name) => `gpu: ${path.join(path.dirname(files[i]), name)}`)), write(`copy-${i}-${k}.yaml`, answer.yaml), `${files[i]}: ${target}.${key}`]);
    }
  assert.ok(copies.length > 400 && missing <= 1, `${copies.length} places, ${missing} missing: a time that comes from another file`);
  for (const [place, copy, what] of copies) same(lines(place), lines(copy), what);
});

test("where a deadline breaks, and how much a number matters", async () => {
  const {bytes, models: [model]} = unpack(report(example("camera"), "camera")), live = await WeirLive.load(bytes), text = canonical(example("camera"));
  const mark = {name: "display", now: "900", low: "200", high: "9300", before: "display.time=[2, ", behind: "]", digits: 2, worse: 1};
  live.build(model.model);
  const {limit, influence} = weirMark(live, ask(model), mark), worst = (n) => JSON.parse(analyzed(write("limit.yaml", edited(text, {display: [2, n / 100]}, {})))).latency[0];
  assert.equal(worst(Number(limit)).met, true);
  assert.equal(worst(Number(limit) + 1).met, false);
  assert.ok(Math.abs(influence - (worst(990).worst - worst(900).worst)) < 1e-6, String(influence));
});

test("where the model ends no deadline breaks, and limits of the analysis are no numbers of a model", async () => {
  const any = write("any.yaml", "operators: {a: 2, b: 3}\nqueues: [a -> b]\nsource: {operator: a, period: 10}\ndeadlines: [{from: a, to: b, within: 12}]\n");
  const limited = path.join(root, "tests/surfaces/models/shared-limit.yaml");
  weir(["report", any, limited, "-o", scratch("ends.html"), "--runs", "1", "--iterations", "1"], [4]);
  const {bytes, models: [one, two]} = unpack(scratch("ends.html")), live = await WeirLive.load(bytes);
  const period = {name: "period", now: "10", low: "0", high: "30", before: "a.period=", behind: "", digits: 0, worse: -1};
  live.build(one.model);
  assert.equal(weirMark(live, ask(one), period).limit, null, "a period of 0 is no model, and every other one is met");
  assert.equal(weirMark(live, ask(one, {changes: ["b.time=30"]}), {...period, name: "time", now: "2", before: "a.time=", worse: 1}).limit, null, "nor is it mended");
  assert.ok(two.parameters.length > 5 && !two.parameters.some(({key}) => key === "latency-limit"));
});

test("how long something takes, whole ticks or not", () => {
  const clock = new WeirClock(3, "us"), takes = (from, to) => clock.amount(clock.length(from, to));
  assert.deepEqual([takes(1500, 3000), takes([2000, 3], [62000, 3]), takes(0, [2000, 3]), takes("9007199254740993000", "9007199254740994500")],
    ["1.5 us", "20 us", "0.666667 us", "1.5 us"]);
  const [[at], [next, text], ...more] = new WeirClock(0, "ns").scale(0, 1.9e15, 340, 70);
  assert.ok(more.length < 3 && (next - at) / 1.9e15 * 340 > 7 * text.length, "words of a scale have room");
  assert.ok(new WeirClock(0, "ns").scale(0, 1.9e15, 20, 70).length < 4, "as far as there is any");
});

// Half of them with threads of their own, a quarter on workers, a quarter with a connection that is not waited for.
function onPlatform(text, seed) {
  const crew = ["greedy", `multi-thread, workers: ${1 + seed % 5}, polling: 0`, `event-based, workers: ${1 + seed % 5}`][seed % 3];
  return seed % 4 === 0 ? `${text}platform: {scheduler: ${crew}}\n` : seed % 4 === 1 ? text.replace(/(capacity: \d+)\}/, "$1, optional: true}") : text;
}

test("200 random models, changed at random", async () => {
  const seeds = Array.from({length: 200}, (_, i) => i + 1), originals = [];
  for (const seed of seeds) {
    const next = random(seed), file = scratch(`random-${seed}.yaml`);
    weir(["generate", "holoscan", "--nodes", String(3 + next(18)), "--queue", String(1 + next(4)), "--best-ratio", String(next(10) / 10),
      "--density", String(next(5) / 10), "--seed", String(seed), "-o", file]);
    fs.writeFileSync(file, onPlatform(fs.readFileSync(file, "utf8"), seed));
    originals.push(file);
  }
  const {bytes, models} = unpack(report(originals, "random", ["--runs", "1", "--iterations", "1"]));
  const host = new WeirHost(bytes), answers = [], byHand = [], byEngine = [];
  for (const [i, model] of models.entries()) {
    const next = random(1000 + i), times = {}, capacities = {}, question = ask(model);
    for (let k = next(4); k >= 0; k--) {
      const o = next(model.operators.length), worst = next(2000), best = next(worst + 1);
      times[model.operators[o]] = [best, worst];
    }
    for (let k = next(3); k > 0; k--) {
      const q = next(model.queues.length), places = 1 + next(9), [from, to] = model.queues[q];
      capacities[`${model.operators[from]}>${model.operators[to]}`] = places;
    }
    question.changes.push(...Object.entries(times).map(([name, [best, worst]]) => time(name, best, worst)), ...Object.entries(capacities).map(([ends, places]) => capacity(ends, places)));
    const answer = await host.answer(question);
    assert.ok(answer.json, JSON.stringify(answer));
    answers.push(answer.json);
    byHand.push(write(`by-hand-${i}.yaml`, edited(fs.readFileSync(originals[i], "utf8"), times, capacities)));
    byEngine.push(write(`by-engine-${i}.yaml`, answer.yaml));
  }
  const all = `[\n${answers.join(",\n")}]\n`, engines = JSON.parse(all).map((a) => a.engine);
  same(analyzed(byHand), all, "edited by hand");
  same(analyzed(byEngine), all, "copied as YAML");
  for (const [engine, most] of [["exact", 100], ["workers", 40], ["sampling", 40]])
    assert.ok(engines.filter((e) => e === engine).length >= most, `${engine}: ${engines.filter((e) => e === engine).length}`);
});

test("random models of the other engines, with a number moved each", async () => {
  const kinds = {"fixed-priority": (next) => ["priority", "--graphs", 1 + next(3), "--tasks", 3 + next(5), "--jitter", next(2)], gpu: (next) => ["gpu", "--layers", 2 + next(4), "--parallelism", 2 + next(3), "--sms", 4 + next(20)],
    "global-edf": (next) => ["flow", "--nodes", 3 + next(8), "--cores", 1 + next(4)]};
  for (const [engine, options] of Object.entries(kinds)) {
    const originals = Array.from({length: 15}, (_, i) => {
      const file = scratch(`${engine}-${i}.yaml`);
      weir(["generate", ...options(random(7 * i + 3)).map(String), "--seed", String(i + 1), "-o", file]);
      return file;
    });
    const {bytes, models} = unpack(report(originals, engine, ["--runs", "1", "--iterations", "1"])), host = new WeirHost(bytes), answers = [], copies = [];
    for (const [i, model] of models.entries()) {
      const next = random(50 + i), spec = model.parameters[next(model.parameters.length)], digits = spec.type === "count" ? 0 : model.digits;
      const values = spec.value.map((v) => weirFormat(BigInt(v) + BigInt(next(4)) * (BigInt(v) / 5n + 1n), digits));
      const answer = await host.answer(ask(model, {changes: [`${spec.target}.${spec.key}=${values.length > 1 ? `[${values.join(", ")}]` : values[0]}`]}));
      if (answer.refusal !== undefined) continue;
      answers.push(answer.json);
      copies.push(write(`${engine}-copy-${i}.yaml`, answer.yaml));
    }
    assert.ok(answers.length >= 10, `${engine}: ${answers.length} answers`);
    assert.ok(answers.every((a) => JSON.parse(a).engine === engine), engine);
    same(analyzed(copies), `[\n${answers.join(",\n")}]\n`, engine);
  }
});

test("deep queues, exact arrivals, no bound, and back again", async () => {
  const file = write("camera.yaml", "unit: ms\noperators:\n  a: {time: [2, 4]}\n  b: {time: [10, 20]}\n  c: {time: [1, 5]}\n" +
    "queues:\n  - {from: a, to: b, capacity: 1}\n  - {from: b, to: c, capacity: 1}\nsource: {operator: a, period: 25, arrivals: exact}\n");
  const {bytes, models: [model]} = unpack(report(file, "deep"));
  const host = new WeirHost(bytes), text = canonical(file);
  for (const [times, capacities] of [
    [{}, {"a>b": 1000, "b>c": 100000}], [{b: [10, 30]}, {}], [{b: [10, 30]}, {"a>b": 10000}], [{b: [10, 20]}, {}], [{a: [0, 0], b: [0, 0], c: [0, 0]}, {}],
  ]) {
    const answer = await host.answer(ask(model, {pictures: [0],
      changes: [...Object.entries(times).map(([name, [best, worst]]) => time(name, best, worst)), ...Object.entries(capacities).map(([ends, places]) => capacity(ends, places))]}));
    same(answer.json, analyzed(write("deep.yaml", edited(text, times, capacities))), JSON.stringify([times, capacities]));
    assert.equal(typeof answer.pictures[0].text, "string"); // without a bound, of a run in which latencies grow
  }
});

test("what is no model is refused in words, and does no harm", async () => {
  const {bytes, models: [model]} = unpack(report(example("feedback-loop"), "loop"));
  const host = new WeirHost(bytes), before = await host.answer(ask(model));
  assert.equal(before.json, analyzed(example("feedback-loop")));
  const loop = JSON.parse(model.model).queues.find((q) => q.initial > 0);
  assert.ok(loop);
  for (const bad of ["nobody.time=3", `${model.operators[0]}.time=[9, 3]`, `${model.operators[0]}.time=[0, 99999999999999999999]`, `${loop.from}->${loop.to}.capacity=0`,
    `${loop.from}->${loop.to}.initial=0`, "no change at all", `${model.operators[0]}.time=[`, `${model.operators[0]}.time={{{`]) {
    const answer = await host.answer(ask(model, {changes: [bad]}));
    assert.equal(typeof answer.refusal, "string", bad + JSON.stringify(answer));
  }
  for (const bad of ["", "{", '{"operators": ', "[1, 2]", '{"weir": 1}', '{"operators": {"a": {"time": }}}', "\u0000"])
    assert.equal(typeof (await host.answer(ask({model: bad}))).refusal, "string", bad);
  assert.deepEqual(await host.answer(ask(model)), before);
});

test("a limit gives a bracket, the same as the program's", async () => {
  const file = scratch("hard.yaml");
  weir(["generate", "holoscan", "--nodes", "30", "--queue", "7", "--best-ratio", "0.5", "--seed", "5", "-o", file]);
  const {bytes, models: [model]} = unpack(report(file, "hard", ["--runs", "1", "--iterations", "1"]));
  const answer = await new WeirHost(bytes).answer(ask(model, {limit: "300"}));
  same(answer.json, analyzed(file, ["--limit", "300"]), "a bracket");
  assert.notEqual(JSON.parse(answer.json).latency[0].worst_lower, undefined);
});

test("memory grows; an instance that trapped is not used again", async () => {
  const file = scratch("large.yaml");
  weir(["generate", "holoscan", "--nodes", "400", "--density", "0.01", "--seed", "2", "-o", file]);
  const {bytes, models: [model]} = unpack(report(file, "large", ["--runs", "1", "--iterations", "1"]));
  const host = new WeirHost(bytes), live = await WeirLive.load(bytes), first = live.memoryBytes;
  same(live.answer(ask(model, {limit: "1000000"})).json, analyzed(file, ["--limit", "1000000"]), "400 operators");
  assert.ok(live.memoryBytes > first, "memory grew");
  const before = await host.answer(ask(model, {limit: "1000"})), used = host.live;
  host.live.wasm = {...host.live.wasm, analyze: () => { throw new WebAssembly.RuntimeError("unreachable"); }};
  assert.deepEqual(await host.answer(ask(model)), {trap: "unreachable"});
  assert.deepEqual(await host.answer(ask(model, {limit: "1000"})), before);
  assert.notEqual(host.live, used);
});

test("memory that does not suffice is said, and given back", async () => {
  const file = write("deep.yaml", "operators:\n  a: {time: [2, 4]}\n  c: {time: [2, 4]}\n  b: {time: [10, 30]}\nqueues:\n" +
    "  - {from: a, to: b, capacity: 1}\n  - {from: c, to: b, capacity: 1}\n" +
    "sources:\n  - {operator: a, period: 25, arrivals: exact}\n  - {operator: c, period: 25}\n"); // out of step: row by row
  const {bytes, models: [model]} = unpack(report(file, "deep")), host = new WeirHost(bytes), before = await host.answer(ask(model));
  assert.deepEqual(await host.answer(ask(model, {changes: [capacity("a>b", 1000000000)]})), {refusal: "out of memory"});
  assert.equal(host.live, null);
  assert.deepEqual(await host.answer(ask(model)), before);
});

test("names of any kind", async () => {
  const names = ['</script>', 'a "quoted" \\ name', "日本語", "x'y", "&amp;"];
  const file = write("names.yaml", `unit: us\nname: ${JSON.stringify(names.join(" "))}\noperators:\n` + names.map((n, i) => `  ${JSON.stringify(n)}: {time: [0, ${i + 1}.5]}\n`).join("") +
    `queues:\n` + names.slice(1).map((n, i) => `  - {from: ${JSON.stringify(names[i])}, to: ${JSON.stringify(n)}}\n`).join(""));
  const {bytes, models: [model]} = unpack(report(file, "names"));
  assert.deepEqual(model.operators, names);
  const live = await WeirLive.load(bytes);
  same(live.answer(ask(model)).json, analyzed(file), "names");
  for (const spec of model.parameters.filter((p) => p.key === "time")) {
    const answer = live.answer(ask(model, {changes: [`${spec.target}.time=[0, 9]`]}));
    assert.match(answer.yaml, /time: \[0, 9\]/, spec.target);
  }
  assert.throws(() => live.picture("gantt", 99), WeirRefusal);
});
