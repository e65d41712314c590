// SPDX-License-Identifier: Apache-2.0
// A text area for models: line numbers, marks below what is wrong, completion of keys and names. It stays a text area, so that
// editing, undoing and reading it aloud are the browser's.
"use strict";

// The names in a section of a model, also while the text is no YAML: keys of its lines, or of what stands in brackets behind its name.
function weirNames(text, section) {
  const head = new RegExp(`^${section}:[ \\t]*(?:#.*)?`, "m").exec(text), found = [];
  if (!head) return found;
  const rest = text.slice(head.index + head[0].length), word = '"(?:[^"\\\\]|\\\\.)*"|\'[^\']*\'', add = (name) => { const plain = WeirYaml.plain(name.trim()); if (plain) found.push(plain); };
  if (/^[{[]/.test(rest)) {
    let depth = 0, last = "";
    for (const [, name, sign] of rest.matchAll(new RegExp(`(${word}|[^\\s{}[\\],:"'#][^{}[\\],:\\n#]*)|([{}[\\],:]|#[^\\n]*|\\n(?=\\S))`, "g"))) {
      if (sign === "\n") break; // the next section
      if (depth === 1 && (rest[0] === "{" ? sign === ":" : sign === "," || sign === "]")) add(last);
      last = name ?? "";
      if (sign === "{" || sign === "[") depth++;
      else if ((sign === "}" || sign === "]") && --depth === 0) break;
    }
    return found;
  }
  let outer = -1;
  for (const line of rest.split("\n").slice(1)) {
    const indent = /^ */.exec(line)[0].length, key = new RegExp(`^(?:-\\s+)?(${word}|[^\\s#{[-][^#]*?)\\s*(?::(?=\\s|$)|$)`).exec(line.slice(indent));
    if (!line.trim() || line.trim().startsWith("#")) continue;
    if (indent === 0 && !line.startsWith("-")) break;
    if (outer < 0) outer = indent;
    if (indent === outer && key) add(key[1]);
  }
  return found;
}

// ---- completion ----

class WeirWordsAt {
  constructor(schema) {
    this.schema = schema;
  }

  // All that a schema may be: references followed, alternatives side by side.
  kinds(node) {
    if (!node) return [];
    const more = ["anyOf", "allOf", "oneOf"].flatMap((key) => node[key] ?? []);
    if (node.$ref) more.push(this.schema.$defs[node.$ref.replace("#/$defs/", "")]);
    return [node, ...more.flatMap((n) => this.kinds(n))];
  }

  into(nodes, key) {
    return nodes.flatMap((n) => key === "[]" ? this.kinds(n.items) :
      n.properties?.[key] ? this.kinds(n.properties[key]) : typeof n.additionalProperties === "object" ? this.kinds(n.additionalProperties) : []);
  }

  // Where the end of the text stands: the keys that lead there, what is being written, and whether it is a value.
  place(text) {
    const lines = text.split("\n"), line = lines.pop(), lead = /^\s*(?:-\s+)*/.exec(line)[0];
    const path = [], stack = [];
    let need = lead.length, key = null, word = "", quote = "";
    if (/-/.test(lead)) path.unshift("[]");
    for (let i = lines.length - 1; i >= 0 && need > 0; i--) {
      const found = /^(\s*(?:-\s+)*)("[^"]*"|'[^']*'|[^\s#{[-][^:#]*?)\s*:(?=\s|$)/.exec(lines[i]);
      if (!found || found[1].length >= need) { if (found && /-/.test(found[1]) && found[1].length === need && !/-/.test(lead)) path.unshift("[]"); continue; }
      need = found[1].length;
      path.unshift(WeirYaml.plain(found[2]));
      if (/-/.test(found[1])) path.unshift("[]");
    }
    for (const c of line.slice(lead.length)) {
      if (quote) { if (c === quote) quote = ""; word += c; continue; }
      if (c === '"' || c === "'") { quote = c; word += c; }
      else if (c === "#" && /(^|\s)$/.test(word)) return null;
      else if (c === "{" || c === "[") { stack.push(key); if (key !== null) path.push(WeirYaml.plain(key)); if (c === "[") path.push("[]"); key = null; word = ""; stack.push(c); }
      else if (c === "}" || c === "]") { const open = stack.pop(), was = stack.pop(); if (open === "[") path.pop(); if (was != null) path.pop(); key = null; word = ""; }
      else if (c === ",") { key = null; word = ""; }
      else if (c === ":" && key === null) { key = word.trim(); word = ""; }
      else word += c;
    }
    return {path, key, word: word.trimStart(), flow: stack.length > 0, item: /-\s+$/.test(lead)};
  }

  // [{word, about, rest}] for what is being written, and how much of it is there.
  at(text, all) {
    const place = this.place(text);
    if (!place) return {have: "", list: []};
    const {path, key, word} = place, top = path[0] ?? "";
    const names = (...sections) => sections.flatMap((s) => weirNames(all, s).map((n) => ({word: WeirModelText.quoted(n), about: s.replace(/s$/, "")})));
    const operators = () => names("operators", "kernels");
    let list = [], have = word;
    if (key === null && (top === "queues" || top === "dependencies") && !place.flow && path.length <= 2) {
      have = word.split("->").at(-1).trimStart();
      list = operators().map((n) => ({...n, word: WeirYaml.plain(n.word)}));
      if (!word.includes("->")) list.push({word: "{from: , to: }", about: "a queue with keys", back: 7});
    } else {
      const nodes = path.reduce((found, p) => this.into(found, p), this.kinds(this.schema));
      const owner = path.at(-1);
      if (key !== null) {
        const inside = this.into(nodes, key), values = inside.flatMap((n) => n.enum ?? (n.const !== undefined ? [n.const] : n.type === "boolean" ? [true, false] : []));
        list = [...new Set(values.map(String))].map((v) => ({word: v, about: ""}));
        if (/^(from|to|operator)$/.test(key)) list = operators();
        if (key === "on") list = names("processors");
      } else if (owner === "[]" && /^(from|to)$/.test(path.at(-2) ?? "")) {
        list = operators();
      } else {
        list = nodes.flatMap((n) => Object.entries(n.properties ?? {})).map(([name, n]) =>
          ({word: name, about: (n.description ?? "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", ""), rest: ": "}));
      }
    }
    const seen = new Set();
    list = list.filter((c) => c.word.startsWith(have) && c.word !== have && !seen.has(c.word) && seen.add(c.word));
    return {have, list: list.slice(0, 50)};
  }
}

// ---- the area ----

class WeirCode {
  // numbers and marks are drawn for the lines that are in view, and no others.
  constructor(area, numbers, marks, choices, schema) {
    Object.assign(this, {area, numbers, marks, choices, wrong: [], chosen: -1, list: [], have: ""});
    this.words = new WeirWordsAt(schema);
    area.addEventListener("scroll", () => this.draw());
    area.addEventListener("input", (event) => { this.draw(); this.offer(event.inputType === "insertText" ? "typed" : "no"); });
    area.addEventListener("keydown", (event) => this.key(event));
    area.addEventListener("blur", () => this.close());
    area.addEventListener("pointerdown", () => this.close());
    choices.addEventListener("pointerdown", (event) => {
      const item = event.target.closest("[role=option]");
      if (item) this.take(Array.from(choices.children).indexOf(item));
      event.preventDefault(); // the text keeps the focus
    });
    new ResizeObserver(() => this.draw()).observe(area);
  }

  get height() {
    return parseFloat(getComputedStyle(this.area).lineHeight);
  }

  // [{line, column, message}], from 1; columns count characters.
  mark(wrong) {
    this.wrong = wrong.filter((m) => m.line);
    this.draw();
  }

  draw() {
    const {area} = this, {height} = this, lines = area.value.split("\n");
    const first = Math.max(0, Math.floor(area.scrollTop / height) - 1), count = Math.ceil(area.clientHeight / height) + 3;
    const shift = `translateY(${first * height - area.scrollTop}px)`, width = `${String(lines.length).length}ch`;
    const wrong = new Map();
    for (const m of this.wrong) { // a mistake at the end can be behind the last line
      const line = Math.min(m.line, lines.length);
      wrong.set(line, [...(wrong.get(line) ?? []), m]);
    }
    const numbers = [], rows = [];
    for (let i = first; i < Math.min(lines.length, first + count); i++) {
      const number = document.createElement("div"), row = document.createElement("div");
      number.textContent = String(i + 1);
      number.className = wrong.has(i + 1) ? "wrong" : "";
      let at = 0;
      for (const m of (wrong.get(i + 1) ?? []).sort((a, b) => a.column - b.column)) {
        const from = Math.max(at, Array.from(lines[i]).slice(0, Math.max(0, m.column - 1)).join("").length);
        const part = /^[\p{L}\p{N}_.-]+|^./u.exec(lines[i].slice(from))?.[0] ?? " ", line = document.createElement("u");
        line.textContent = part;
        row.append(lines[i].slice(at, from), line);
        at = from + part.length;
      }
      row.append(at === 0 ? "\u200b" : lines[i].slice(at));
      numbers.push(number);
      rows.push(row);
    }
    this.numbers.replaceChildren(...numbers);
    this.numbers.style.cssText = `transform: ${shift}; min-width: ${width}`;
    this.marks.replaceChildren(...rows);
    this.marks.style.transform = `translate(${-area.scrollLeft}px, ${first * height - area.scrollTop}px)`;
  }

  // ---- choices ----

  offer(why) {
    const {area} = this, before = area.value.slice(0, area.selectionStart);
    const {have, list} = why === "no" || area.selectionStart !== area.selectionEnd ? {have: "", list: []} : this.words.at(before, area.value);
    const behind = area.value[area.selectionStart] ?? "\n";
    if (list.length === 0 || (why === "typed" && (have.length === 0 || /[\p{L}\p{N}_]/u.test(behind)))) {
      this.close();
      return;
    }
    Object.assign(this, {list, have});
    this.choices.replaceChildren(...list.map((choice, i) => {
      const item = document.createElement("li"), about = document.createElement("span");
      item.id = "choice-" + i;
      item.setAttribute("role", "option");
      about.textContent = choice.about;
      item.append(choice.word, about);
      return item;
    }));
    this.choices.hidden = false;
    this.choose(why === "asked" ? 0 : -1);
    this.put(before);
  }

  // Below the caret, or above it where there is no room below.
  put(before) {
    const {area, choices, height} = this, line = before.split("\n"), measure = document.createElement("div");
    measure.textContent = line.at(-1).slice(0, line.at(-1).length - this.have.length) || "\u200b";
    measure.style.cssText = "position: absolute; width: max-content";
    this.marks.append(measure);
    const left = measure.getBoundingClientRect().width + 12 - area.scrollLeft;
    measure.remove();
    const top = line.length * height + 12 - area.scrollTop, below = top + choices.offsetHeight <= area.clientHeight;
    choices.style.left = `${Math.max(4, Math.min(left, area.clientWidth - choices.offsetWidth - 4))}px`;
    choices.style.top = `${below ? top : Math.max(0, top - height - choices.offsetHeight)}px`;
  }

  choose(i) {
    this.chosen = i;
    Array.from(this.choices.children).forEach((item, k) => {
      item.setAttribute("aria-selected", String(k === i));
      if (k === i) item.scrollIntoView({block: "nearest"});
    });
    if (i >= 0) this.area.setAttribute("aria-activedescendant", "choice-" + i);
    else this.area.removeAttribute("aria-activedescendant");
  }

  close() {
    this.choices.hidden = true;
    this.list = [];
    this.choose(-1);
  }

  take(i) {
    const {area} = this, choice = this.list[i], at = area.selectionStart, rest = choice.rest && !/^\s*:/.test(area.value.slice(at)) ? choice.rest : "";
    const {have} = this;
    this.close();
    area.focus();
    area.setSelectionRange(at - have.length, at);
    document.execCommand("insertText", false, choice.word + rest); // it can be undone
    if (choice.back) area.setSelectionRange(area.selectionStart - choice.back, area.selectionStart - choice.back);
    if (choice.back || rest) this.offer("asked");
    if (this.chosen >= 0) this.choose(-1);
  }

  key(event) {
    const open = !this.choices.hidden, count = this.list.length;
    const acts = {
      ArrowDown: () => this.choose((this.chosen + 1) % count), ArrowUp: () => this.choose((this.chosen <= 0 ? count : this.chosen) - 1),
      Escape: () => this.close(), Tab: () => this.take(Math.max(0, this.chosen)), Enter: () => this.take(this.chosen),
    };
    if (event.key === " " && event.ctrlKey) this.offer("asked");
    else if (open && !event.ctrlKey && !event.metaKey && !event.shiftKey && Object.hasOwn(acts, event.key) && (event.key !== "Enter" || this.chosen >= 0)) acts[event.key]();
    else {
      if (open && /^(Arrow(Left|Right)|Home|End|Enter)$/.test(event.key)) this.close();
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}
