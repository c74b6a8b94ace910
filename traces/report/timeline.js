// The timeline: what is shown where, and what keys and pointer do.

const AXIS_HEIGHT = 36;
const HEAD_HEIGHT = 20;
const THIN_HEIGHT = 24;
const MAP_ROW = 12;
const ROWS_LISTED = 500;
const FOLDED_CORES = 2;
const MANY_ROWS = 200000;

class Timeline {
  constructor(runs) {
    this.runs = runs;
    this.view = new View(Math.min(...runs.map((run) => run.from)), Math.max(...runs.map((run) => run.to)));
    this.tracks = runs.map((run) => ({run, number: firstCore(run), core: null, open: true}));
    Object.assign(this, {hits: [], hit: -1, selected: null, hover: null, history: [], unit: "cycles",
      showPath: true, showSlots: runs.length === 1, measure: null, hitText: ""});
    this.makeElements();
    this.listen();
  }

  // ---- elements ----

  makeElements() {
    this.canvas = el("canvas", {class: "lanes", tabindex: "0", role: "application",
      "aria-label": "Lanes of the pipes. Arrow keys go from instruction to instruction, ? lists all keys."});
    this.map = el("canvas", {class: "map", "aria-hidden": "true"});
    this.card = el("div", {class: "card", hidden: true});
    this.how = el("p", {class: "how"});
    this.folded = el("p", {class: "folded"});
    this.listed = el("details", {class: "data", ontoggle: () => this.listRows()}, el("summary", {}, "Data"));
    this.keys = keysHelp();
    this.element = el("section", {class: "timeline"}, el("h2", {}, "Timeline"), this.how, this.makeToolbar(), this.map,
      el("div", {class: "stage"}, this.canvas, this.card), this.folded, legend(this.runs), this.keys, this.listed);
  }

  makeToolbar() {
    const button = (text, title, click, attributes) =>
      el("button", {type: "button", title, onclick: click, ...attributes}, text);
    this.field = el("input", {type: "search", placeholder: "op:mmad wait>200", "aria-label": "Search instructions",
      spellcheck: "false", onkeydown: (event) => this.fieldKey(event), oninput: () => this.search(this.field.value)});
    this.found = el("span", {class: "found", role: "status"});
    this.scale = el("span", {class: "scale"});
    this.pathButton = button("Critical path", "Y", () => this.togglePath(), {"aria-pressed": "true"});
    this.slotsButton = button("Slots", "Rows of the buffers' slots", () => this.toggleSlots(), {"aria-pressed": String(this.showSlots)});
    this.unitButton = button("µs", "U: µs in place of cycles above the lanes", () => this.toggleUnit(), {"aria-pressed": "false"});
    this.coreChoice = el("select", {"aria-label": "Core", onchange: () => this.chooseCore(Number(this.coreChoice.value))},
      keptCores(this.runs[0]).map((core) => el("option", {value: core, selected: core === this.tracks[0].number}, `Core ${core}`)));
    return el("div", {class: "toolbar"},
      el("label", {class: "search"}, this.field, this.found,
        button("n", "Next hit", () => this.goHit(1)), button("N", "Previous hit", () => this.goHit(-1))),
      el("span", {class: "group"}, button(MINUS, "S: zoom out", () => this.zoomCentre(1 / 1.5)), this.scale,
        button("+", "W: zoom in", () => this.zoomCentre(1.5))),
      el("span", {class: "group"}, button("Fit run", "0", () => this.fitRun()), button("Fit tile", "T", () => this.fitTile()),
        button("Fit selection", "F", () => this.fitSelection())),
      this.pathButton, this.slotsButton, this.coreChoice, this.unitButton,
      el("button", {type: "button", class: "keys-button", onclick: () => this.toggleKeys()}, "? keys"));
  }

  // ---- what is shown ----

  async open() {
    for (const track of this.tracks) track.core = await readCore(track.run, track.number);
    if (this.showSlots && rowsOf(this.tracks[0].core) > MANY_ROWS) this.toggleSlots();
    this.resize();
    if (this.runs.length === 1) this.fitStart();
    this.readAddress();
    this.redraw();
    if (this.runs.length === 1) await this.addFolded(FOLDED_CORES);
  }

  // A few more cores in thin rows: are they alike?
  async addFolded(count) {
    const run = this.runs[0];
    const shown = this.tracks.filter((track) => track.run === run).map((track) => track.number);
    for (const number of keptCores(run).filter((core) => !shown.includes(core)).slice(0, count)) {
      const core = await readCore(run, number);
      this.tracks.push({run, number, core, open: false});
    }
    this.resize();
    this.redraw();
  }

  async toggleCores() {
    const all = this.tracks.length >= keptCores(this.runs[0]).length;
    if (all) this.tracks.length = Math.min(this.tracks.length, 1 + FOLDED_CORES);
    else if (this.runs.length === 1) await this.addFolded(Infinity);
    this.resize();
    this.redraw();
  }

