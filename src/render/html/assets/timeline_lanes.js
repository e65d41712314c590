// SPDX-License-Identifier: Apache-2.0
// The lanes of a timeline: bars with their times, how full queues are, the critical path, the ribbon of the measured message, and
// what it all was before. Only what is looked at is drawn.
"use strict";

const WEIR_KINDS = ["pale", "solid", "pale", "solid", "block", "block", "window", "outline", "within", "next", "gpu", "delay", "tardy", "line", "line", "line", "post", "line", "post"];
const WEIR_KIND = {LAUNCH: 4, PART: 5, WINDOW: 6, NEXT: 9, GPU: 10, DELAY: 11, TARDY: 12, LATENCY: 13, ENABLED: 14, ARRIVAL: 15, DEADLINE: 16, RELEASE: 17, LOST: 18};
const WEIR_LANES_MANY = 120; // more than these are drawn as they come into view
const WEIR_ROWS_MOST = 6, WEIR_LEVELS_MOST = 4, WEIR_STRIP = 8, WEIR_HEADING = 24;
const WEIR_WAITS = ["begins", "waited for data", "was busy with the iteration before", "waited for room (backpressure)", "waited for its period", "waited for its turn"];
const WEIR_WAY = ["", "", "", " tl-room", " tl-period", " tl-turn"];

class WeirTimelineLanes {
  constructor(timeline) {
    this.t = timeline;
    this.data = timeline.data;
    this.clock = timeline.clock;
    this.lay();
  }

  // ---- where lanes are ----

  lay() {
    const {t} = this, {lanes} = this.data, shown = [];
    lanes.forEach((lane, i) => { if (lane.on || !t.folds || !t.foldable) shown.push(i); });
    const rows = shown.reduce((sum, i) => sum + Math.min(lanes[i].rows, WEIR_ROWS_MOST), 0);
    this.bar = t.compact ? 16 : shown.length > 24 ? 16 : 20;
    this.strips = WEIR_LEVELS_MOST;
    if (t.tight) {
      const room = Math.max(160, innerHeight * 0.62) / Math.max(1, rows);
      this.bar = Math.max(6, Math.min(this.bar, Math.floor(room - 6)));
      this.strips = room > 30 ? 1 : 0;
    }
    this.names = t.compact ? 14 : 0;
    this.places = lanes.map(() => null);
    let y = 2, group = -1;
    this.count = 0;
    this.headings = [];
    for (const i of shown) {
      const lane = lanes[i];
      if (lane.group !== group && this.data.groups[lane.group]?.heading) {
        this.headings.push([this.data.groups[lane.group], y]);
        y += WEIR_HEADING;
      }
      group = lane.group;
      this.places[i] = {...this.place(lane, y), number: this.count++};
      y += this.places[i].height;
    }
    this.shown = shown;
    this.foldAt = t.foldable && t.folds ? y : -1;
    this.height = y + (this.foldAt >= 0 ? 26 : 0) + 2;
  }

  place(lane, top) {
    if (lane.rowName) {
      const row = Math.min(34, Math.max(3.1, 400 / lane.rows)), scale = row * lane.rows > 1500 ? 1500 / lane.rows : row;
      return {top, first: top + this.names, row: scale, rows: lane.rows, height: scale * lane.rows + this.names, strips: 0};
    }
    const rows = Math.min(lane.rows, WEIR_ROWS_MOST), strips = Math.min(lane.levels.length, this.strips);
    const low = lane.spans.some((s) => s[0] === WEIR_KIND.NEXT) ? 4 : 0;
    return {top, first: top + 4 + this.names, row: this.bar + 2, rows, strips, height: 7 + this.names + (this.bar + 2) * rows + strips * (WEIR_STRIP + 1) + low};
  }

  y(lane, row) {
    const place = this.places[lane];
    return place.first + place.row * Math.min(row, place.rows - 1);
  }

  // ---- all of it ----

