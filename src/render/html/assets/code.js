// SPDX-License-Identifier: Apache-2.0
// A text area for models: line numbers, marks below what is wrong, completion of keys and names, and where in the text an
// operator's time or a queue's capacity stands. It stays a text area, so that editing, undoing and reading it aloud are the browser's.
"use strict";

// ---- where things stand in a model ----

const WeirText = {
  // From the opening bracket to behind the closing one; quotes hold no brackets.
  bracket(text, from) {
    let depth = 0, quote = "";
    for (let i = from; i < text.length; i++) {
      const c = text[i];
      if (quote) { if (c === quote) quote = ""; continue; }
      if (c === '"' || c === "'") quote = c;
      else if (c === "{" || c === "[") depth++;
      else if ((c === "}" || c === "]") && --depth === 0) return i + 1;
    }
    return -1;
  },

  // A value that begins there: in brackets, in quotes, or up to what ends a plain one.
  value(text, from) {
    if (text[from] === "{" || text[from] === "[") return {from, to: WeirText.bracket(text, from)};
    const found = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^,}\]#\n]*)/.exec(text.slice(from))[0].trimEnd();
    return {from, to: from + found.length};
  },

  plain(word) {
    if (/^".*"$/.test(word)) try { return JSON.parse(word); } catch { return word; }
    return /^'.*'$/.test(word) ? word.slice(1, -1).replaceAll("''", "'") : word;
  },

  // The entries of a mapping in braces: name -> where its value stands.
  entries(text, from, to) {
    const found = new Map();
    for (let at = from + 1; at < to - 1;) {
      const key = /^[\s,]*("(?:[^"\\]|\\.)*"|'[^']*'|[^\s:,{}[\]]+)\s*:\s*/.exec(text.slice(at, to));
      if (!key) break;
      const value = WeirText.value(text, at + key[0].length);
      if (value.to < 0) break;
      found.set(WeirText.plain(key[1]), value);
      at = value.to;
    }
    return found;
  },

  // The lines of a section of the model: {at: offset, indent, words}, without those that are empty or comments.
  section(text, name) {
    const head = new RegExp(`^${name}:[ \\t]*(?:#.*)?$`, "m").exec(text), lines = [];
    if (!head) return lines;
    for (let at = head.index + head[0].length + 1; at < text.length;) {
      const end = text.indexOf("\n", at) < 0 ? text.length : text.indexOf("\n", at), line = text.slice(at, end);
      const indent = /^ */.exec(line)[0].length, words = line.trim();
      if (words && !words.startsWith("#")) {
        if (indent === 0 && !words.startsWith("-")) break;
        lines.push({at, indent, words: line.slice(indent), end});
      }
      at = end + 1;
    }
    return lines;
  },

  // Names of a section, each with what is said of it: {name, value} where value is a range, or the lines below.
  named(text, section) {
    const lines = WeirText.section(text, section), found = [];
    const outer = lines.length ? lines[0].indent : 0;
    for (const line of lines) {
      const key = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#{[-][^#]*?)\s*:(?=\s|$)\s*/.exec(line.words);
      if (line.indent === outer && key) {
        const from = line.at + line.indent + key[0].length, rest = text.slice(from, line.end);
        found.push({name: WeirText.plain(key[1]), at: line.at + line.indent, below: [],
          value: rest && !rest.startsWith("#") ? WeirText.value(text, from) : null});
      } else if (line.indent > outer && found.length) {
        found.at(-1).below.push(line);
      }
    }
    return found;
  },

  // Where the value of a key stands, of something that `named` or `queues` found.
  keyOf(text, thing, key) {
    if (thing.value) return text[thing.value.from] === "{" ? WeirText.entries(text, thing.value.from, thing.value.to).get(key) ?? null : null;
    for (const line of thing.below) {
      const found = new RegExp(`^${key}:\\s+`).exec(line.words);
      if (found) return WeirText.value(text, line.at + line.indent + found[0].length);
    }
    return null;
  },

  // A section that is one mapping: `platform`, `source`.
  whole(text, name) {
    const flow = new RegExp(`^${name}:[ \\t]+(?=\\{)`, "m").exec(text);
    return {value: flow ? WeirText.value(text, flow.index + flow[0].length) : null, below: flow ? [] : WeirText.section(text, name)};
  },

  operator(text, name) {
    return WeirText.named(text, "operators").find((o) => o.name === name) ?? null;
  },

  time(text, name) {
    const thing = WeirText.operator(text, name);
    if (!thing) return null;
    return thing.value && text[thing.value.from] !== "{" ? thing.value : WeirText.keyOf(text, thing, "time");
  },

  // The items of `queues`: in braces, as lines of keys, or as a chain of names.
  queues(text) {
    const lines = WeirText.section(text, "queues"), found = [];
    const outer = lines.length ? lines[0].indent : 0;
    for (const line of lines) {
      const dash = /^-\s+/.exec(line.words);
      if (line.indent === outer && dash) {
        const from = line.at + line.indent + dash[0].length, rest = text.slice(from, line.end);
        const item = {at: line.at + line.indent, from, end: line.end, indent: line.indent, below: [], value: null, chain: null};
        if (rest.startsWith("{")) item.value = WeirText.value(text, from);
        else if (/^[^:]*->/.test(rest)) item.chain = WeirText.plain(rest.replace(/\s+#.*$/, "").trim()).split(/\s*->\s*/);
        else item.below.push({at: from, indent: 0, words: rest, end: line.end});
        found.push(item);
      } else if (line.indent > outer && found.length) {
        found.at(-1).below.push(line);
      }
    }
    return found;
  },

  // The item that has the queue; number: which of those with the same ends, from 1.
  queue(text, from, to, number) {
    for (const item of WeirText.queues(text)) {
      const word = (key) => { const v = WeirText.keyOf(text, item, key); return v && WeirText.plain(text.slice(v.from, v.to)); };
      const link = item.chain ? item.chain.findIndex((name, i) => i > 0 && item.chain[i - 1] === from && name === to) : -1;
      if ((link > 0 || (!item.chain && word("from") === from && word("to") === to)) && --number === 0) return {...item, link};
    }
    return null;
  },

  // The broadcast that a list of receivers stands for, spelled out: an operator of its own, and a queue to each. Null: it is none.
  unfold(text, name, none) {
    const [, sender, number] = /^(.*)\.broadcast(\d*)$/.exec(name) ?? [], found = [];
    for (const item of sender === undefined ? [] : WeirText.queues(text)) {
      const entries = item.value && WeirText.entries(text, item.value.from, item.value.to), word = (key) => WeirText.plain(text.slice(entries.get(key)?.from, entries.get(key)?.to));
      const chain = entries ? [word("from"), word("to")] : item.chain ?? [], list = /^\[(.*)\]$/s.exec(chain.at(-1) ?? "");
      if (list && chain.at(-2) === sender) found.push({item, entries, chain: chain.slice(0, -1), to: list[1].split(",").map((n) => WeirText.plain(n.trim()))});
    }
    const one = found[Number(number || 1) - 1], owner = WeirText.operator(text, sender);
    if (!one || !owner || (one.entries && [...one.entries.keys()].some((key) => !/^(from|to|capacity)$/.test(key)))) return null;
    const {item, entries} = one, capacity = entries?.get("capacity"), more = capacity ? `, capacity: ${text.slice(capacity.from, capacity.to)}` : "";
    const plain = [...one.chain, name, ...one.to].every((n) => WeirText.quoted(n) === n) && !more;
    const queue = (names) => plain ? "- " + names.join(" -> ") : `- {from: ${WeirText.quoted(names[0])}, to: ${WeirText.quoted(names.at(-1))}${more}}`;
    const lines = [...(plain ? [queue([...one.chain, name])] : one.chain.map((n, i) => queue([n, one.chain[i + 1] ?? name]))), ...one.to.map((n) => queue([name, n]))];
    const comment = entries ? "" : /\s+#.*$/.exec(text.slice(item.from, item.end))?.[0] ?? "", last = owner.below.at(-1)?.end ?? text.indexOf("\n", owner.value?.to ?? owner.at);
    const indent = /[^\n]*$/.exec(text.slice(0, owner.at))[0];
    if (/\S/.test(indent) || last < 0 || last > item.at) return null;
    return `${text.slice(0, last)}\n${indent}${WeirText.quoted(name)}: ${none}${text.slice(last, item.at)}${lines.join("\n" + " ".repeat(item.indent))}${text.slice(item.value?.to ?? item.end - comment.length)}`;
  },

  quoted(name) {
    return /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(name) ? name : JSON.stringify(name);
  },
};

// The text with changes in the words of --what-if made in it ("infer.time=[700, 797]", "a->b#2.capacity=3"), or null where the place
// of one is not found. `unit` stands behind times where the text has none of its own.
function weirRewrite(text, changes, unit) {
  const put = (at, words) => { text = text.slice(0, at.from) + words + text.slice(at.to); };
  const suffix = unit && !/^unit:/m.test(text) ? unit : "";
  for (const change of changes) {
    const [, target, key, given] = /^(.*)\.([a-z-]+)=([\d., []+\]?)$/.exec(change) ?? [];
    const link = /^(.*?)\s*->\s*(.*?)(?:#(\d+))?$/.exec(target ?? ""), count = /^(capacity|workers|cores|initial|consume)$/.test(key);
    if (target === undefined) return null;
    for (const name of link ? link.slice(1, 3) : [target])
      if (/\.broadcast\d*$/.test(name) && !WeirText.operator(text, name)) text = WeirText.unfold(text, name, "0" + suffix) ?? text;
    const same = /^\[(.*), \1\]$/.exec(given), value = (same ? same[1] : given).replace(/\d[\d.]*/g, (n) => n + (count ? "" : suffix));
    if (link) {
      const item = key === "capacity" ? WeirText.queue(text, link[1], link[2], Number(link[3] ?? 1)) : null;
      if (!item || !weirRewriteQueue(text, item, link, `${key}: ${value}`, put)) return null;
      continue;
    }
    const thing = target === "platform" ? WeirText.whole(text, "platform") : key === "period" ? WeirText.whole(text, "source") : WeirText.operator(text, target);
    const at = !thing ? null : key === "time" ? WeirText.time(text, target) : WeirText.keyOf(text, thing, key);
    if (!at || at.to < 0) return null;
    put(at, value);
  }
  return text;
}

function weirRewriteQueue(text, item, [, from, to], entry, put) {
  const key = entry.slice(0, entry.indexOf(":")), at = item.chain ? null : WeirText.keyOf(text, item, key);
  if (at) put(at, entry.slice(key.length + 2));
  else if (item.value) put({from: item.value.to - 1, to: item.value.to - 1}, ", " + entry);
  else if (!item.chain) put({from: item.end, to: item.end}, `\n${" ".repeat(item.indent + 2)}${entry}`);
  else {
    const pieces = [item.chain.slice(0, item.link), null, item.chain.slice(item.link)].filter((p) => p === null || p.length > 1);
    const comment = /\s+#.*$/.exec(text.slice(item.from, item.end))?.[0] ?? "";
    put({from: item.at, to: item.end - comment.length}, pieces.map((p) =>
      p ? "- " + p.join(" -> ") : `- {from: ${WeirText.quoted(from)}, to: ${WeirText.quoted(to)}, ${entry}}`).join("\n" + " ".repeat(item.indent)));
  }
  return true;
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
      path.unshift(WeirText.plain(found[2]));
      if (/-/.test(found[1])) path.unshift("[]");
    }
    for (const c of line.slice(lead.length)) {
      if (quote) { if (c === quote) quote = ""; word += c; continue; }
      if (c === '"' || c === "'") { quote = c; word += c; }
      else if (c === "#" && /(^|\s)$/.test(word)) return null;
      else if (c === "{" || c === "[") { stack.push(key); if (key !== null) path.push(WeirText.plain(key)); if (c === "[") path.push("[]"); key = null; word = ""; stack.push(c); }
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
    const names = (...sections) => sections.flatMap((s) => WeirText.named(all, s).map((n) => ({word: WeirText.quoted(n.name), about: s.replace(/s$/, "")})));
    const operators = () => names("operators", "kernels");
    let list = [], have = word;
    if (key === null && (top === "queues" || top === "dependencies") && !place.flow && path.length <= 2) {
      have = word.split("->").at(-1).trimStart();
      list = operators().map((n) => ({...n, word: WeirText.plain(n.word)}));
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