  async chooseCore(number) {
    const run = this.runs[0];
    const core = await readCore(run, number);
    this.tracks = this.tracks.filter((track) => track.run !== run || (!track.open && track.number !== number));
    this.tracks.unshift({run, number, core, open: true});
    this.coreChoice.value = number;
    this.select(null);
    if (this.field.value) this.search(this.field.value);
    this.resize();
    this.redraw();
  }

  heightOf(track) {
    if (!track.open) return THIN_HEIGHT;
    return HEAD_HEIGHT + track.core.order.length * LANE_HEIGHT + (this.showSlots ? slotsHeight(track.core) : 0) + 8;
  }

  resize() {
    const width = this.element.clientWidth || 1200;
    this.gutter = width < 720 ? 52 : 100;
    this.view.width = Math.max(200, width - this.gutter);
    let y = AXIS_HEIGHT;
    for (const track of this.tracks) {
      track.y = y;
      y += this.heightOf(track);
    }
    this.height = y + 4;
    this.ratio = window.devicePixelRatio || 1;
    sizeCanvas(this.canvas, width, this.height, this.ratio);
    sizeCanvas(this.map, width, this.mapHeight(), this.ratio);
    this.palette = new Palette(this.canvas.getContext("2d"), this.ratio);
  }

  mapHeight() {
    return 24 + this.tracks[0].core.order.length * MAP_ROW;
  }

