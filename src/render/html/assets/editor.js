// SPDX-License-Identifier: Apache-2.0
// The editor of weir serve: asks the server about what is written, shows the report or what is wrong and where.
"use strict";

(() => {
  const at = (id) => document.getElementById(id);
  const text = at("text"), state = at("state"), mistakes = at("mistakes"), models = at("models"), name = at("name");
  const right = document.querySelector(".right");
  const writable = document.body.dataset.write === "yes";
  const bytesMax = 1 << 20;
  const begin = "weir: 1\nname: A first model\nunit: ms\noperators:\n  camera: {time: [2, 4]}\n  detect: {time: [8, 14]}\n" +
    "  display: {time: [3, 6]}\nqueues:\n  - camera -> detect -> display\ndeadlines:\n  - {from: camera, to: display, within: 60}\n";
  let frame = at("report"), coming = null, scrolled = 0; // the report, the one that is to take its place, and how far down it was
  let question = null, waiting = 0, took = 0, answered = 0;
  let opened = "", tag = "", kept = "", ends = "\n"; // the model in the editor, what its file was when it was read, and the text then

  const say = (words) => { state.textContent = words; };
  const changed = () => text.value !== kept;
  const query = (n) => n ? "?name=" + encodeURIComponent(n) : "";

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
    const height = parseFloat(getComputedStyle(text).lineHeight);
    text.focus();
    text.setSelectionRange(start, start + (word ? word[0].length : 0));
    text.scrollTop = Math.max(0, above.length * height - text.clientHeight / 2);
    text.scrollLeft = 0;
  }

  function complain(list) {
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
    right.classList.toggle("stale", list.length > 0);
    say(list.length === 0 ? "" : list.length === 1 ? "a mistake; the report is an earlier one" : `${list.length} mistakes; the report is an earlier one`);
  }

  // ---- the report ----

  // Runs at the end of the report: it tells how far down it is, and goes there. Its frame has an origin of its own, so that this is
  // the only way.
  const keeper = (to) => `<script>scrollTo(0, ${Number(to)}); addEventListener("scroll", () => parent.postMessage({scrolled: scrollY}, "*"));</` + "script>";

  // The old report stays until the new one is there.
  function show(page) {
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
    }, {once: true});
    const end = page.lastIndexOf("</body>");
    next.srcdoc = page.slice(0, end) + keeper(scrolled) + page.slice(end);
    right.append(next);
  }

  addEventListener("message", (event) => {
    if (event.source === frame.contentWindow && Number.isFinite(event.data?.scrolled)) scrolled = event.data.scrolled;
  });

  // ---- asking ----

  // Only the latest question counts; the server is told to forget the others.
  async function ask() {
    clearTimeout(waiting);
    question?.abort();
    const mine = question = new AbortController(), began = performance.now();
    say("analysing \u2026");
    try {
      const body = new Blob([text.value]);
      if (body.size > bytesMax) {
        complain([{line: 0, message: "A model has at most 1 MiB here."}]);
      } else {
        const answer = await fetch("/api/report" + query(name.value || opened), {method: "POST", body, signal: mine.signal});
        const page = await answer.text();
        if (mine !== question) return;
        if (answer.ok) {
          show(page);
          complain([]);
        } else {
          complain(answer.headers.get("Content-Type").startsWith("application/json") ? JSON.parse(page).errors : [{line: 0, message: page}]);
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
    keep(model, text.value, stamp);
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
        say("not saved");
        return;
      }
      answer = await put({});
    }
    const words = (await answer.text()).trim();
    say(words);
    if (!answer.ok) return;
    keep(model, what, answer.headers.get("ETag") ?? "");
    await list();
    say(words);
  }

  const guarded = (act) => () => act().catch(() => say("the server does not answer"));

  text.addEventListener("input", () => {
    mark();
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

  guarded(async () => {
    const names = await list();
    let wanted = "";
    try { wanted = decodeURIComponent(location.hash.slice(1)); } catch { /* not ours */ }
    models.value = names.includes(wanted) ? wanted : names[0] ?? "";
    await open();
  })();
})();
