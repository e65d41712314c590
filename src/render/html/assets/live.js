// SPDX-License-Identifier: Apache-2.0
// The engine in the page: the same C as the command line, compiled to WebAssembly. Times are BigInt ticks. This file runs in a
// worker; where there is none, in the page.
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
  }

  check(status) {
    if (status !== 0) throw new WeirRefusal(this.message());
  }

  // `model` as weir_live_write_model has it: numbers that may be large are strings.
  build(model) {
    this.give(model.name);
    this.check(this.wasm.begin(model.unit, model.digits));
    this.check(this.wasm.workers(model.workers[0], model.workers[1], BigInt(model.workers[2])));
    for (const o of model.operators) {
      this.give(o.name);
      this.check(this.wasm.operator(BigInt(o.best), BigInt(o.worst), BigInt(o.receive[0]), BigInt(o.receive[1]), o.flags));
    }
    for (const q of model.queues) this.check(this.wasm.queue(q.from, q.to, q.capacity, q.initial, q.flags));
    for (const s of model.sources) this.check(this.wasm.source(s.operator, BigInt(s.period), s.arrivals));
    for (const p of model.pairs) this.check(this.wasm.pair(p.from, p.to, BigInt(p.deadline), BigInt(p.shift), p.flags));
  }

  setTimes(operator, best, worst) {
    this.check(this.wasm.set_times(operator, BigInt(best), BigInt(worst)));
  }

  setCapacity(queue, capacity) {
    this.check(this.wasm.set_capacity(queue, capacity));
  }

  // The text that `weir analyze --json` prints for the model as it stands. A limit of 0 is the usual one.
  analyze(limit) {
    this.check(this.wasm.analyze(BigInt(limit)));
    return this.read(this.wasm.json());
  }

  gantt(latency) {
    return this.read(this.wasm.gantt(latency));
  }

  yaml() {
    return this.read(this.wasm.yaml());
  }

  // A question: {model, times: [[operator, best, worst]], capacities: [[queue, capacity]], limit, pictures: [latency]}. The answer:
  // {json, yaml, pictures: [{latency, svg or refusal}]}, or {refusal} in words.
  answer(question) {
    const attempt = (act) => {
      try {
        return act();
      } catch (error) {
        if (error instanceof WeirRefusal) return {refusal: error.message};
        throw error;
      }
    };
    return attempt(() => {
      this.build(question.model);
      for (const [operator, best, worst] of question.times) this.setTimes(operator, best, worst);
      for (const [queue, capacity] of question.capacities) this.setCapacity(queue, capacity);
      const json = this.analyze(question.limit);
      const pictures = question.pictures.map((latency) => ({latency, ...attempt(() => ({svg: this.gantt(latency)}))}));
      return {json, yaml: this.yaml(), pictures};
    });
  }
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
  module.exports = {WeirLive, WeirHost, WeirRefusal};
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
