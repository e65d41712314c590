// SPDX-License-Identifier: Apache-2.0
// The engine as WebAssembly, as a page has it, against the program: the same bytes, whatever is changed.
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const {test} = require("node:test");
const {root, weir, report, canonical, edited, write, analyzed, same, example, scratch} = require("./support.js");
const {WeirLive, WeirHost, WeirRefusal} = require(path.join(root, "src/render/html/assets/live.js"));

// Taken out of a page: what is tested is what people get.
function unpack(file) {
  const text = fs.readFileSync(file, "utf8");
  const bytes = Buffer.from(/<script type="text\/plain" id="engine">([^<]*)<\/script>/.exec(text)[1], "base64");
  const models = Array.from(text.matchAll(/<script type="application\/json" class="live-model"[^>]*>([^<]*)<\/script>/g), (m) => JSON.parse(m[1]));
  return {bytes, models};
}

const ask = (model, more = {}) => ({model, times: [], capacities: [], pictures: [], limit: "0", ...more});

function random(seed) { // xorshift
  let x = BigInt(seed) * 2654435769n + 88172645463325252n & (1n << 64n) - 1n;
  return (below) => {
    x ^= x << 13n & (1n << 64n) - 1n;
    x ^= x >> 7n;
    x ^= x << 17n & (1n << 64n) - 1n;
    return Number(x % BigInt(below));
  };
}

// Pages compute again what the exact engine alone answers: a thread for each operator, and connections that wait.
const threads = fs.readdirSync(path.join(root, "examples")).filter((name) => name.endsWith(".yaml")).map((name) => name.slice(0, -5))
  .filter((name) => !/^(platform|processors|kernels):|optional: true/m.test(fs.readFileSync(example(name), "utf8")));

test("the examples, as they are", async () => {
  assert.ok(threads.length >= 10, threads.join(" "));
  const {bytes, models} = unpack(report(threads.map(example), "all", ["--runs", "1", "--iterations", "1"]));
  assert.equal(models.length, threads.length);
  const host = new WeirHost(bytes);
  for (const [i, name] of threads.entries()) {
    const answer = await host.answer(ask(models[i], {pictures: [0]}));
    same(answer.json, analyzed(example(name)), name);
    const picture = scratch("picture.svg");
    const witness = JSON.parse(answer.json).latency[0]?.witness;
    if (witness) {
      weir(["analyze", example(name), "--gantt", picture], [0, 1, 4]);
      same(answer.pictures[0].svg, fs.readFileSync(picture, "utf8"), name);
    }
  }
});

test("200 random models, changed at random", async () => {
  const seeds = Array.from({length: 200}, (_, i) => i + 1), originals = [];
  for (const seed of seeds) {
    const next = random(seed), file = scratch(`random-${seed}.yaml`);
    weir(["generate", "holoscan", "--nodes", String(3 + next(18)), "--queue", String(1 + next(4)), "--best-ratio", String(next(10) / 10),
      "--density", String(next(5) / 10), "--seed", String(seed), "-o", file]);
    originals.push(file);
  }
  const {bytes, models} = unpack(report(originals, "random", ["--runs", "1", "--iterations", "1"]));
  const host = new WeirHost(bytes), answers = [], byHand = [], byEngine = [];
  for (const [i, model] of models.entries()) {
    const next = random(1000 + i), times = {}, capacities = {}, question = ask(model);
    for (let k = next(4); k >= 0; k--) {
      const o = next(model.operators.length), worst = next(2000), best = next(worst + 1);
      times[model.operators[o].name] = [best, worst];
      question.times.push([o, String(best), String(worst)]);
    }
    for (let k = next(3); k > 0; k--) {
      const q = next(model.queues.length), places = 1 + next(9), {from, to} = model.queues[q];
      capacities[`${model.operators[from].name}>${model.operators[to].name}`] = places;
      question.capacities.push([q, places]);
    }
    const answer = await host.answer(question);
    assert.ok(answer.json, JSON.stringify(answer));
    answers.push(answer.json);
    byHand.push(write(`by-hand-${i}.yaml`, edited(fs.readFileSync(originals[i], "utf8"), times, capacities)));
    byEngine.push(write(`by-engine-${i}.yaml`, answer.yaml));
  }
  const all = `[\n${answers.join(",\n")}]\n`;
  same(analyzed(byHand), all, "edited by hand");
  same(analyzed(byEngine), all, "copied as YAML");
});

