// SPDX-License-Identifier: Apache-2.0
// The engines in the page: the same C as the command line, compiled to WebAssembly. This file runs in a worker; where there is none,
// in the page.
"use strict";

// What the engine says about a model: a mistake of whoever changed it, not one of the engine.
class WeirRefusal extends Error {}

// What the module wants of a system. It writes to no file and reads none; a clock or an exit would be a mistake.
function weirSystem() {
  const refuse = () => 52; // "not supported"
  return new Proxy({}, {
    get: (_, name) => name === "proc_exit" ? (code) => { throw new Error("it ended with " + code); } : refuse,
    has: () => true,
  });
}

class WeirLive {
  static async load(module) {
    const made = await WebAssembly.instantiate(module, {wasi_snapshot_preview1: weirSystem()});
    const live = new WeirLive();
    live.wasm = (made.instance || made).exports; // of bytes, and of a module that is compiled already
    live.wasm._initialize();
    return live;
  }

  get memoryBytes() {
    return this.wasm.memory.buffer.byteLength;
  }

  read(pointer) {
    if (pointer === 0) throw new WeirRefusal(this.message());
    const memory = new Uint8Array(this.wasm.memory.buffer);
    return new TextDecoder().decode(memory.subarray(pointer >>> 0, memory.indexOf(0, pointer >>> 0)));
  }

  message() {
    return this.read(this.wasm.message()) || "out of memory";
  }

  give(text) {
    const bytes = new TextEncoder().encode(text);
    const pointer = this.wasm.given(bytes.length) >>> 0;
    if (pointer === 0) throw new WeirRefusal("out of memory");
    const memory = new Uint8Array(this.wasm.memory.buffer, pointer, bytes.length + 1);
    memory.set(bytes);
    memory[bytes.length] = 0;
    return bytes.length;
  }

  check(status) {
    if (status !== 0) throw new WeirRefusal(this.message());
  }

  // The model is read once; after that only changes are made.
  build(model) {
    if (this.model === model) return;
    this.model = null;
    const bytes = this.give(model);
    this.check(this.wasm.read(bytes));
    this.model = model;
  }

  // In the words of --what-if.
  change(changes) {
    this.wasm.clear();
    for (const text of changes) {
      this.give(text);
      this.check(this.wasm.change());
    }
  }

  // The text that `weir analyze --json` prints for the changed model. A limit of 0 is the usual one.
  analyze(limit) {
    this.check(this.wasm.analyze(BigInt(limit)));
    return this.read(this.wasm.json());
  }

  // The worst case of a latency: "gantt" and "trace" are the files of the command line, "timeline" is what the page draws.
  picture(kind, latency) {
    return this.read(this.wasm[kind](latency));
  }

  yaml() {
    return this.read(this.wasm.yaml());
  }

  // HTML of what the page says: at once, or what takes longer.
  parts(later, {runs, limit}) {
    const [count, iterations, seed] = runs ?? [0, 0, 1];
    return this.read(this.wasm.parts(later ? 1 : 0, Number(count), Number(iterations), BigInt(seed), BigInt(limit)));
  }

  // The words and marks of the drawing, in SVG; crowded: its lines have no labels where most have the same.
  drawing(crowded) {
    return this.read(this.wasm.drawing(crowded ? 1 : 0));
  }

  // A question: {model, changes, limit, pictures: [latency], kind, parts, crowded, later, runs}. The answer: {json, yaml, parts,
  // drawing, worst: the latency that decides, later, pictures: [{latency, text or refusal}]}, or {refusal} in words. With `marks`:
  // what becomes of single numbers, see weirMark.
  answer(question) {
    return this.attempt(() => {
      this.build(question.model);
      if (question.marks) return {marks: question.marks.map((mark) => weirMark(this, question, mark))};
      this.change(question.changes);
      const json = this.analyze(question.limit), {parts, later, crowded} = question;
      const pictures = question.pictures.map((latency) => ({latency, ...this.attempt(() => ({text: this.picture(question.kind ?? "timeline", latency)}))}));
      return {json, yaml: this.yaml(), pictures, ...(parts && {parts: this.parts(false, question), worst: this.wasm.worst()}),
        ...(crowded !== undefined && {drawing: this.drawing(crowded)}), ...(later && {later: this.parts(true, question)})};
    });
  }