  // The lanes that are in view, and some above and below them; all where there are not many, and on paper.
  get drawn() {
    const {t} = this;
    this.window = null;
    if (this.shown.length <= WEIR_LANES_MANY || t.printing) return this.shown;
    const high = Math.max(t.scroll.clientHeight, 400), top = t.scroll.scrollTop;
    this.window = {from: top - high, to: top + 2 * high};
    return this.shown.filter((i) => this.places[i].top < this.window.to && this.places[i].top + this.places[i].height > this.window.from);
  }

  // Whether what is in view was not drawn.
  get stale() {
    const {clientHeight, scrollTop} = this.t.scroll;
    return this.window !== null && ((scrollTop < this.window.from + clientHeight / 2 && this.window.from > 0) || (scrollTop + 1.5 * clientHeight > this.window.to && this.window.to < this.height));
  }

  svg() {
    const drawn = this.drawn, {t} = this, right = t.left + t.width, id = t.figure.dataset.prefix + "plot";
    const grid = this.clock.scale(t.view.from, t.view.to, t.width, t.compact ? 70 : 90).map(([place]) => `M${weirRound(t.x(place))} 0V${this.height}`).join("");
    this.words = []; // in bars and blocks: above all lines
    const plot = [`<path class="tl-grid" d="${grid}"/>`, this.over(), this.posts(false), this.ribbon(), ...drawn.map((i) => this.lane(i)), this.ghost(), this.posts(true), this.path(), ...this.words];
    return `<svg class="tl tl-lanes" width="${t.whole}" height="${this.height}" viewBox="0 0 ${t.whole} ${this.height}" role="img" aria-label="${weirEscape(this.data.title)}">
<defs><clipPath id="${id}"><rect x="${t.left}" y="0" width="${t.width}" height="${this.height}"/></clipPath>${WeirTimelineLanes.hatch(t.figure.dataset.prefix)}</defs>
${drawn.map((i) => this.band(i)).join("")}<g clip-path="url(#${id})">${plot.join("\n")}</g><path class="tl-tick" d="M${t.left - 0.5} 0V${this.height}"/>
${drawn.map((i) => this.name(i)).join("")}${this.headings.map(([g, y]) => this.heading(g, y)).join("")}${this.fold(right)}<g class="tl-cursor"></g></svg>`;
  }

  static hatch(prefix) {
    return ["waiting", "blocked"].map((kind, i) => `<pattern id="${prefix}tl-${kind}" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(${i ? -45 : 45})"><rect class="tl-${kind}-ground" width="7" height="7"/><rect class="tl-${kind}-line" width="2.2" height="7"/></pattern>`).join("");
  }

  band(i) {
    const {top, height, number} = this.places[i];
    return number % 2 ? "" : `<rect class="tl-band" x="0" y="${top}" width="${this.t.whole}" height="${height}"/>`;
  }

  name(i) {
    const lane = this.data.lanes[i], {t} = this, place = this.places[i];
    const room = Math.floor((t.compact ? t.width : t.left - 14 - (lane.rowName ? 24 : 0)) / 6.7), text = lane.name.length > room ? lane.name.slice(0, room - 1) + "\u2026" : lane.name;
    const y = t.compact || lane.rowName ? place.top + 12 : place.first + Math.min(this.bar, place.row) / 2 + 4;
    const numbers = lane.rowName && !t.compact ? this.numbers(lane, place) : "";
    const behind = t.compact ? t.left + 5 + 7 * text.length + 8 : 0; // the name stands in the same line
    const label = lane.label ? `<text class="tl-faint" x="${weirRound(Math.max(behind, Math.min(t.x(lane.labelAt) + 6, t.left + t.width + 4)))}" y="${weirRound(y)}">${weirEscape(lane.label)}</text>` : "";
    return `<g class="wt-item"><title>${weirEscape(lane.details ?? lane.name)}</title><text class="tl-name tl-halo${lane.on ? "" : " tl-off"}" x="${t.compact ? t.left + 5 : 8}" y="${weirRound(y)}">${weirEscape(text)}</text>${label}</g>${numbers}`;
  }