  redraw() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.draw();
    });
  }

  // ---- drawing ----

  draw() {
    const began = performance.now();
    const context = this.canvas.getContext("2d");
    const hasPath = this.showPath && this.tracks.some((track) => track.run.steps.count > 0);
    const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
    const pen = {context, view: this.view, ratio: this.ratio, palette: this.palette, fade: hasPath ? (dark ? 0.5 : 0.62) : 0};
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.gutter + this.view.width, this.height);
    this.drawAxis(pen);
    for (const track of this.tracks) this.drawTrack(pen, track);
    this.drawMap();
    this.tell();
    this.writeAddress();
    performance.clearMeasures("draw"); // the last one is for benchmarks
    performance.measure("draw", {start: began});
  }

  inPlot({context, view}, y, height, paint) {
    context.save();
    context.translate(this.gutter, 0);
    context.beginPath();
    context.rect(0, y, view.width, height);
    context.clip();
    paint();
    context.restore();
  }

  drawAxis(pen) {
    const {context, view, palette} = pen;
    const clock = this.runs[0].run.clock_mhz;
    const step = Math.max(1, niceStep((120 / view.width) * view.span));
    context.textBaseline = "alphabetic";
    context.textAlign = "left";
    context.fillStyle = palette.ink3;
    context.font = `10.5px ${FONT}`;
    context.fillText(this.unit === "cycles" ? "cycle" : "µs", 0, 14);
    context.fillText(this.gutter > 60 ? `at ${whole(clock)} MHz` : "", 0, 28);
    this.inPlot(pen, 0, this.height, () => {
      context.textAlign = "center";
      for (let cycle = Math.ceil(view.from / step) * step; cycle <= view.to; cycle += step) {
        const x = view.x(cycle);
        const texts = [whole(cycle), `${fixed(cycle / clock, step / clock < 0.05 ? 3 : 2)} µs`];
        if (this.unit !== "cycles") texts.reverse();
        context.strokeStyle = palette.hair;
        context.lineWidth = 1;
        context.beginPath();
        context.moveTo(Math.round(x) + 0.5, AXIS_HEIGHT - 4);
        context.lineTo(Math.round(x) + 0.5, this.height);
        context.stroke();
        context.fillStyle = palette.ink;
        context.font = `11px ${FONT}`;
        context.fillText(texts[0], clampText(context, texts[0], x, view.width), 14);
        context.fillStyle = palette.ink3;
        context.font = `10.5px ${FONT}`;
        context.fillText(texts[1], clampText(context, texts[1], x, view.width), 28);
      }
    });
    context.strokeStyle = palette.rule;
    context.beginPath();
    context.moveTo(this.gutter, AXIS_HEIGHT - 3.5);
    context.lineTo(this.gutter + view.width, AXIS_HEIGHT - 3.5);
    context.stroke();
  }

  drawTrack(pen, track) {
    if (!track.open) {
      this.drawGutter(pen, `core ${track.number}`, busyText(track, "CUBE"), track.y + THIN_HEIGHT / 2, pen.palette.ink3);
      this.inPlot(pen, track.y, THIN_HEIGHT, () => drawThinCore(pen, track.core, track.y + 2, THIN_HEIGHT - 4));
      return;
    }
    const name = this.runs.length > 1 ? `run ${track.run.run.run_id} · core ${track.number}` : `core ${track.number}`;
    this.drawGutter(pen, name, this.gutter > 60 && this.runs.length === 1 ? "busy" : "", track.y + HEAD_HEIGHT / 2, pen.palette.ink, 600);
    this.drawOpen(pen, track);
    if (this.showSlots) this.drawSlots(pen, track);
  }

  drawOpen(pen, track) {
    const feet = new Map([["SCALAR", track.y + HEAD_HEIGHT - 3]]);
    track.core.order.forEach((name, i) => {
      const y = track.y + HEAD_HEIGHT + i * LANE_HEIGHT;
      feet.set(name, y + FOOT);
      pen.context.fillStyle = pen.palette.colour(name, "a");
      pen.context.fillRect(0, y + BOX_TOP + 10, 4, 14);
      this.drawGutter(pen, "   " + name, busyText(track, name), y + BOX_TOP + BOX_HEIGHT / 2, pen.palette.ink2);
    });
    this.inPlot(pen, track.y, this.heightOf(track), () => {
      track.core.order.forEach((name, i) => drawLane(pen, track.core.lanes.get(name), track.y + HEAD_HEIGHT + i * LANE_HEIGHT));
      if (this.showPath) drawPath(pen, track.core, feet);
      this.drawHits(pen, track);
      this.drawMeasure(pen, track);
      this.drawSelected(pen, track);
    });
  }

  drawGutter({context, palette}, name, value, y, colour, weight = 400, size = 12) {
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.fillStyle = colour;
    context.font = `${weight} ${size}px ${FONT}`;
    context.fillText(name, 0, y);
    context.textAlign = "right";
    context.font = `10.5px ${FONT}`;
    context.fillStyle = palette.ink3;
    if (this.gutter > 60) context.fillText(value, this.gutter - 8, y);
  }

  drawSlots(pen, track) {
    let y = track.y + HEAD_HEIGHT + track.core.order.length * LANE_HEIGHT + 4;
    for (const {buffer, slots} of slotsOf(track.core)) {
      const middle = y + (slots.length * SLOT_HEIGHT) / 2;
      this.drawGutter(pen, "   " + BUFFER_NAMES[buffer], plural(slots.length, "slot"), middle, pen.palette.ink3);
      this.inPlot(pen, y, slots.length * SLOT_HEIGHT, () =>
        slots.forEach((slot, i) => drawSlot(pen, buffer, slot, y + i * SLOT_HEIGHT)));
      y += slots.length * SLOT_HEIGHT + 4;
    }
  }

  laneY(lane) {
    const track = this.tracks.find((candidate) => candidate.open && candidate.core === lane.core);
    return track ? track.y + HEAD_HEIGHT + track.core.order.indexOf(lane.name) * LANE_HEIGHT : null;
  }

  drawSelected(pen, track) {
    for (const story of [this.hover, this.selected]) {
      if (!story || story.lane.core !== track.core || story.lane.pipe === 0) continue;
      outlineBox(pen, story.lane, story.row, this.laneY(story.lane));
      const {cause, lane, main} = story;
      const y = cause && this.laneY(cause.lane);
      if (!cause || y === null || !cause.lane.works[cause.row]) continue;
      const fired = cause.lane.start[cause.set];
      drawArrow(pen, {x: this.view.x(fired), y: y + BOX_TOP - 4},
        {x: this.view.x(Math.max(lane.waitEnd(main), lane.start[story.row])), y: this.laneY(lane) + BOX_TOP + BOX_HEIGHT / 2});
    }
  }

  drawHits({context, view, palette}, track) {
    context.fillStyle = palette.pick;
    for (const {lane, row} of this.hits) {
      if (lane.core !== track.core || lane.end[row] < view.from || lane.start[row] > view.to) continue;
      context.fillRect(view.x(lane.start[row]), this.laneY(lane) + BOX_TOP - 8, Math.max(2, view.x(lane.end[row]) - view.x(lane.start[row])), 2);
    }
  }

  drawMeasure({context, view, palette}, track) {
    if (!this.measure) return;
    const [from, to] = this.measured();
    context.globalAlpha = 0.12;
    context.fillStyle = palette.pick;
    context.fillRect(view.x(from), track.y, view.x(to) - view.x(from), this.heightOf(track));
    context.globalAlpha = 1;
  }

  drawMap() {
    const context = this.map.getContext("2d");
    const view = new View(this.view.low, this.view.high);
    view.width = this.view.width;
    const pen = {context, view, ratio: this.ratio, palette: this.palette};
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.gutter + view.width, this.mapHeight());
    const {core} = this.tracks[0];
    core.order.forEach((name, i) => {
      this.drawGutter(pen, name, "", i * MAP_ROW + MAP_ROW / 2, this.palette.ink3, 400, 10.5);
    });
    this.inPlot(pen, 0, this.mapHeight(), () => {
      drawThinCore(pen, core, 0, core.order.length * MAP_ROW);
      this.drawMapHits(pen);
      this.drawMapTicks(pen);
      this.drawMapWindow(pen);
    });
  }

  drawMapHits({context, view, palette}) {
    context.fillStyle = palette.pick;
    for (const {lane, row} of this.hits) context.fillRect(view.x(lane.start[row]), 0, 1, 4);
  }

  drawMapTicks({context, view, palette}) {
    const step = Math.max(1, niceStep((120 / view.width) * view.span));
    context.fillStyle = palette.ink3;
    context.font = `10.5px ${FONT}`;
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    for (let cycle = Math.ceil(view.from / step) * step; cycle <= view.to; cycle += step) {
      context.fillText(whole(cycle), clampText(context, whole(cycle), view.x(cycle), view.width), this.mapHeight() - 6);
    }
  }

  drawMapWindow({context, view, palette}) {
    const x0 = view.x(this.view.from);
    const x1 = view.x(this.view.to);
    const height = this.mapHeight() - 20;
    context.fillStyle = palette.page;
    context.globalAlpha = 0.55;
    context.fillRect(0, 0, x0, height);
    context.fillRect(x1, 0, view.width - x1, height);
    context.globalAlpha = 1;
    context.strokeStyle = context.fillStyle = palette.ink;
    context.lineWidth = 1.5;
    context.strokeRect(x0 + 0.75, 0.75, Math.max(2, x1 - x0 - 1.5), height - 1.5);
    for (const x of [x0, x1]) context.fillRect(x - 2, height / 2 - 6, 4, 12);
  }

  // ---- words about it ----

  tell() {
    const {view} = this;
    const run = this.runs[0];
    const per = view.span / view.width;
    this.scale.textContent = per < 0.995 ? `${fixed(1 / per, 1)} px/cycle` : `${fixed(per, per < 100 ? 1 : 0)} cycles/px`;
    const decides = this.tracks[0].number === run.run.deciding ? `Core ${this.tracks[0].number} decides the end. ` : "";
    const path = this.runs.every((one) => one.steps.count > 0)
      ? "The heavy line is the critical path: solid where a pipe works, dashed where only time passes."
      : "The steps of the critical path were not saved with this run.";
    this.how.textContent = `${this.runs.length === 1 ? decides : "Both runs on one axis. "}` +
      `Cycles ${whole(view.from)} – ${whole(view.to)} of ${whole(run.run.cycles)}. ${path}` + this.measureText();
    this.folded.replaceChildren(...this.foldedWords());
  }

  foldedWords() {
    const run = this.runs[0];
    const more = keptCores(run).length - this.tracks.filter((track) => track.run === run).length;
    if (this.runs.length > 1 || run.core_count < 2) return [];
    const text = more > 0 ? `${plural(more, "more core")}, grouped by equal work: ${equalWork(run)} ` : `${equalWork(run)} `;
    return [text, el("button", {type: "button", class: "plain", title: "E", onclick: () => this.toggleCores()},
      more > 0 ? "expand" : "fold")];
  }

  measured() {
    const {from, to} = this.measure;
    return [Math.round(Math.min(from, to)), Math.round(Math.max(from, to))];
  }

  measureText() {
    if (!this.measure) return "";
    const [from, to] = this.measured();
    const {core} = this.tracks[0];
    const busy = core.order.map((name) => `${name} ${share(core.lanes.get(name).busy.covered(from, to) / Math.max(1, to - from), 0)}`);
    return ` Measured: ${whole(from)} – ${whole(to)} = ${plural(to - from, "cycle")}, ` +
      `${microseconds(this.runs[0], to - from, 3)}; busy ${busy.join(", ")}.`;
  }

  listRows() {
    if (!this.listed.open) return;
    this.listed.replaceChildren(this.listed.firstChild, ...rowsTable(this));
  }

  // ---- moving ----

  changed() {
    this.redraw();
    if (this.listed.open) this.listRows();
  }

  zoomCentre(factor) {
    this.view.zoom(factor, (this.view.from + this.view.to) / 2);
    this.changed();
  }

  fitRun() {
    this.view.set(this.view.low, this.view.high);
    this.changed();
  }

  // Some thirty instructions in the middle of the run.
  fitStart() {
    const {core} = this.tracks[0];
    const lane = core.lanes.get("CUBE") || core.lanes.get(core.order[0]);
    if (!lane || lane.busy.count < 60) return;
    const tile = Math.floor(core.tileStart.length / 2);
    const middle = core.tileStart.length > 4 ? lowerBound(lane.busy.start, core.tileStart[tile]) : lane.busy.count >> 1;
    const last = Math.min(lane.busy.count - 1, middle + 26);
    const margin = (lane.busy.end[last] - lane.busy.start[middle]) * 0.06;
    this.view.set(lane.busy.start[middle] - margin, lane.busy.end[last] + margin);
  }

  fitTile() {
    const {tileStart} = this.tracks[0].core;
    const middle = this.selected ? this.selected.lane.start[this.selected.row] : (this.view.from + this.view.to) / 2;
    const tile = Math.max(0, lowerBound(tileStart, middle + 1) - 1);
    if (tileStart.length === 0) return;
    const to = tile + 1 < tileStart.length ? tileStart[tile + 1] : this.runs[0].run.cycles;
    const margin = (to - tileStart[tile]) * 0.05;
    this.view.set(tileStart[tile] - margin, to + margin);
    this.changed();
  }

  fitSelection() {
    if (!this.selected) return;
    const {lane, row, cause} = this.selected;
    const from = Math.min(lane.start[row] - lane.waited[row], cause ? cause.lane.start[cause.row] : Infinity);
    const margin = Math.max(10, (lane.done[row] - from) * 0.15);
    this.view.set(from - margin, lane.done[row] + margin);
    this.changed();
  }

  reveal(lane, row) {
    const {view} = this;
    if (lane.start[row] >= view.from && lane.end[row] <= view.to) return;
    const middle = (lane.start[row] + lane.end[row]) / 2;
    view.set(middle - view.span / 2, middle + view.span / 2);
  }

  // ---- choosing an instruction ----

  select(story, remember = false) {
    if (remember && this.selected) this.history.push(this.selected);
    this.selected = story;
    this.hover = null;
    if (story) {
      this.reveal(story.lane, story.row);
      document.getElementById("live").textContent = spoken(story);
    }
    this.showCard();
    this.redraw();
  }

  showCard() {
    const story = this.selected || this.hover;
    this.card.hidden = story === null || this.laneY(story.lane) === null;
    if (this.card.hidden) return;
    this.card.replaceChildren(...cardOf(story));
    this.placeCard(story);
  }

  // Below the box and its cause where there is room, never over them.
  placeCard({lane, row, cause}) {
    const lanes = [lane, ...(cause ? [cause.lane] : [])].map((one) => this.laneY(one)).filter((y) => y !== null);
    const width = this.card.offsetWidth;
    const height = this.card.offsetHeight;
    const x = this.gutter + this.view.x(lane.start[row]);
    const below = Math.max(...lanes) + LANE_HEIGHT + 4;
    const above = Math.min(...lanes) - height - 4;
    const top = below + height > this.height + 120 && above > -60 ? above : below;
    this.card.style.left = `${clamp(x - width / 3, 0, Math.max(0, this.gutter + this.view.width - width))}px`;
    this.card.style.top = `${top}px`;
  }

  // The instruction at a place of the canvas; a wait stands for the one that it delayed.
  storyAt(x, y) {
    const track = this.tracks.find((one) => y >= one.y && y < one.y + this.heightOf(one));
    const index = track && track.open ? Math.floor((y - track.y - HEAD_HEIGHT) / LANE_HEIGHT) : -1;
    const name = index >= 0 ? track.core.order[index] : undefined;
    if (name === undefined || x < this.gutter) return null;
    const lane = track.core.lanes.get(name);
    const cycle = this.view.cycle(x - this.gutter);
    const near = (3 / this.view.width) * this.view.span;
    const i = lane.busy.firstEnding(cycle - near);
    if (i < lane.busy.count && lane.busy.start[i] <= cycle + near) return storyOf(lane, lane.busy.row[i]);
    const wait = lane.waits.at(cycle);
    const next = lane.busy.firstEnding(cycle);
    if (wait < 0 || next >= lane.busy.count) return null;
    return storyOf(lane, lane.busy.row[next]);
  }

  step(count) {
    const story = this.selected || this.middle();
    if (!story) return;
    const {busy} = story.lane;
    const i = clamp(lowerBound(busy.row, story.row, 0, busy.count) + count, 0, busy.count - 1);
    this.select(storyOf(story.lane, busy.row[i]));
  }

  // The instruction nearest to the middle of the window, to begin with.
  middle() {
    const {core} = this.tracks[0];
    const lane = core.lanes.get("CUBE") || core.lanes.get(core.order[0]);
    if (!lane || lane.busy.count === 0) return null;
    const i = Math.min(lane.busy.count - 1, lane.busy.firstEnding((this.view.from + this.view.to) / 2));
    return storyOf(lane, lane.busy.row[i]);
  }

  otherLane(count) {
    const story = this.selected || this.middle();
    if (!story) return;
    const {lane, row} = story;
    const {core} = lane;
    const name = core.order[clamp(core.order.indexOf(lane.name) + count, 0, core.order.length - 1)];
    const other = core.lanes.get(name);
    const i = Math.min(other.busy.count - 1, other.busy.firstEnding(lane.start[row]));
    if (other !== lane && i >= 0) this.select(storyOf(other, other.busy.row[i]));
  }

  goCause() {
    const cause = this.selected && this.selected.cause;
    if (cause) this.select(storyOf(cause.lane, cause.row), true);
  }

  goBack() {
    const story = this.history.pop();
    if (story) this.select(story);
  }

  // To the next or previous instruction of the critical path on the cores that are open.
  alongPath(count) {
    const {core} = this.tracks[0];
    const {steps} = core.run;
    const from = this.selected ? this.selected.lane.start[this.selected.row] : (this.view.from + this.view.to) / 2;
    for (let i = lowerBound(steps.start, from + (count > 0 ? 1 : 0)) + (count > 0 ? 0 : -1); i >= 0 && i < steps.count; i += count) {
      const lane = steps.core[i] === core.number ? core.lanes.get(PIPES[steps.pipe[i]]) : null;
      const row = lane && steps.kind[i] === 0 ? lane.rowOfSeq(steps.seq[i]) : -1;
      if (row >= 0 && lane.works[row] && lane.pipe !== 0) return this.select(storyOf(lane, row));
    }
    return undefined;
  }

  // ---- search ----

  search(text) {
    let query;
    try {
      query = compileQuery(text);
    } catch (error) {
      this.found.textContent = error.message;
      this.field.setAttribute("aria-invalid", "true");
      return;
    }
    this.field.removeAttribute("aria-invalid");
    const cores = this.tracks.filter((track) => track.open).map((track) => track.core);
    this.hits = text.trim() === "" ? [] : findRows(cores, query);
    this.hit = -1;
    this.found.textContent = text.trim() === "" ? "" : plural(this.hits.length, "hit");
    this.redraw();
  }

  goHit(count) {
    if (this.hits.length === 0) return;
    const here = this.view.from;
    if (this.hit < 0 && count > 0) this.hit = this.hits.findIndex(({lane, row}) => lane.start[row] >= here) - 1;
    this.hit = (Math.max(this.hit, -1) + count + this.hits.length) % this.hits.length;
    const {lane, row} = this.hits[this.hit];
    this.found.textContent = `${whole(this.hit + 1)} of ${whole(this.hits.length)}`;
    this.select(storyOf(lane, row));
  }

  fieldKey(event) {
    if (event.key === "Enter") this.goHit(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") this.canvas.focus();
    event.stopPropagation();
  }

  // ---- switches ----

  togglePath() {
    this.showPath = !this.showPath;
    this.pathButton.setAttribute("aria-pressed", String(this.showPath));
    this.redraw();
  }

  // Slots are found from all rows of a core, which takes a while when they are many.
  toggleSlots() {
    this.showSlots = !this.showSlots;
    this.slotsButton.setAttribute("aria-pressed", String(this.showSlots));
    this.resize();
    this.redraw();
  }

  toggleUnit() {
    this.unit = this.unit === "cycles" ? "µs" : "cycles";
    this.unitButton.setAttribute("aria-pressed", String(this.unit === "µs"));
    this.redraw();
  }

  toggleKeys() {
    this.keys.hidden = !this.keys.hidden;
  }

  startMeasure() {
    this.measure = this.measure ? null : {from: this.view.from + this.view.span * 0.25, to: this.view.from + this.view.span * 0.75};
    this.redraw();
  }

  close() {
    if (!this.keys.hidden) this.keys.hidden = true;
    else if (this.measure) this.measure = null;
    else this.select(null);
    this.redraw();
  }

  // ---- keys and pointer ----

  listen() {
    const {canvas} = this;
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("wheel", (event) => this.wheel(event), {passive: false});
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointerleave", () => this.leave());
    canvas.addEventListener("dblclick", (event) => this.doubleClick(event));
    this.map.addEventListener("pointerdown", (event) => this.pressMap(event));
    this.map.addEventListener("pointermove", (event) => event.buttons === 1 && this.pressMap(event));
    document.addEventListener("keydown", (event) => this.pageKey(event));
  }

  // Keys that do not need the lanes to have the focus.
  pageKey(event) {
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") {
      event.preventDefault();
      this.field.focus();
    }
    if (event.key === "?") this.toggleKeys();
  }

  key(event) {
    if (event.ctrlKey && event.key === "c" && this.measure) {
      navigator.clipboard?.writeText(this.measureText().trim());
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const fast = event.shiftKey ? 5 : 1;
    const actions = {
      w: () => this.zoomCentre(1.3 ** fast), s: () => this.zoomCentre(1.3 ** -fast),
      a: () => this.panBy(-0.1 * fast), d: () => this.panBy(0.1 * fast),
      arrowleft: () => this.step(-1), arrowright: () => this.step(1),
      arrowup: () => this.otherLane(-1), arrowdown: () => this.otherLane(1),
      enter: () => this.goCause(), backspace: () => this.goBack(),
      "[": () => this.alongPath(-1), "]": () => this.alongPath(1),
      0: () => this.fitRun(), t: () => this.fitTile(), f: () => this.fitSelection(),
      m: () => this.startMeasure(), n: () => this.goHit(event.shiftKey ? -1 : 1),
      e: () => this.toggleCores(), c: () => this.coreChoice.focus(), u: () => this.toggleUnit(), y: () => this.togglePath(),
      escape: () => this.close(),
    };
    const action = actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  }

  panBy(part) {
    this.view.pan(part * this.view.span);
    this.changed();
  }

  // The wheel zooms with Ctrl, or once the lanes have the focus; else it scrolls the page.
  wheel(event) {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const zooms = event.ctrlKey || document.activeElement === this.canvas;
    if (!sideways && !zooms) return;
    event.preventDefault();
    if (sideways) this.view.pan((event.deltaX / this.view.width) * this.view.span);
    else this.view.zoom(1.0015 ** -event.deltaY * (event.shiftKey ? 1.5 ** -Math.sign(event.deltaY) : 1), this.view.cycle(event.offsetX - this.gutter));
    this.changed();
  }

  press(event) {
    this.canvas.focus();
    this.drag = {x: event.offsetX, y: event.offsetY, from: this.view.from, moved: false, measures: event.shiftKey};
    if (event.shiftKey) {
      const cycle = this.view.cycle(event.offsetX - this.gutter);
      this.measure = {from: cycle, to: cycle};
    }
    this.canvas.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (!this.drag) {
      this.pointAt(event);
      return;
    }
    const distance = event.offsetX - this.drag.x;
    if (Math.abs(distance) > 3) this.drag.moved = true;
    if (!this.drag.moved) return;
    if (this.drag.measures) this.measure.to = this.view.cycle(event.offsetX - this.gutter);
    else this.view.pan(this.drag.from - (distance / this.view.width) * this.view.span - this.view.from);
    if (this.selected) this.placeCard(this.selected);
    this.changed();
  }

  release(event) {
    const drag = this.drag;
    this.drag = null;
    if (!drag || drag.moved) return;
    const track = this.tracks.find((one) => !one.open && event.offsetY >= one.y && event.offsetY < one.y + THIN_HEIGHT);
    if (track) this.chooseCore(track.number);
    else this.select(this.storyAt(event.offsetX, event.offsetY));
  }

  pointAt(event) {
    const story = this.storyAt(event.offsetX, event.offsetY);
    const same = story && this.hover && story.lane === this.hover.lane && story.row === this.hover.row;
    if (same || (!story && !this.hover)) return;
    this.hover = story;
    if (!this.selected) this.showCard();
    this.redraw();
  }

  leave() {
    this.hover = null;
    if (!this.selected) this.showCard();
    this.redraw();
  }

  doubleClick(event) {
    const story = this.storyAt(event.offsetX, event.offsetY);
    if (!story) return;
    this.select(story);
    this.fitSelection();
  }

  pressMap(event) {
    const map = new View(this.view.low, this.view.high);
    map.width = this.view.width;
    const cycle = map.cycle(event.offsetX - this.gutter);
    this.view.set(cycle - this.view.span / 2, cycle + this.view.span / 2);
    this.changed();
  }

  // ---- the address keeps the place ----

  writeAddress() {
    const state = new URLSearchParams({from: Math.round(this.view.from), to: Math.round(this.view.to), core: this.tracks[0].number});
    if (this.field.value) state.set("q", this.field.value);
    if (this.unit !== "cycles") state.set("unit", "us");
    if (!this.showPath) state.set("path", "0");
    if (this.selected) state.set("at", `${this.selected.lane.name}.${this.selected.lane.seq[this.selected.row]}`);
    clearTimeout(this.addressTimer);
    this.addressTimer = setTimeout(() => history.replaceState(null, "", "#" + state), 200);
  }

  readAddress() {
    const state = new URLSearchParams(location.hash.slice(1));
    if (state.get("path") === "0") this.togglePath();
    if (state.get("unit") === "us") this.toggleUnit();
    if (state.get("q")) this.search((this.field.value = state.get("q")));
    const [name, seq] = (state.get("at") || "").split(".");
    const lane = this.tracks[0].core.lanes.get(name);
    const row = lane ? lane.rowOfSeq(Number(seq)) : -1;
    if (row >= 0) this.select(storyOf(lane, row));
    if (state.has("from") && state.has("to")) this.view.set(Number(state.get("from")), Number(state.get("to")));
    const core = Number(state.get("core"));
    if (state.has("core") && core !== this.tracks[0].number && keptCores(this.runs[0]).includes(core)) this.chooseCore(core);
  }
}

