// SPDX-License-Identifier: Apache-2.0
// The editor of weir serve: asks the server about what is written, shows the report or what is wrong and where.
"use strict";

(() => {
  const at = (id) => document.getElementById(id);
  const text = at("text"), failed = at("failed"), state = at("state"), mistakes = at("mistakes"), models = at("models"), name = at("name");
  const right = document.querySelector(".right");
  const writable = document.body.dataset.write === "yes";
  const bytesMax = 1 << 20;
  const begin = "weir: 1\nname: A first model\nunit: ms\noperators:\n  camera: {time: [2, 4]}\n  detect: {time: [8, 14]}\n" +
    "  display: {time: [3, 6]}\nqueues:\n  - camera -> detect -> display\ndeadlines:\n  - {from: camera, to: display, within: 60}\n";
  const code = new WeirCode(text, document.querySelector(".numbers"), document.querySelector(".marks > div"), at("choices"),
    JSON.parse(at("schema").textContent));
  let frame = at("report"), coming = null, scrolled = 0; // the report, the one that is to take its place, and how far down it was
  let shown = {text: "", page: ""}, written = null; // what the report is about; the text as sliders changed it
  let question = null, waiting = 0, took = 0, answered = 0;
  let opened = "", tag = "", kept = "", ends = "\n"; // the model in the editor, what its file was when it was read, and the text then

  const say = (words) => { state.textContent = words; };
  const changed = () => text.value !== kept;
  const query = (n) => n ? "?name=" + encodeURIComponent(n) : "";

  // What stands beside the text is not about it any more.
  function fade() {
    right.classList.add("stale");
    say("analysing \u2026");
  }

  function mark() {
    document.title = (changed() ? "\u25cf " : "") + (opened || "new") + " \u2013 weir";
    document.body.dataset.changed = changed() ? "yes" : "no";
  }

  // ---- what is wrong ----

  // Lines and columns count characters, from 1; the selection counts units of UTF-16.
  function select(line, column) {
    const lines = text.value.split("\n"), above = lines.slice(0, Math.max(0, line - 1));
    const here = lines[above.length] ?? "";
    const from = Array.from(here).slice(0, Math.max(0, column - 1)).join("").length;
    const word = /^[\p{L}\p{N}_.-]+|^./u.exec(here.slice(from));
    const start = above.reduce((sum, l) => sum + l.length + 1, 0) + from;
    selectRange(start, start + (word ? word[0].length : 0));
  }

  function selectRange(from, to) {
    const above = text.value.slice(0, from).split("\n").length - 1;
    text.focus();
    text.setSelectionRange(from, to);
    text.scrollTop = Math.max(0, above * code.height - text.clientHeight / 2);
    text.scrollLeft = 0;
  }

  // A limit of the server is no mistake of the model.
  function complain(list, limit = false) {
    mistakes.classList.toggle("limit", limit);
    mistakes.setAttribute("aria-label", limit ? "What the server did not do" : "What is wrong with the model");
    code.mark(list);
    mistakes.replaceChildren(...list.map((m) => {
      const item = document.createElement("li");
      const words = m.line ? `line ${m.line}, column ${m.column}: ${m.message}` : m.message.trim();
      if (m.line) {
        const button = Object.assign(document.createElement("button"), {type: "button", textContent: words});
        button.addEventListener("click", () => select(m.line, m.column));
        item.append(button);
      } else {
        item.append(words);
      }
      return item;
    }));
    if (list.length === 0) return;
    right.classList.add("stale");
    say((limit ? "a limit was reached" : list.length === 1 ? "a mistake" : `${list.length} mistakes`) + "; the report is an earlier one");
  }

  // ---- the report ----

  // Runs at the end of the report: it tells how far down it is, and goes there; where its sliders are; which box is clicked, or
  // shown when Enter is pressed. Its frame has an origin of its own, so that this is the only way.
  function keep_place(to) {
    const tell = (what) => parent.postMessage(what, "*");
    let held = null;
    const show = (part) => {
      if (!part) return;
      const model = JSON.parse(part.closest("section.model").querySelector("script.live-model")?.textContent ?? "null");
      const queue = model?.queues[Number(part.dataset.queue)], name = (i) => model.operators[i];
      if (part.dataset.operator !== undefined) tell({operator: model ? name(Number(part.dataset.operator)) : part.querySelector(".wd-name")?.textContent ?? ""});
      else if (queue) tell({queue: [...queue.map(name), 1 + model.queues.slice(0, Number(part.dataset.queue)).filter((q) => q.join() === queue.join()).length]});
    };
    scrollTo(0, to);
    addEventListener("scroll", () => tell({scrolled: scrollY}));
    if (typeof WeirWhatIf === "function") { // whenever its sliders ask, in the words of --what-if
      const {compute} = WeirWhatIf.prototype;
      WeirWhatIf.prototype.compute = function () {
        const {unit} = this.model, changes = this.sliders.moved.flatMap(({of, target, with: others = [], key, type, ends}) => [target, ...others].map((one) => ({of, target: one, key, type, value: ends.map((p) => p.text)})));
        tell({values: {changes, unit: unit === "tick" ? "" : unit}});
        return compute.call(this);
      };
    }
    addEventListener("pointerdown", (event) => { held = event; }, true);
    addEventListener("click", (event) => {
      if (held && Math.hypot(event.clientX - held.clientX, event.clientY - held.clientY) < 5)
        show(document.elementFromPoint(event.clientX, event.clientY)?.closest(".wd-operator, .wd-queue"));
    });
    addEventListener("keydown", (event) => { if (event.key === "Enter") show(event.target.querySelector?.(".wd-operator.shown, .wd-queue.shown")); });
  }
  const keeper = (to) => `<script>(${keep_place})(${Number(to)})</` + "script>";

  // The old report stays until the new one is there.
  function show(page, about) {
    if (coming) coming.remove();
    const next = coming = frame.cloneNode();
    next.removeAttribute("id");
    next.classList.add("coming");
    next.addEventListener("load", () => {
      if (coming !== next) return;
      frame.remove();
      next.id = "report";
      next.classList.remove("coming");
      frame = next;
      coming = null;
      shown = {text: about, page};
      written = about;
      if (text.value === about) {
        right.classList.remove("stale");
        say("");
      }
    }, {once: true});
    const end = page.lastIndexOf("</body>");
    next.srcdoc = page.slice(0, end) + keeper(scrolled) + page.slice(end);
    right.append(next);
  }

  // What sliders say goes into the text, which the report is about before and after: it computes as the server does.
  function write({changes, unit}) {
    const number = (v) => typeof v === "string" && /^\d+(\.\d+)?$/.test(v), word = (w) => typeof w === "string";
    const sound = ({of, target, key, type, value}) => [of, target, key, type].every(word) && /^[a-z.-]+$/.test(key) && Array.isArray(value) && value.length > 0 && value.every(number);
    if (!Array.isArray(changes) || !changes.every((c) => c && sound(c)) || !/^(ns|us|ms|s)?$/.test(unit) || text.value !== written) return;
    const changed = weirRewrite(shown.text, changes, unit);
    right.classList.toggle("stale", changed === null);
    if (changed === null) {
      say("the report is about values that have no place in this text; Copy as YAML has them");
      return;
    }
    const top = text.scrollTop;
    text.value = written = changed;
    text.scrollTop = top;
    say("");
    mark();
    code.draw();
  }

  addEventListener("message", (event) => {
    const {data} = event;
    if (event.source !== frame.contentWindow || typeof data !== "object" || data === null) return;
    if (Number.isFinite(data.scrolled)) scrolled = data.scrolled;
    if (data.values) write(data.values);
    const place = typeof data.operator === "string" || Array.isArray(data.queue) ? new WeirModelText(text.value).shown(data) : null;
    if (place && place.to > place.from) selectRange(place.from, place.to);
  });

  // ---- downloads ----

  function download(words, type, file) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([words], {type}));
    link.download = file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // ---- asking ----

  // Only the latest question counts; the server is told to forget the others.
  async function ask() {
    clearTimeout(waiting);
    question?.abort();
    const mine = question = new AbortController(), began = performance.now(), about = text.value;
    fade();
    try {
      const body = new Blob([text.value]);
      if (body.size > bytesMax) {
        complain([{line: 0, message: "A model has at most 1 MiB here."}], true);
      } else {
        const answer = await fetch("/api/report" + query(name.value || opened), {method: "POST", body, signal: mine.signal});
        const page = await answer.text();
        if (mine !== question) return;
        if (answer.ok) {
          show(page, about);
          complain([]);
        } else {
          const listed = answer.headers.get("Content-Type").startsWith("application/json");
          complain(listed ? JSON.parse(page).errors : [{line: 0, message: page}], !listed);
        }
      }
      took = performance.now() - began;
    } catch (error) {
      if (mine !== question) return;
      right.classList.add("stale");
      say("the server does not answer");
    }
    document.body.dataset.answered = String(++answered);
  }

  // ---- the folder ----

  async function list() {
    const names = await (await fetch("/api/models")).json();
    models.replaceChildren(new Option("new", ""), ...names.map((n) => new Option(n, n)));
    models.value = names.includes(opened) ? opened : "";
    return names;
  }

  function keep(model, what, stamp) {
    [opened, kept, tag] = [model, what, stamp];
    name.value = model;
    history.replaceState(null, "", model ? "#" + encodeURIComponent(model) : location.pathname);
    mark();
  }

  async function open() {
    const model = models.value;
    if (changed() && !confirm("The changes of this model are not saved. Leave them?")) {
      models.value = opened;
      return;
    }
    let found = begin, stamp = "";
    fade();
    if (model) {
      const answer = await fetch("/api/model" + query(model));
      found = await answer.text();
      if (!answer.ok) {
        models.value = opened;
        say(found.trim());
        return;
      }
      stamp = answer.headers.get("ETag") ?? "";
    }
    ends = found.includes("\r\n") ? "\r\n" : "\n"; // an area for text has line ends of its own
    text.value = found;
    text.setSelectionRange(0, 0);
    text.scrollTop = scrolled = 0;
    failed.textContent = "";
    keep(model, text.value, stamp);
    code.draw();
    await ask();
  }

  // Saves what was read if the file is still the same, and a new one if there is none; otherwise asks.
  async function save() {
    const model = name.value.trim(), what = text.value;
    const put = (headers) => fetch("/api/model" + query(model), {method: "PUT", body: what.replaceAll("\n", ends), headers});
    let answer = await put(model === opened && tag ? {"If-Match": tag} : {"If-None-Match": "*"});
    if (answer.status === 412) {
      const words = model === opened ? `${model} was changed by another program since it was read.` : `There is a ${model} already.`;
      if (!confirm(words + " Overwrite it?")) {
        failed.textContent = "not saved";
        return;
      }
      answer = await put({});
    }
    const words = (await answer.text()).trim();
    failed.textContent = answer.ok ? "" : "not saved: " + words; // stays until one succeeds
    if (!answer.ok) return;
    keep(model, what, answer.headers.get("ETag") ?? "");
    await list();
    say(words);
  }

  const guarded = (act) => () => act().catch(() => {
    if (act === save) failed.textContent = "not saved: the server does not answer";
    else say("the server does not answer");
  });

  text.addEventListener("input", () => {
    mark();
    fade();
    clearTimeout(waiting);
    waiting = setTimeout(ask, Math.min(3000, Math.max(300, 2 * took)));
  });
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.isComposing) return;
    const line = text.value.slice(text.value.lastIndexOf("\n", text.selectionStart - 1) + 1, text.selectionStart);
    const indent = /^[ ]*/.exec(line)[0];
    if (indent && document.execCommand("insertText", false, "\n" + indent)) event.preventDefault(); // it can be undone
  });
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    if (event.key === "Enter") guarded(ask)();
    else if (event.key === "s" && writable) guarded(save)();
    else return;
    event.preventDefault();
  });
  addEventListener("beforeunload", (event) => {
    if (changed()) event.preventDefault();
  });
  models.addEventListener("change", guarded(open));
  at("ask").addEventListener("click", guarded(ask));
  at("save").addEventListener("click", guarded(save));
  at("get-model").addEventListener("click", () => download(text.value.replaceAll("\n", ends), "text/plain", name.value || opened || "model.yaml"));
  at("get-report").addEventListener("click", () => download(shown.page, "text/html", (opened || "model").replace(/\.[^.]*$/, "") + ".html"));

  guarded(async () => {
    const names = await list();
    let wanted = "";
    try { wanted = decodeURIComponent(location.hash.slice(1)); } catch { /* not ours */ }
    models.value = names.includes(wanted) ? wanted : names[0] ?? "";
    await open();
  })();
})();