test("deep queues, exact arrivals, no bound, and back again", async () => {
  const file = write("camera.yaml", "unit: ms\noperators:\n  a: {time: [2, 4]}\n  b: {time: [10, 20]}\n  c: {time: [1, 5]}\n" +
    "queues:\n  - {from: a, to: b, capacity: 1}\n  - {from: b, to: c, capacity: 1}\nsource: {operator: a, period: 25, arrivals: exact}\n");
  const {bytes, models: [model]} = unpack(report(file, "deep"));
  const host = new WeirHost(bytes), text = canonical(file);
  for (const [times, capacities] of [
    [{}, {"a>b": 1000, "b>c": 100000}], [{b: [10, 30]}, {}], [{b: [10, 30]}, {"a>b": 10000}], [{b: [10, 20]}, {}], [{a: [0, 0], b: [0, 0], c: [0, 0]}, {}],
  ]) {
    const index = (name) => model.operators.findIndex((o) => o.name === name);
    const answer = await host.answer(ask(model, {pictures: [0],
      times: Object.entries(times).map(([name, [best, worst]]) => [index(name), `${best}`, `${worst}`]),
      capacities: Object.entries(capacities).map(([ends, places]) => [model.queues.findIndex((q) => ends === `${model.operators[q.from].name}>${model.operators[q.to].name}`), places])}));
    same(answer.json, analyzed(write("deep.yaml", edited(text, times, capacities))), JSON.stringify([times, capacities]));
    assert.equal(Boolean(JSON.parse(answer.json).latency[0].unbounded), answer.pictures[0].svg === undefined);
  }
});

test("what is no model is refused in words, and does no harm", async () => {
  const {bytes, models: [model]} = unpack(report(example("feedback-loop"), "loop"));
  const host = new WeirHost(bytes), before = await host.answer(ask(model));
  assert.equal(before.json, analyzed(example("feedback-loop")));
  const loop = model.queues.findIndex((q) => q.initial > 0);
  assert.ok(loop >= 0);
  const drained = structuredClone(model);
  drained.queues[loop].initial = 0;
  const refused = await host.answer(ask(drained));
  assert.match(refused.refusal, /deadlock|cycle|initial|wait/);
  for (const bad of [
    {times: [[0, "9", "3"]]}, {times: [[0, "-1", "3"]]}, {times: [[0, "0", "9223372036854775807"]]}, {capacities: [[0, 0]]},
    {times: [[4294967295, "0", "1"]]}, {capacities: [[77, 1]]}, {capacities: [[loop, 0]]},
  ]) {
    const answer = await host.answer(ask(model, bad));
    assert.equal(typeof answer.refusal, "string", JSON.stringify(bad) + JSON.stringify(answer));
  }
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
  assert.deepEqual(await host.answer(ask(model, {capacities: [[0, 1000000000]]})), {refusal: "out of memory"});
  assert.equal(host.live, null);
  assert.deepEqual(await host.answer(ask(model)), before);
});

test("names of any kind", async () => {
  const names = ['</script>', 'a "quoted" \\ name', "日本語", "x'y", "&amp;"];
  const file = write("names.yaml", `unit: us\nname: ${JSON.stringify(names.join(" "))}\noperators:\n` + names.map((n, i) => `  ${JSON.stringify(n)}: {time: [0, ${i + 1}.5]}\n`).join("") +
    `queues:\n` + names.slice(1).map((n, i) => `  - {from: ${JSON.stringify(names[i])}, to: ${JSON.stringify(n)}}\n`).join(""));
  const {bytes, models: [model]} = unpack(report(file, "names"));
  assert.deepEqual(model.operators.map((o) => o.name), names);
  const live = await WeirLive.load(bytes);
  same(live.answer(ask(model)).json, analyzed(file), "names");
  assert.throws(() => live.gantt(99), WeirRefusal);
});