  numbers(lane, place) {
    let step = 1;
    while (place.row * step < 13 && step < lane.rowLimit) step = [2, 5, 10, 20, 50, 100, 200, 500].find((s) => s > step) ?? lane.rowLimit;
    const texts = [];
    for (let row = 0; row < lane.rowLimit; row += step)
      texts.push(`<text class="tl-faint" text-anchor="end" x="${this.t.left - 4}" y="${weirRound(Math.max(place.first + place.row * (row + 0.5) + 4, 10))}">${row}</text>`);
    return texts.join("");
  }

  heading(group, y) {
    const room = Math.floor((this.t.whole - 30) / 6.7) - group.name.length, note = group.note && group.note.length > room ? group.note.slice(0, Math.max(0, room - 1)) + "\u2026" : group.note;
    return `<path class="tl-tick" d="M0 ${y + 0.5}H${this.t.whole}"/><text class="tl-halo" x="8" y="${y + 16}"><tspan class="tl-strong">${weirEscape(group.name)}</tspan>${note ? `<tspan class="tl-faint" dx="8">${weirEscape(note)}</tspan>` : ""}</text>`;
  }

  fold(right) {
    if (this.foldAt < 0) return "";
    const {t} = this, count = t.foldable + this.data.leftOut;
    return `<g class="tl-fold"><title>Show the lanes beside the critical path</title><rect x="0" y="${this.foldAt}" width="${right}" height="26"/><text class="tl-name" x="8" y="${this.foldAt + 17}">+${count} others</text></g>`;
  }

  // ---- bars ----

  lane(i) {
    const lane = this.data.lanes[i], parts = [], {view} = this.t, {rows} = this.places[i], crowd = lane.rows > rows ? [] : null;
    let run = null;
    const flush = () => { if (run) parts.push(this.bars(i, run)); run = null; };
    for (const span of lane.spans) {
      const [kind, row, , begin, end] = span, from = WeirClock.place(begin), to = WeirClock.place(end);
      if (to < view.from || from > view.to) continue;
      if (lane.rowName || kind > 3) {
        flush();
        parts.push(this.item(i, span));
        continue;
      }
      const left = this.t.x(begin), right = this.t.x(end);
      if (crowd && row >= rows - 1 && WEIR_KINDS[kind] !== "solid") {
        const last = crowd.at(-1);
        if (!last || left > last.right + 1) crowd.push({row, left, right, spans: [span]});
        else {
          last.spans.push(span);
          last.right = Math.max(last.right, right);
        }
        continue;
      }
      if (run && run.row === row && left - run.right < 1 && right - left < WEIR_MANY && (run.spans.length > 1 || run.right - run.left < WEIR_MANY)) {
        run.spans.push(span);
        run.right = Math.max(run.right, right);
        continue;
      }
      flush();
      run = {row, left, right, spans: [span]};
    }
    flush();
    const above = crowd && lane.spans.some(([kind, row]) => row >= rows - 1 && WEIR_KINDS[kind] === "solid"); // whose words come first
    crowd?.forEach((many) => parts.unshift(this.bars(i, {...many, bare: above}))); // in the last row that is shown are all of those further down
    return parts.join("") + this.levels(i);
  }

