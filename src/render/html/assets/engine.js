// SPDX-License-Identifier: Apache-2.0
// Who answers the questions of the page: a worker, so that the page stays quick however long an analysis takes. Of each who asks
// only the latest question counts. Where a browser refuses workers, the engine runs in the page, with a limit to its work.
"use strict";

class WeirEngine {
  static PATIENCE = 250; // ms that an analysis may go on when there is a newer question
  static LIMIT_HERE = 20000000; // of work, without a worker: a fraction of a second

  constructor() {
    this.busy = null;         // the question that is being answered
    this.waiting = new Map(); // the next of each who asks
    this.hurry = 0;
    this.worker = null;
    this.count = 0;
  }

  // Throws where the browser cannot do this at all.
  async start() {
    if (typeof WebAssembly === "undefined") throw new Error("it has no WebAssembly");
    if (typeof DecompressionStream === "undefined") throw new Error("it cannot unpack");
    const packed = Uint8Array.from(atob(document.getElementById("engine").textContent), (c) => c.charCodeAt(0));
    const bytes = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    this.module = await WebAssembly.compile(bytes);
    await this.spawn();
  }

  async spawn() {
    this.worker = null;
    if (this.noWorkers) return;
    const url = URL.createObjectURL(new Blob([document.getElementById("engine-code").textContent], {type: "text/javascript"}));
    try {
      const worker = new Worker(url);
      await new Promise((resolve, reject) => {
        worker.onmessage = resolve;
        worker.onerror = reject;
        worker.onmessageerror = reject;
        worker.postMessage({module: this.module});
      });
      worker.onmessage = (event) => this.done(event.data.id, event.data.answer);
      worker.onerror = (event) => this.done(this.busy?.id, {trap: event.message || "it stopped"});
      this.worker = worker;
    } catch {
      this.noWorkers = true;
      this.host = new WeirHost(this.module);
    } finally {
      URL.revokeObjectURL(url);
    }
  }

  // `tell` gets the answer, and whether `from` has asked nothing since. What is asked in the background waits for all else.
  ask(from, question, tell, background = false) {
    this.waiting.set(from, {id: ++this.count, from, question, tell, background, begun: 0});
    this.go();
  }

  // Whoever is next; what is in the background comes last.
  get next() {
    const all = Array.from(this.waiting.values());
    return all.find((asked) => !asked.background) ?? all[0];
  }

  // Whether what is being computed is of no use any more, or can wait.
  get idle() {
    return this.waiting.has(this.busy.from) || (this.busy.background && !this.next?.background);
  }

  go() {
    if (!this.busy) {
      const {next} = this;
      if (next) this.send(next);
    } else if (this.waiting.size && this.idle && !this.hurry && this.worker) {
      const patience = this.busy.background ? 20 : WeirEngine.PATIENCE;
      this.hurry = setTimeout(() => this.restart(), Math.max(0, this.busy.begun + patience - performance.now()));
    }
  }

  async send(asked) {
    this.waiting.delete(asked.from);
    this.busy = asked;
    asked.begun = performance.now();
    if (this.worker) {
      this.worker.postMessage({id: asked.id, question: asked.question});
      return;
    }
    await new Promise((resolve) => setTimeout(resolve)); // the page is painted before
    const limit = BigInt(asked.question.limit), most = BigInt(WeirEngine.LIMIT_HERE);
    this.done(asked.id, await this.host.answer({...asked.question, limit: String(limit === 0n || limit > most ? most : limit)}));
  }

  async restart() {
    this.hurry = 0;
    if (!this.busy || !this.waiting.size || !this.idle) return;
    const {id, from} = this.busy;
    if (!this.waiting.has(from)) this.waiting.set(from, this.busy); // it can wait
    this.worker.terminate();
    await this.spawn();
    if (this.busy?.id === id) this.busy = null;
    this.go();
  }

  async done(id, answer) {
    if (this.busy?.id !== id) return;
    clearTimeout(this.hurry);
    this.hurry = 0;
    if (answer.trap !== undefined && this.worker) { // nothing is known about what it left behind
      this.worker.terminate();
      await this.spawn();
    }
    const {from, tell} = this.busy;
    this.busy = null;
    tell(answer, !this.waiting.has(from));
    this.go();
  }
}