// ---- parts ----

function rowsOf(core) {
  return sum([...core.lanes.values()].map((lane) => lane.count));
}

function firstCore(run) {
  const cores = keptCores(run);
  return cores.includes(run.run.deciding) ? run.run.deciding : cores[0];
}

function sizeCanvas(canvas, width, height, ratio) {
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
}

function slotsHeight(core) {
  return sum(slotsOf(core).map(({slots}) => slots.length * SLOT_HEIGHT + 4)) + 4;
}

function busyText(track, name) {
  const pipe = track.run.pipes.find(([core, word]) => core === track.number && word === name);
  return pipe ? share(pipe[3] / track.run.run.cycles, 0) : "";
}

// "16 cores with 2,964 instructions, 8 with 2,808"
function equalWork(run) {
  const counts = new Map();
  for (const [core] of run.cores) {
    const count = sum(run.pipes.filter((pipe) => pipe[0] === core && pipe[1] !== "SCALAR").map((pipe) => pipe[2]));
    counts.set(count, (counts.get(count) || 0) + 1);
  }
  const groups = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 4);
  const rest = counts.size > 4 ? `, ${counts.size - 4} more kinds` : "";
  return groups.map(([count, cores]) => `${plural(cores, "core")} with ${whole(count)} instructions`).join(", ") + rest;
}

