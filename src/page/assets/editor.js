// SPDX-License-Identifier: Apache-2.0
// The editor of weir serve: asks the server about what is written, shows the report or what is wrong and where.
"use strict";

(() => {
  const at = (id) => document.getElementById(id);
  const text = at("text"), state = at("state"), mistakes = at("mistakes"), models = at("models"), name = at("name");
  const begin = "weir: 1\nname: A first model\nunit: ms\noperators:\n  camera: {time: [2, 4]}\n  detect: {time: [8, 14]}\n" +
    "  display: {time: [3, 6]}\nqueues:\n  - camera -> detect -> display\ndeadlines:\n  - {from: camera, to: display, within: 60}\n";
  let asked = 0, waiting = 0;

  function select(line, column) {
    const lines = text.value.split("\n").slice(0, Math.max(0, line - 1));
    const start = lines.reduce((sum, l) => sum + l.length + 1, 0) + Math.max(0, column - 1);
    text.focus();
    text.setSelectionRange(start, start + 1);
  }

  function complain(list) {
    mistakes.replaceChildren(...list.map((m) => {
      const button = Object.assign(document.createElement("button"), {type: "button"});
      button.textContent = m.line ? `line ${m.line}, column ${m.column}: ${m.message}` : m.message;
      button.addEventListener("click", () => select(m.line, m.column));
      const item = document.createElement("li");
      item.append(button);
      return item;
    }));
  }

  // Only the latest question counts.
  async function ask() {
    clearTimeout(waiting);
    const mine = ++asked;
    state.textContent = "analysing \u2026";
    try {
      const query = models.value ? "?name=" + encodeURIComponent(models.value) : "";
      const answer = await fetch("/api/report" + query, {method: "POST", body: text.value});
      const body = await answer.text();
      if (mine !== asked) return;
      if (answer.ok) {
        at("report").srcdoc = body;
        complain([]);
        state.textContent = "";
      } else {
        complain(answer.headers.get("Content-Type").startsWith("application/json") ? JSON.parse(body).errors : [{line: 0, message: body}]);
        state.textContent = "not a model yet";
      }
    } catch (error) {
      if (mine === asked) state.textContent = "the server does not answer";
    }
    document.body.dataset.answered = String(mine);
  }

  async function list() {
    const names = await (await fetch("/api/models")).json(), now = models.value;
    models.replaceChildren(new Option("new", ""), ...names.map((n) => new Option(n, n)));
    models.value = names.includes(now) ? now : "";
    return names;
  }

  async function open() {
    if (!models.value) {
      text.value = begin;
    } else {
      const answer = await fetch("/api/model?name=" + encodeURIComponent(models.value));
      if (!answer.ok) {
        state.textContent = await answer.text();
        return;
      }
      text.value = await answer.text();
      name.value = models.value;
    }
    ask();
  }

  async function save() {
    const answer = await fetch("/api/model?name=" + encodeURIComponent(name.value), {method: "PUT", body: text.value});
    state.textContent = (await answer.text()).trim();
    if (!answer.ok) return;
    await list();
    models.value = name.value;
  }

  text.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, 500);
  });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) ask();
  });
  models.addEventListener("change", open);
  at("ask").addEventListener("click", ask);
  at("save").addEventListener("click", save);
  list().then((names) => {
    if (names.length) models.value = names[0];
    open();
  }, () => { state.textContent = "the server does not answer"; });
})();