  bars(i, run) {
    const lane = this.data.lanes[i], y = this.y(i, run.row), first = run.spans[0], last = run.spans.at(-1), {t} = this;
    const left = Math.max(run.left, t.left - 3), right = Math.min(run.right, t.left + t.width + 3), width = Math.max(1, right - left);
    const [kind, , iteration, from, to, more] = first, many = run.spans.length > 1;
    const takes = this.clock.length(from, to), solid = many || WEIR_KINDS[kind] === "solid";
    const title = many ? `${lane.name}, ${run.spans.length} ${this.data.iterationName}s between ${iteration} and ${last[2]}: ${this.clock.text(from)} to ${this.clock.amount(last[4])}` : this.telling(lane, first);
    const time = more?.open ? "" : this.clock.text(takes);
    const label = many ? weirFits([`${run.spans.length} ${this.data.iterationName}s`, `\u00d7${run.spans.length}`], width)
      : more?.label ? weirFits([time ? `${more.label}: ${this.clock.with(time)}` : more.label, more.label, `${iteration}`], width)
      : weirFits(time ? [`${iteration}: ${this.clock.with(time)}`, `${iteration}: ${time}`, solid ? time : `${iteration}`, `${iteration}`] : [`${iteration}`], width);
    if (label && !run.bare && this.bar >= 11) this.words.push(`<text class="${solid ? "tl-on" : "tl-in tl-halo"}" text-anchor="middle" x="${weirRound((Math.max(left, t.left) + Math.min(right, t.left + t.width)) / 2)}" y="${weirRound(y + this.bar / 2 + 4)}">${weirEscape(label)}</text>`);
    return `<g class="wt-run" data-operator="${weirEscape(lane.name)}" data-iteration="${iteration}" data-lane="${i}" data-critical="${solid && !many ? 1 : 0}"><title>${weirEscape(title)}</title><rect class="${many ? "tl-many" : `tl-k${this.look(first)} tl-${WEIR_KINDS[kind]}`}" x="${weirRound(left)}" y="${weirRound(y)}" width="${weirRound(width)}" height="${this.bar}" rx="2"/></g>`;
  }

  look([, , iteration, , , more]) {
    const look = Number(more?.look ?? Math.max(0, Number(iteration)));
    return look % 8;
  }

  telling(lane, [, , iteration, from, to, more]) {
    const {clock} = this, what = more?.label ?? `${lane.name}, ${this.data.iterationName} ${iteration}`;
    const when = more?.open ? `${clock.amount(from)} to after the end` : `${clock.text(from)} to ${clock.amount(to)}`;
    return `${what}: ${when}${more?.open ? "" : `, takes ${clock.amount(clock.length(from, to))}`}${more?.note ? ", " + more.note : ""}`;
  }

  // Everything that is no execution of its own.
  item(i, span) {
    const lane = this.data.lanes[i], [kind, row, , begin, end, more] = span, {t} = this, x = t.x(begin);
    const y = this.y(i, row), height = lane.rowName ? this.places[i].row * (more?.rows ?? 1) : this.bar, look = `tl-k${this.look(span)}`;
    const left = Math.max(x, t.left - 3), width = Math.max(kind === WEIR_KIND.GPU ? 0 : 1, Math.min(t.x(end), t.left + t.width + 3) - left), middle = y + height / 2;
    const rect = (name, top, high) => `<rect class="${look} tl-${name}" x="${weirRound(left)}" y="${weirRound(top)}" width="${weirRound(width)}" height="${weirRound(high)}"/>`;
    const line = (d) => `<path class="${look} tl-line" d="${d}"/>`;
    if (kind === WEIR_KIND.GPU) return `<rect class="tl-gpu" x="${weirRound(left)}" y="${weirRound(y)}" width="${weirRound(width)}" height="4"/>`;
    if (kind === WEIR_KIND.DELAY) return this.delay(i, span, {left, y, width, middle: (left + left + width) / 2});
    if (kind === WEIR_KIND.TARDY) return `<g class="wt-item"><title>${weirEscape(this.telling(lane, span))}</title><rect class="tl-tardy" x="${weirRound(left)}" y="${weirRound(y + height - 5)}" width="${weirRound(width)}" height="5"/></g>`;
    if (kind === WEIR_KIND.LOST) return `<g class="wt-item"><title>${weirEscape(`${this.clock.amount(begin)}: ${more?.note ?? "a message is lost"}`)}</title><path class="tl-limit tl-post" d="M${weirRound(x - 4)} ${weirRound(middle - 4)}l8 8m0 -8l-8 8"/></g>`;
    if (kind === WEIR_KIND.RELEASE) return line(`M${weirRound(x)} ${y + height + 1}v${-(height + 2)}m-3 5l3 -5l3 5`);
    if (kind === WEIR_KIND.NEXT) return rect("next", y + height + 2, 4);
    if (kind === WEIR_KIND.LATENCY) return line(`M${weirRound(left)} ${middle - 4}v8M${weirRound(left + width)} ${middle - 4}v8M${weirRound(left)} ${middle}h${weirRound(width)}`);
    if (kind === WEIR_KIND.ENABLED) return line(`M${weirRound(x)} ${y - 2}v${height + 4}`);
    if (kind === WEIR_KIND.ARRIVAL) return line(`M${weirRound(x)} ${y - 1}v${height + 1}m-3 -5l3 5l3 -5`);
    if (kind === WEIR_KIND.DEADLINE) { // as in rulers; what lies beyond it is shaded
      const state = WEIR_STATES[more?.look ?? 0], over = end > begin ? `<rect class="tl-over tl-${state}" x="${weirRound(left)}" y="${y - 2}" width="${weirRound(width)}" height="${height + 4}"/>` : "";
      return `${over}<path class="tl-${state} tl-post" d="M${weirRound(x)} ${y - 2}v${height + 4}m0 ${-(height + 4)}h-5m5 ${height + 4}h-5"/>`;
    }
    if (lane.rowName) return this.block(lane, span, {left, y, width, height});
    const within = WEIR_KINDS[kind] === "outline" || WEIR_KINDS[kind] === "within";
    return `<g class="wt-run" data-operator="${weirEscape(lane.name)}"><title>${weirEscape(more?.label ? this.telling(lane, span) : lane.details ?? this.telling(lane, span))}</title>${rect(WEIR_KINDS[kind], y + (within ? 2 : 0), height - (within ? 4 : 0))}</g>`;
  }

