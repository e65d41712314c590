// SPDX-License-Identifier: Apache-2.0
// Where in the text of a model its numbers stand, and the text with other numbers in their place. All else stays as it was written:
// comments, order, blanks, braces or lines of their own.
"use strict";

// The YAML that models are written in, with places. A node is {kind, from, to}: a "word" has a text, a "list" items {at, value}, a
// "map" entries {key, at, value}; `flow` are those in brackets, `column` is where the lines of the others begin. What is empty is null.
class WeirYaml {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  // The whole of a text; null where it is not understood.
  static read(text) {
    const yaml = new WeirYaml(text);
    try {
      if (/^---\s/.test(text)) yaml.at = 3;
      const root = yaml.block(0);
      return yaml.skip() === null ? root : null;
    } catch (error) {
      if (error instanceof WeirYamlError || error instanceof RangeError) return null;
      throw error;
    }
  }

  fail() {
    throw new WeirYamlError();
  }

  match(pattern) { // sticky ones
    pattern.lastIndex = this.at;
    return pattern.exec(this.text);
  }

  // Over blanks, comments and ends of lines; the column of what is next, null at the end.
  skip() {
    this.at += this.match(/(?:[ \t\r\n]|(?<=^|[\s,[{])#[^\n]*)*/y)[0].length;
    return this.at >= this.text.length ? null : this.at - (this.text.lastIndexOf("\n", this.at - 1) + 1);
  }

  block(least) {
    const column = this.skip();
    if (column === null || column < least) return null;
    if (this.match(/-(?=\s)/y)) return this.items(column);
    if (this.key()) return this.entries(column);
    const value = this.value();
    return this.end(), value;
  }

  // A key and its colon, if there are some.
  key() {
    return this.match(/("(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'|[^\s"'#[\]{},&*!|>%@`](?:[^\n#:]|:(?!\s)|(?<!\s)#)*?)[ \t]*:(?=\s|$)/y);
  }

  items(column) {
    const node = {kind: "list", from: this.at, items: [], flow: false, column};
    for (let here = column; here === column && this.match(/-(?=\s)/y); here = this.skip()) {
      const at = this.at++;
      this.at += this.match(/[ \t]*/y)[0].length;
      const inside = this.at - at + column, empty = this.match(/#|\r?\n|$/y), value = empty ? this.block(column + 1) : this.match(/-(?=\s)/y) ? this.items(inside) : this.key() ? this.entries(inside) : this.value();
      if (!empty) this.end();
      node.items.push({at, value});
      node.to = value?.to ?? at + 1;
    }
    return node;
  }

  entries(column) {
    const node = {kind: "map", from: this.at, entries: [], flow: false, column};
    for (let here = column; here === column; here = this.skip()) {
      const at = this.at, found = this.key() ?? this.fail();
      this.at += found[0].length;
      const behind = this.at;
      this.at += this.match(/[ \t]*/y)[0].length;
      const below = this.match(/#|\r?\n|$/y) !== null;
      let value = null;
      if (below) {
        const next = this.skip();
        value = next === column && this.match(/-(?=\s)/y) ? this.items(column) : next > column ? this.block(column + 1) : null;
      } else {
        value = this.value();
        this.end();
      }
      node.entries.push({key: WeirYaml.plain(found[1]), at, value});
      node.to = value?.to ?? behind;
    }
    return node;
  }

  // The rest of a line: nothing.
  end() {
    const rest = this.match(/[ \t]*(?:[ \t]#[^\n]*)?\r?(?=\n|$)/y);
    if (!rest && this.skip() !== null && this.text[this.at - 1] !== "\n" && !/^[ \t]*$/.test(this.text.slice(this.text.lastIndexOf("\n", this.at - 1) + 1, this.at))) this.fail();
  }

  value(flow = false) {
    const from = this.at, c = this.text[from];
    if (c === "{" || c === "[") return this.flow(c);
    if (/[&*!|>%@`]/.test(c)) this.fail();
    const found = this.match(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'/y) ?? this.match(flow ? /(?:[^\n#,{}[\]:]|:(?![\s,{}[\]])|(?<!\s)#)+/y : /(?:[^\n#]|(?<!\s)#)+/y) ?? this.fail();
    const word = found[0].trimEnd();
    this.at += word.length;
    return {kind: "word", from, to: this.at, text: WeirYaml.plain(word)};
  }

  flow(open) {
    const close = open === "{" ? "}" : "]", node = {kind: open === "{" ? "map" : "list", from: this.at++, flow: true, ...(open === "{" ? {entries: []} : {items: []})};
    for (this.skip(); this.text[this.at] !== close; this.skip()) {
      if (this.at >= this.text.length) this.fail();
      const at = this.at, word = open === "{" ? this.value(true) : null;
      if (word && (this.skip(), this.text[this.at] !== ":")) this.fail();
      if (word) this.at++, this.skip();
      const value = /[,}\]]/.test(this.text[this.at]) ? null : this.value(true);
      if (word) node.entries.push({key: word.text ?? this.fail(), at, value}); else node.items.push({at, value});
      this.skip();
      if (this.text[this.at] === ",") this.at++; else if (this.text[this.at] !== close) this.fail();
    }
    node.to = ++this.at;
    return node;
  }

  static plain(word) {
    if (/^".*"$/s.test(word)) try { return JSON.parse(word); } catch { return word; }
    return /^'.*'$/s.test(word) ? word.slice(1, -1).replaceAll("''", "'") : word;
  }
}

class WeirYamlError extends Error {}

class WeirModelText {
  constructor(text) {
    this.text = text;
    this.root = WeirYaml.read(text);
  }

  static get(map, key) {
    return map?.kind === "map" ? map.entries.find((e) => e.key === key)?.value ?? null : null;
  }

  static list(node) {
    return node?.kind === "list" ? node.items : [];
  }

  static quoted(name) {
    return /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(name) ? name : JSON.stringify(name);
  }

  section(name) {
    return WeirModelText.get(this.root, name);
  }

  owner(name) {
    return WeirModelText.get(this.section("operators") ?? this.section("kernels"), name);
  }

  // Where what belongs to a box or a line of the drawing stands: the time of an operator, the load of a kernel, the capacity of a queue.
  shown({operator, queue}) {
    const {get} = WeirModelText, {item} = queue ? this.queue(...queue) ?? {} : {}, owner = queue ? item?.value : this.owner(operator);
    return owner?.kind !== "map" ? owner ?? null : (queue ? ["capacity"] : ["time", "cost", "load", "times"]).map((key) => get(owner, key)).find((v) => v) ?? owner;
  }

  // ---- queues ----

  // The names that a queue leads through: "a -> b -> [c, d]", or from and to of a mapping. The last may be a list.
  static chain(value) {
    const names = (node) => node?.kind === "list" ? node.items.map((i) => i.value?.text ?? "") : node?.text ?? "";
    if (value?.kind === "map") return [names(WeirModelText.get(value, "from")), names(WeirModelText.get(value, "to"))];
    const found = value?.kind === "word" ? Array.from(value.text.matchAll(/\s*("(?:[^"\\]|\\.)*"|\[[^\]]*\]|(?:[^"[\s-]|-(?!>)|\s+(?!\s|->|$))+)\s*(?:->|$)/gu), (m) => m[1].trim()) : [];
    return found.map((word) => word[0] === "[" ? word.slice(1, -1).split(",").map((n) => WeirYaml.plain(n.trim())) : WeirYaml.plain(word));
  }

  // The item that has the queue, and how far along its chain; number: which of those with the same ends, from 1.
  queue(from, to, number = 1) {
    const all = this.section("queues") ?? this.section("dependencies");
    for (const item of WeirModelText.list(all)) {
      const chain = WeirModelText.chain(item.value);
      for (let link = 1; link < chain.length; link++)
        if (chain[link - 1] === from && (chain[link] === to || (Array.isArray(chain[link]) && chain[link].includes(to))) && --number === 0) return {all, item, chain, link};
    }
    return null;
  }

  // ---- changes ----

  put(from, to, words) {
    return new WeirModelText(this.text.slice(0, from) + words + this.text.slice(to));
  }

  // With another value of a key, or with a key that was not there; null: there is no place for it.
  set(map, path, value) {
    const [key, ...rest] = path, there = map.entries.find((e) => e.key === key), inner = there?.value;
    if (inner && rest.length && inner.kind === "map") return this.set(inner, rest, value);
    if (inner) return rest.length > 1 || (inner.kind === "map" && !rest.length) ? null : this.put(inner.from, inner.to, value);
    const words = `${key}: ${rest.length ? `{${rest[0]}: ${value}}` : value}`;
    if (there || rest.length > 1) return null;
    if (map.flow && !map.entries.length) return this.put(map.from + 1, map.from + 1, words);
    if (map.flow) return this.put(map.entries.at(-1).value?.to ?? map.to - 1, map.entries.at(-1).value?.to ?? map.to - 1, ", " + words);
    const end = this.text.indexOf("\n", map.to), at = end < 0 ? this.text.length : end;
    return this.put(at, at, `\n${" ".repeat(map.column)}${words}`);
  }

  // Other items in the place of one.
  replace(all, item, items) {
    return all.flow ? this.put(item.value.from, item.value.to, items.join(", ")) : this.put(item.at, item.value.to, items.map((i) => "- " + i).join("\n" + " ".repeat(all.column)));
  }

  static link(from, to, entry = "") {
    const {quoted} = WeirModelText;
    return entry || quoted(from) !== from || quoted(to) !== to ? `{from: ${quoted(from)}, to: ${quoted(to)}${entry && ", " + entry}}` : `${from} -> ${to}`;
  }

  // A queue with a value of its own; a chain, or a list of receivers, is taken apart.
  setQueue(from, to, number, key, value) {
    const found = this.queue(from, to, number), {link} = WeirModelText;
    if (!found) return null;
    const {all, item, chain} = found, whole = [chain[found.link]].flat().length === 1, before = chain.slice(0, found.link), behind = chain.slice(found.link);
    if (item.value.kind === "map") return whole ? this.set(item.value, [key], value) : null;
    const words = (names) => names.length < 2 ? [] : names.every((n) => [n].flat().every((m) => WeirModelText.quoted(m) === m)) && !(all.flow && Array.isArray(names.at(-1)))
      ? [names.map((n) => Array.isArray(n) ? `[${n.join(", ")}]` : n).join(" -> ")] : names.slice(1).flatMap((n, i) => [n].flat().map((m) => link(names[i], m)));
    const others = whole ? [] : chain[found.link].filter((n) => n !== to);
    return this.replace(all, item, [...words(before), link(from, to, `${key}: ${value}`), ...(whole ? words(behind) : others.map((n) => link(from, n)))]);
  }

  // The broadcast that a list of receivers stands for, spelled out: an operator of its own, and a queue to each. Null: it is none.
  unfold(name, none) {
    const [, sender, number] = /^(.*)\.broadcast(\d*)$/.exec(name) ?? [], all = this.section("queues"), operators = this.section("operators");
    const found = WeirModelText.list(all).filter(({value}) => { const chain = WeirModelText.chain(value); return Array.isArray(chain.at(-1)) && chain.at(-2) === sender; });
    const item = sender === undefined ? undefined : found[Number(number || 1) - 1], chain = WeirModelText.chain(item?.value), map = item?.value.kind === "map";
    if (!item || operators?.kind !== "map" || (map && item.value.entries.some((e) => !/^(from|to|capacity)$/.test(e.key)))) return null;
    const capacity = map ? WeirModelText.get(item.value, "capacity") : null, entry = capacity ? `capacity: ${this.text.slice(capacity.from, capacity.to)}` : "";
    const names = [...chain.slice(0, -1), name], {link} = WeirModelText, plain = !entry && names.every((n) => WeirModelText.quoted(n) === n);
    const items = [...(plain ? [names.join(" -> ")] : names.slice(1).map((n, i) => link(names[i], n, entry))), ...chain.at(-1).map((n) => link(name, n, entry))];
    const model = this.replace(all, item, items);
    return model.set(model.section("operators"), [WeirModelText.quoted(name)], none);
  }

  // ---- a change, as sliders tell it: {of, target, key, value, type} ----

  static ends(target) {
    const [, from, to, number] = /^("(?:[^"\\]|\\.)*"|.*?)(?:->("(?:[^"\\]|\\.)*"|.*?))?(?:#(\d+))?$/s.exec(target), plain = (n) => n && WeirYaml.plain(n);
    return {from: plain(from), to: plain(to), number: Number(number ?? 1)};
  }

  // The model with it; null: the text has no place for it.
  change({of, target, key, value}, none) {
    const {get, list} = WeirModelText, {from, to, number} = WeirModelText.ends(target), path = key.split(".");
    const spell = (name) => name && /\.broadcast\d*$/.test(name) && !this.owner(name) ? this.unfold(name, none) : null, spelled = spell(from) ?? spell(to);
    if (spelled) return spelled.change({of, target, key, value}, none);
    if (of === "queue") return this.setQueue(from, to, number, key, value);
    if (of === "deadline") {
      const found = list(this.section("deadlines")).filter(({value: v}) => get(v, "from")?.text === from && get(v, "to")?.text === to);
      return found.reduceRight((model, item) => model.set(item.value, path, value), found.length ? this : null); // the tightest of several counts
    }
    const operates = (source) => get(source, "operator")?.text === from || list(get(source, "operators")).some((i) => i.value?.text === from);
    const platform = this.section("platform"), gpu = get(platform, "gpu"), sources = [this.section("source"), ...list(this.section("sources")).map((i) => i.value)];
    const owner = of === "operator" ? this.owner(from) : of === "source" ? sources.find((s) => s && operates(s)) : of === "processor" ? get(this.section("processors"), from)
      : of === "platform" ? (gpu?.kind === "map" && !get(platform, key) ? gpu : platform) : null;
    const rate = of === "source" && key === "period" && owner?.kind === "map" ? owner.entries.find((e) => e.key === "rate") : null;
    if (rate) return this.put(rate.at, rate.value.to, `period: ${value}`);
    if (owner?.kind === "map") return this.set(owner, path, value);
    return owner && of === "operator" && /^(time|load)$/.test(key) ? this.put(owner.from, owner.to, value) : null; // "a: 4"
  }
}

// The text with changes made in it, or null where the place of one is not found. `unit` stands behind times where the text has none of
// its own.
function weirRewrite(text, changes, unit) {
  let model = new WeirModelText(text);
  const suffix = unit && !WeirModelText.get(model.root, "unit") ? unit : "";
  for (const {of, target, key, value, type} of changes) {
    const texts = value.map((v) => v + (type === "count" ? "" : suffix));
    model = model?.change({of, target, key, value: texts.length > 1 && texts[0] !== texts[1] ? `[${texts.join(", ")}]` : texts[0]}, "0" + suffix);
  }
  return model?.text ?? null;
}

if (typeof module !== "undefined") module.exports = {weirRewrite};
