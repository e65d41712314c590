// SPDX-License-Identifier: Apache-2.0
// The engine in the page: the same C as the command line, compiled to WebAssembly. Times are BigInt ticks.
"use strict";

// What the module wants of a system. It writes to no file and reads none; a clock or an exit would be a mistake.
function weirSystem() {
  const refuse = () => 52; // "not supported"
  return new Proxy({}, {
    get: (_, name) => name === "proc_exit" ? (code) => { throw new Error("the engine stopped: " + code); } : refuse,
    has: () => true,
  });
}

class WeirLive {
  static async load(bytes) {
    const {instance} = await WebAssembly.instantiate(bytes, {wasi_snapshot_preview1: weirSystem()});
    const live = new WeirLive();
    live.wasm = instance.exports;
    live.wasm._initialize();
    return live;
  }

  static fromBase64(text) {
    return WeirLive.load(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
  }

  read(pointer) {
    if (pointer === 0) throw new Error(this.message());
    const memory = new Uint8Array(this.wasm.memory.buffer);
    return new TextDecoder().decode(memory.subarray(pointer, memory.indexOf(0, pointer)));
  }

  message() {
    return this.read(this.wasm.message()) || "out of memory";
  }

  give(text) {
    const bytes = new TextEncoder().encode(text);
    const pointer = this.wasm.given(bytes.length);
    if (pointer === 0) throw new Error("out of memory");
    const memory = new Uint8Array(this.wasm.memory.buffer, pointer, bytes.length + 1);
    memory.set(bytes);
    memory[bytes.length] = 0;
  }

  check(status) {
    if (status !== 0) throw new Error(this.message());
  }

  // `model` as weir_live_write_model has it: numbers that may be large are strings.
  build(model) {
    this.give(model.name);
    this.check(this.wasm.begin(model.unit, model.digits));
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

  // The text that `weir analyze --json` prints for the model as it stands.
  analyze(workLimit = 200000000) {
    this.check(this.wasm.analyze(BigInt(workLimit)));
    return this.read(this.wasm.json());
  }

  gantt(latency) {
    return this.read(this.wasm.gantt(latency));
  }

  yaml() {
    return this.read(this.wasm.yaml());
  }
}

if (typeof module !== "undefined") module.exports = {WeirLive};