  // What can come before an execution ends, with an arrow from the lane of those that cause it.
  delay(i, span, {left, y, width, middle}) {
    const more = span[5], high = this.bar - 3, room = Math.floor((width - 6) / 5.8), name = more.label ?? "", from = this.places[more.by];
    const label = room < 4 ? "" : name.length > room ? name.slice(0, room - 1) + "\u2026" : name, look = `tl-k${this.look(span)}`;
    const begin = from && width > 6 ? this.y(more.by, 0) + this.bar / 2 : null, down = begin < y;
    const arrow = begin === null ? "" : `<path class="${look} tl-by" d="M${weirRound(middle)} ${weirRound(begin)}V${weirRound(down ? y : y + high)}${down ? "m-3 -5l3 5l3 -5" : "m-3 5l3 -5l3 5"}"/>`;
    return `<g class="wt-run" data-operator="${weirEscape(name)}"><title>${weirEscape(this.telling(this.data.lanes[i], span))}</title><rect class="${look} tl-delay" x="${weirRound(left)}" y="${weirRound(y)}" width="${weirRound(width)}" height="${high}"/>${label && this.bar >= 11 ? `<text class="tl-in tl-small" text-anchor="middle" x="${weirRound(middle)}" y="${weirRound(y + this.bar / 2 + 2)}">${weirEscape(label)}</text>` : ""}${arrow}</g>`;
  }

  block(lane, span, {left, y, width, height}) {
    const [kind, , , from, to, more] = span, takes = this.clock.length(from, to), name = more?.label ?? "";
    const label = height >= 11 ? weirFits([`${name} ${this.clock.amount(takes)}`, name, name.slice(0, Math.max(0, Math.floor((width - 12) / 6.7))) + "\u2026"].filter((l) => l.length > 2), width) : "";
    if (label) this.words.push(`<text class="tl-in tl-halo" text-anchor="middle" x="${weirRound(left + width / 2)}" y="${weirRound(y + height / 2 + 4)}">${weirEscape(label)}</text>`);
    return `<g class="wt-run" data-operator="${weirEscape(name)}"><title>${weirEscape(this.telling(lane, span))}</title><rect class="tl-k${this.look(span)} tl-block${kind === WEIR_KIND.PART ? " tl-part" : ""}${more?.look / 8 % 2 >= 1 ? " tl-dark" : ""}" x="${weirRound(left)}" y="${weirRound(y)}" width="${weirRound(width)}" height="${weirRound(Math.max(1, height - 0.6))}"/></g>`;
  }