function legend(runs) {
  const used = new Set(runs.flatMap((run) => run.pipes.map((pipe) => pipe[1])));
  const item = (keyClass, text) => el("span", {}, el("i", {class: `key ${keyClass}`}), text);
  const names = {MTE2: "A copy", MTE1: "A load", CUBE: "Mmad", FIXP: "fixpipe", VECTOR: "vector", MTE3: "store"};
  const boxes = LANE_ORDER.filter((name) => used.has(name)).flatMap((name) => [
    item(`${name.toLowerCase()}-a`, names[name]),
    name === "MTE2" || name === "MTE1" ? item(`${name.toLowerCase()}-b dots`, name === "MTE2" ? "B copy (dotted)" : "B load (dotted)") : null]);
  const waits = [...LANE_ORDER.filter((name) => used.has(name)), "stream"].map((name) =>
    el("span", {}, svg("svg", {class: "key", viewBox: "0 0 20 12"}, svg("rect", {width: 20, height: 12, fill: `url(#hatch-${name})`})), name));
  return el("p", {class: "legend"}, boxes, el("span", {}, "waits for"), waits,
    el("span", {}, el("i", {class: "key path"}), "critical path"), el("span", {}, el("i", {class: "key pick"}), "selected, and its cause"),
    el("span", {}, "bracket: until the result is visible"));
}