  attempt(act) {
    try {
      return act();
    } catch (error) {
      if (error instanceof WeirRefusal) return {refusal: error.message};
      throw error;
    }
  }
}

// How much one number matters, and how far it may go: {name, now, low, high, before, behind, digits, worse}. Numbers are ticks as text;
// a change is what stands before and behind the number; worse: 1 where more of it makes latencies longer, as a rule. The answer:
// {name, influence, limit}. The influence is the difference that a tenth makes, in units. The limit is, where all is good, the last
// number that stays so, and where it is not, the first that makes it so; null: none up to the ends, or none but what is no model
// any more. It is found by halving. The worst of an interval can fall below its `best`, which then falls with it; `head` is what
// stands before both.
function weirMark(live, question, {name, now, low, high, before, behind, digits, worse, head, best}) {
  const write = (n) => best !== undefined && n < BigInt(best) ? `${head}[${weirDecimal(n, digits)}, ${weirDecimal(n, digits)}]` : before + weirDecimal(n, digits) + behind;
  const ask = (n) => {
    live.change([...question.changes, write(n)]);
    return live.wasm.verdict(BigInt(question.limit));
  };
  const value = BigInt(now), ends = [BigInt(low), BigInt(high)], good = ask(value) === 0, before10 = live.wasm.decides();
  const step = value / 10n > 0n ? value / 10n : 1n, away = worse > 0 ? value + step : value - step >= ends[0] ? value - step : value + step;
  const refused = ask(away) < 0, after = live.wasm.decides();
  const influence = refused || after === before10 ? 0 : after < 0 || before10 < 0 ? Infinity : Math.abs(after - before10);
  // Away from the number towards what is worse where it is good, towards what is better where it is not.
  let end = (worse > 0) === good ? ends[1] : ends[0];
  if (end !== value && ask(end) < 0) end += end < value ? 1n : -1n; // a time of 0 may be no model, where the next one is
  if (end === value || (ask(end) === 0) === good) return {name, influence, limit: null};
  let [here, there] = [value, end];
  while (there - here > 1n || here - there > 1n) {
    const middle = (here + there) / 2n;
    if ((ask(middle) === 0) === good) here = middle; else there = middle;
  }
  if (ask(there) < 0) return {name, influence, limit: null};
  return {name, influence, limit: String(good ? here : there)};
}

function weirDecimal(ticks, digits) {
  const text = String(ticks).padStart(digits + 1, "0");
  return digits ? `${text.slice(0, -digits)}.${text.slice(-digits)}`.replace(/\.?0+$/, "") : text;
}

// One question after another. What should not happen, a trap, ends the instance: the next question gets a new one. So does one
// that holds much memory, which WebAssembly cannot give back.
class WeirHost {
  constructor(module) {
    this.module = module;
    this.live = null;
  }

  async answer(question) {
    try {
      this.live ??= await WeirLive.load(this.module);
      const answer = this.live.answer(question);
      if (this.live.memoryBytes > 256 << 20) this.live = null;
      return answer;
    } catch (error) {
      this.live = null;
      return {trap: error.message};
    }
  }
}

if (typeof module !== "undefined") {
  module.exports = {WeirLive, WeirHost, WeirRefusal, weirMark};
} else if (typeof document === "undefined") {
  let host = null;
  self.onmessage = async (event) => {
    if (event.data.module) {
      host = new WeirHost(event.data.module);
      self.postMessage({ready: true});
    } else {
      self.postMessage({id: event.data.id, answer: await host.answer(event.data.question)});
    }
  };
}