  // ---- queues ----

  levels(i) {
    const lane = this.data.lanes[i], place = this.places[i];
    return lane.levels.slice(0, place.strips).map((level, n) => this.level(level, place.first + place.row * place.rows + (WEIR_STRIP + 1) * n)).join("");
  }

  level(level, y) {
    const {t} = this, most = level.capacity || level.most || 1, bottom = y + WEIR_STRIP, {points} = level;
    let path = `M${t.left} ${bottom}`, last = -10, share = 0;
    for (let k = 0; k < points.length; k += 2) {
      const x = Math.min(Math.max(t.x(points[k]), t.left), t.left + t.width), now = Math.min(1, Math.max(0, points[k + 1] / most));
      if (k + 2 < points.length && WeirClock.place(points[k + 2]) < t.view.from) continue;
      if (WeirClock.place(points[k]) > t.view.to) break;
      if (x - last < 0.4 && now <= share) continue;
      last = x;
      share = now;
      path += `H${weirRound(x)}V${weirRound(bottom - share * WEIR_STRIP)}`;
    }
    const end = Math.min(t.x(this.data.end), t.left + t.width);
    return `<g class="wt-level" data-queue="${weirEscape(level.name)}"><title>${weirEscape(`${level.name}: at most ${level.most}${level.capacity ? ` of ${level.capacity}` : ""} at once`)}</title><rect class="tl-place" x="${t.left}" y="${y}" width="${weirRound(Math.max(0, end - t.left))}" height="${WEIR_STRIP}"/><path class="tl-full" d="${path}H${weirRound(end)}V${bottom}Z"/></g>`;
  }

  // How many messages are in the queue at that time.
  static fill(level, time) {
    let value = 0;
    for (let k = 0; k < level.points.length && WeirClock.place(level.points[k]) <= time; k += 2) value = level.points[k + 1];
    return value;
  }

  // ---- across lanes ----

  over() {
    return this.data.rulers.filter((r) => r.over !== undefined).map((r) =>
      `<rect class="tl-over tl-${WEIR_STATES[r.state]}" x="${weirRound(this.t.x(r.to))}" y="0" width="${weirRound(Math.max(0, this.t.x(r.over) - this.t.x(r.to)))}" height="${this.height}"/>`).join("");
  }

  // Deadlines and moments lie above the bars, the ends of what was measured below them.
  posts(above) {
    const line = (time, look) => `<path class="${look} tl-post" d="M${weirRound(this.t.x(time))} 0V${this.height}"/>`;
    const {rulers} = this.data;
    if (!above) return rulers.filter((r) => r.kind !== "deadline").map((r) => line(r.from, "tl-latency") + line(r.to, "tl-latency")).join("");
    return rulers.filter((r) => r.kind === "deadline").map((r) => line(r.to, "tl-" + WEIR_STATES[r.state])).join("") +
      this.data.markers.map((m) => `<path class="tl-marker" d="M${weirRound(this.t.x(m.at))} 0V${this.height}"/>`).join("");
  }

  // The measured message: in the bars that execute it, hatched where it waits, and down from lane to lane.
  ribbon() {
    const {t} = this, parts = [];
    this.data.legs.forEach(([kind, lane, row, , from, to, text], i) => {
      if (!this.places[lane]) return;
      const left = t.x(from), right = t.x(to), y = this.y(lane, row), before = this.data.legs[i - 1];
      if (before && this.places[before[1]] && before[1] !== lane) {
        const above = this.y(before[1], before[2]), top = Math.min(above, y) - 2, bottom = Math.max(above, y) + this.bar + 2;
        parts.push(`<rect class="tl-ribbon" x="${weirRound(left - 3)}" y="${weirRound(top)}" width="6" height="${weirRound(bottom - top)}" rx="3"/>`);
      }
      const takes = this.clock.amount(this.clock.length(from, to)), label = kind < 2 ? "" : weirFits([`${WEIR_LEGS[kind]} ${takes}`, takes], Math.min(right, t.left + t.width) - Math.max(left, t.left));
      parts.push(`<g class="tl-leg tl-in-lane tl-${WEIR_LEGS[kind]}" data-leg="${i}"><title>${weirEscape(`${text}, ${takes}`)}</title><rect x="${weirRound(left)}" y="${weirRound(y - (kind === 1 ? 4 : 2))}" width="${weirRound(Math.max(1, right - left))}" height="${this.bar + (kind === 1 ? 7 : 4)}"${kind === 1 || kind === 2 ? ` style="fill:url(#${t.figure.dataset.prefix}tl-${WEIR_LEGS[kind]})"` : ""}/>${label && this.bar >= 11 ? `<text class="tl-in" text-anchor="middle" x="${weirRound((Math.max(left, t.left) + Math.min(right, t.left + t.width)) / 2)}" y="${weirRound(y + this.bar / 2 + 4)}">${label}</text>` : ""}</g>`);
    });
    return parts.join("");
  }

