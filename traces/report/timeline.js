// The timeline: which window, cores and instructions are chosen.

const ROWS_LISTED = 500;
const FOLDED_CORES = 2;
const MANY_ROWS = 200000;

class Timeline extends Chart {
  constructor(runs) {
    super();
    this.runs = runs;
    this.view = new View(
      Math.min(...runs.map((run) => run.from)),
      Math.max(...runs.map((run) => run.to)),
    );
    this.tracks = runs.map((run) => ({run, number: firstCore(run), core: null, open: true}));
    Object.assign(this, {
      hits: [],
      hit: -1,
      selected: null,
      hover: null,
      history: [],
      unit: "cycles",
      showPath: true,
      showSlots: runs.length === 1,
      measure: null,
      hitText: "",
    });
    this.makeElements();
    this.listen();
  }

  // ---- elements ----

  makeElements() {
    this.canvas = el("canvas", {
      class: "lanes",
      tabindex: "0",
      role: "application",
      "aria-label":
        "Lanes of the pipes. Arrow keys go from instruction to instruction, ? lists all keys.",
    });
    this.map = el("canvas", {class: "map", "aria-hidden": "true"});
    this.card = el("div", {class: "card", hidden: true});
    this.how = el("p", {class: "how"});
    this.folded = el("p", {class: "folded"});
    this.listed = el(
      "details",
      {class: "data", ontoggle: () => this.listRows()},
      el("summary", {}, "Data"),
    );
    this.keys = keysHelp();
    this.element = el(
      "section",
      {class: "timeline"},
      el("h2", {}, "Timeline"),
      this.how,
      this.makeToolbar(),
      this.map,
      el("div", {class: "stage"}, this.canvas, this.card),
      this.folded,
      legend(this.runs),
      this.keys,
      this.listed,
    );
  }