const KEYS = [
  ["W S, wheel (with Ctrl, or once the lanes have the focus)", "zoom; Shift makes it faster"],
  ["A D, drag", "pan"], ["← →", "previous and next instruction of the pipe"], ["↑ ↓", "nearest instruction on the lane above or below"],
  ["Enter, Backspace", "to the cause of the wait, and back"], ["[ ]", "along the critical path"],
  ["0, T, F", "fit the run, the tile, the selection"], ["M, Shift and drag", "measure; Ctrl C copies it"],
  ["/, n, N", "search, next and previous hit"], ["E, C, U, Y", "all cores, choose a core, cycles or µs, critical path"],
  ["?, Esc", "these keys; close, deselect"],
];

function keysHelp() {
  return el("div", {class: "keys", hidden: true},
    el("table", {}, KEYS.map(([keys, does]) => el("tr", {}, el("th", {scope: "row"}, keys), el("td", {}, does)))),
    el("p", {}, "Search: op:mmad pipe:mte1 core:0-3 tile:20 k:0 seq:1813 cause:flag by:fixp wait>200 busy>=66 latency>50 link>0 " +
      "slack<10 bytes>64KiB macs>0 at:36347 path; all must hold, a minus in front means not, other words look in operands."));
}

// The rows of the window as a table, and the SQL that gives all of them.
function rowsTable(timeline) {
  const {view} = timeline;
  const rows = [];
  for (const track of timeline.tracks.filter((one) => one.open)) {
    for (const lane of [...track.core.lanes.values()]) {
      for (let i = lane.busy.firstEnding(view.from); i < lane.busy.firstStarting(view.to) && rows.length < ROWS_LISTED; i++) {
        const row = lane.busy.row[i];
        rows.push([track.run.run.run_id, track.number, lane.name, lane.seq[row], lane.word(row).opcode, lane.start[row], lane.end[row],
          lane.done[row], lane.waited[row], lane.mainWait[row] < 0 ? "" : reasonWord(lane.reason(lane.mainWait[row])), lane.word(row).operands]);
      }
    }
  }
  const columns = ["run", "core", "pipe", "seq", "opcode", "start", "end", "done", "waited", "for", "operands"];
  const ids = timeline.runs.map((run) => run.run.run_id).join(", ");
  const query = `SELECT * FROM v_instruction WHERE run_id IN (${ids}) AND end_cycle > ${Math.floor(view.from)} AND start_cycle < ${Math.ceil(view.to)}`;
  const table = dataTable(columns, rows).querySelector("div");
  return [el("p", {}, `${plural(rows.length, "row")} of the window${rows.length === ROWS_LISTED ? ", the first of more" : ""}. All of them: `, el("code", {}, query)), table];
}