  path() {
    const {t} = this, {steps} = this.data, lines = ["", "", "", ""], marks = [];
    let last = -100;
    const low = (step) => weirRound(this.y(step[0], step[1]) + (this.data.lanes[step[0]].rowName ? Math.min(4, this.places[step[0]].row / 2) : this.bar)); // words stand in the middle
    steps.forEach((step, i) => {
      const [lane, , iteration, from, to, wait, reason, label] = step;
      const place = this.places[lane], before = steps[i - 1];
      if (!place || WeirClock.place(to) < t.view.from || WeirClock.place(before?.[4] ?? from) > t.view.to) return;
      const y = low(step), x = weirRound(t.x(from)), end = weirRound(t.x(to)), style = [0, 0, 0, 1, 2, 3][wait];
      if (before && this.places[before[0]]) {
        const high = low(before), at = weirRound(t.x(before[4])), aside = wait === 3 ? -4 : 0;
        if (x - at > 0.5 || high !== y) lines[style] += `M${at} ${high}H${at + aside}V${y}H${x}`;
      }
      if (end > x) lines[0] += `M${x} ${y}H${end}`;
      if (x - last < 6 || wait === 0 || WeirClock.place(from) < t.view.from) return;
      last = x;
      marks.push(`<g class="wt-mark" data-step="${i}"><title>${weirEscape(`${label ?? `${this.data.lanes[lane].name}, ${this.data.iterationName} ${iteration}`}, ${WEIR_WAITS[wait]}${reason ? " \u2013 " + reason : ""}, until ${this.clock.amount(from)}`)}</title><circle cx="${x}" cy="${y}" r="3.6"/></g>`);
    });
    return lines.map((d, i) => d && `<path class="tl-way${["", " tl-room", " tl-period", " tl-turn"][i]}" d="${d}"/>`).join("") + marks.join("");
  }

  // What it was before, as outlines.
  ghost() {
    const {t} = this, parts = [];
    if (!t.ghost) return "";
    const byName = new Map(this.data.lanes.map((lane, i) => [lane.name, i])), scale = t.clock.ticks / 10 ** t.ghost.digits;
    const x = (time) => t.x(WeirClock.place(time) * scale);
    for (const lane of t.ghost.lanes) {
      const i = byName.get(lane.name);
      if (i === undefined || !this.places[i] || lane.rowName) continue;
      for (const [kind, row, , from, to] of lane.spans) {
        const left = x(from), right = x(to);
        if (kind !== WEIR_CRITICAL || right < t.left || left > t.left + t.width || right - left < 2) continue;
        parts.push(`<rect x="${weirRound(left)}" y="${weirRound(this.y(i, row) - 2)}" width="${weirRound(right - left)}" height="${this.bar + 4}" rx="3"/>`);
      }
    }
    const ruler = t.ghost.rulers.find((r) => r.kind === "latency");
    return `<g class="tl-ghost"><title>As it was before</title>${parts.join("")}${ruler ? `<path d="M${weirRound(x(ruler.to))} 0V${this.height}"/>` : ""}</g>`;
  }
}