  makeToolbar() {
    const button = (text, title, click, attributes) =>
      el("button", {type: "button", title, onclick: click, ...attributes}, text);
    this.field = el("input", {
      type: "search",
      placeholder: "op:mmad wait>200",
      "aria-label": "Search instructions",
      spellcheck: "false",
      onkeydown: (event) => this.fieldKey(event),
      oninput: () => this.search(this.field.value),
    });
    this.found = el("span", {class: "found", role: "status"});
    this.scale = el("span", {class: "scale"});
    this.pathButton = button("Critical path", "Y", () => this.togglePath(), {
      "aria-pressed": "true",
    });
    this.slotsButton = button("Slots", "Rows of the buffers' slots", () => this.toggleSlots(), {
      "aria-pressed": String(this.showSlots),
    });
    this.unitButton = button(
      "µs",
      "U: µs in place of cycles above the lanes",
      () => this.toggleUnit(),
      {"aria-pressed": "false"},
    );
    this.coreChoice = el(
      "select",
      {"aria-label": "Core", onchange: () => this.chooseCore(Number(this.coreChoice.value))},
      keptCores(this.runs[0]).map((core) =>
        el("option", {value: core, selected: core === this.tracks[0].number}, `Core ${core}`),
      ),
    );
    return el(
      "div",
      {class: "toolbar"},
      el(
        "label",
        {class: "search"},
        this.field,
        this.found,
        button("n", "Next hit", () => this.goHit(1)),
        button("N", "Previous hit", () => this.goHit(-1)),
      ),
      el(
        "span",
        {class: "group"},
        button(MINUS, "S: zoom out", () => this.zoomCentre(1 / 1.5)),
        this.scale,
        button("+", "W: zoom in", () => this.zoomCentre(1.5)),
      ),
      el(
        "span",
        {class: "group"},
        button("Fit run", "0", () => this.fitRun()),
        button("Fit tile", "T", () => this.fitTile()),
        button("Fit selection", "F", () => this.fitSelection()),
      ),
      this.pathButton,
      this.slotsButton,
      this.coreChoice,
      this.unitButton,
      el(
        "button",
        {type: "button", class: "keys-button", onclick: () => this.toggleKeys()},
        "? keys",
      ),
    );
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
    for (const number of keptCores(run)
      .filter((core) => !shown.includes(core))
      .slice(0, count)) {
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
    this.tracks = this.tracks.filter(
      (track) => track.run !== run || (!track.open && track.number !== number),
    );
    this.tracks.unshift({run, number, core, open: true});
    this.coreChoice.value = number;
    this.select(null);
    if (this.field.value) this.search(this.field.value);
    this.resize();
    this.redraw();
  }

  // ---- words about it ----

  tell() {
    const {view} = this;
    const run = this.runs[0];
    const per = view.span / view.width;
    this.scale.textContent =
      per < 0.995 ? `${fixed(1 / per, 1)} px/cycle` : `${fixed(per, per < 100 ? 1 : 0)} cycles/px`;
    const decides =
      this.tracks[0].number === run.run.deciding
        ? `Core ${this.tracks[0].number} decides the end. `
        : "";
    const path = this.runs.every((one) => one.steps.count > 0)
      ? "The heavy line is the critical path: solid where a pipe works, dashed where only time passes."
      : "The steps of the critical path were not saved with this run.";
    this.how.textContent =
      `${this.runs.length === 1 ? decides : "Both runs on one axis. "}` +
      `Cycles ${whole(view.from)} – ${whole(view.to)} of ${whole(run.run.cycles)}. ${path}` +
      this.measureText();
    this.folded.replaceChildren(...this.foldedWords());
  }

  foldedWords() {
    const run = this.runs[0];
    const more = keptCores(run).length - this.tracks.filter((track) => track.run === run).length;
    if (this.runs.length > 1 || run.core_count < 2) return [];
    const text =
      more > 0
        ? `${plural(more, "more core")}, grouped by equal work: ${equalWork(run)} `
        : `${equalWork(run)} `;
    return [
      text,
      el(
        "button",
        {type: "button", class: "plain", title: "E", onclick: () => this.toggleCores()},
        more > 0 ? "expand" : "fold",
      ),
    ];
  }

  measured() {
    const {from, to} = this.measure;
    return [Math.round(Math.min(from, to)), Math.round(Math.max(from, to))];
  }

  measureText() {
    if (!this.measure) return "";
    const [from, to] = this.measured();
    const {core} = this.tracks[0];
    const busy = core.order.map(
      (name) =>
        `${name} ${share(core.lanes.get(name).busy.covered(from, to) / Math.max(1, to - from), 0)}`,
    );
    return (
      ` Measured: ${whole(from)} – ${whole(to)} = ${plural(to - from, "cycle")}, ` +
      `${microseconds(this.runs[0], to - from, 3)}; busy ${busy.join(", ")}.`
    );
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
    const middle =
      core.tileStart.length > 4
        ? lowerBound(lane.busy.start, core.tileStart[tile])
        : lane.busy.count >> 1;
    const last = Math.min(lane.busy.count - 1, middle + 26);
    const margin = (lane.busy.end[last] - lane.busy.start[middle]) * 0.06;
    this.view.set(lane.busy.start[middle] - margin, lane.busy.end[last] + margin);
  }

  fitTile() {
    const {tileStart} = this.tracks[0].core;
    const middle = this.selected
      ? this.selected.lane.start[this.selected.row]
      : (this.view.from + this.view.to) / 2;
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
    const from = Math.min(
      lane.start[row] - lane.waited[row],
      cause ? cause.lane.start[cause.row] : Infinity,
    );
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
    const lanes = [lane, ...(cause ? [cause.lane] : [])]
      .map((one) => this.laneY(one))
      .filter((y) => y !== null);
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
    if (i < lane.busy.count && lane.busy.start[i] <= cycle + near)
      return storyOf(lane, lane.busy.row[i]);
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
    const i = Math.min(
      lane.busy.count - 1,
      lane.busy.firstEnding((this.view.from + this.view.to) / 2),
    );
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
    const from = this.selected
      ? this.selected.lane.start[this.selected.row]
      : (this.view.from + this.view.to) / 2;
    for (
      let i = lowerBound(steps.start, from + (count > 0 ? 1 : 0)) + (count > 0 ? 0 : -1);
      i >= 0 && i < steps.count;
      i += count
    ) {
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
    if (this.hit < 0 && count > 0)
      this.hit = this.hits.findIndex(({lane, row}) => lane.start[row] >= here) - 1;
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
    this.measure = this.measure
      ? null
      : {from: this.view.from + this.view.span * 0.25, to: this.view.from + this.view.span * 0.75};
    this.redraw();
  }

  close() {
    if (!this.keys.hidden) this.keys.hidden = true;
    else if (this.measure) this.measure = null;
    else this.select(null);
    this.redraw();
  }
}
