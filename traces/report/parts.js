// Parts of the timeline that need no state: legend, keys, tables.

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
    const count = sum(
      run.pipes.filter((pipe) => pipe[0] === core && pipe[1] !== "SCALAR").map((pipe) => pipe[2]),
    );
    counts.set(count, (counts.get(count) || 0) + 1);
  }
  const groups = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 4);
  const rest = counts.size > 4 ? `, ${counts.size - 4} more kinds` : "";
  return (
    groups
      .map(([count, cores]) => `${plural(cores, "core")} with ${whole(count)} instructions`)
      .join(", ") + rest
  );
}

function legend(runs) {
  const used = new Set(runs.flatMap((run) => run.pipes.map((pipe) => pipe[1])));
  const item = (keyClass, text) => el("span", {}, el("i", {class: `key ${keyClass}`}), text);
  const names = {
    MTE2: "A copy",
    MTE1: "A load",
    CUBE: "Mmad",
    FIXP: "fixpipe",
    VECTOR: "vector",
    MTE3: "store",
  };
  const boxes = LANE_ORDER.filter((name) => used.has(name)).flatMap((name) => [
    item(`${name.toLowerCase()}-a`, names[name]),
    name === "MTE2" || name === "MTE1"
      ? item(
          `${name.toLowerCase()}-b dots`,
          name === "MTE2" ? "B copy (dotted)" : "B load (dotted)",
        )
      : null,
  ]);
  const waits = [...LANE_ORDER.filter((name) => used.has(name)), "stream"].map((name) =>
    el(
      "span",
      {},
      svg(
        "svg",
        {class: "key", viewBox: "0 0 20 12"},
        svg("rect", {width: 20, height: 12, fill: `url(#hatch-${name})`}),
      ),
      name,
    ),
  );
  return el(
    "p",
    {class: "legend"},
    boxes,
    el("span", {}, "waits for"),
    waits,
    el("span", {}, el("i", {class: "key path"}), "critical path"),
    el("span", {}, el("i", {class: "key pick"}), "selected, and its cause"),
    el("span", {}, "bracket: until the result is visible"),
  );
}

const KEYS = [
  ["W S, wheel (with Ctrl, or once the lanes have the focus)", "zoom; Shift makes it faster"],
  ["A D, drag", "pan"],
  ["← →", "previous and next instruction of the pipe"],
  ["↑ ↓", "nearest instruction on the lane above or below"],
  ["Enter, Backspace", "to the cause of the wait, and back"],
  ["[ ]", "along the critical path"],
  ["0, T, F", "fit the run, the tile, the selection"],
  ["M, Shift and drag", "measure; Ctrl C copies it"],
  ["/, n, N", "search, next and previous hit"],
  ["E, C, U, Y", "all cores, choose a core, cycles or µs, critical path"],
  ["?, Esc", "these keys; close, deselect"],
];

function keysHelp() {
  return el(
    "div",
    {class: "keys", hidden: true},
    el(
      "table",
      {},
      KEYS.map(([keys, does]) => el("tr", {}, el("th", {scope: "row"}, keys), el("td", {}, does))),
    ),
    el(
      "p",
      {},
      "Search: op:mmad pipe:mte1 core:0-3 tile:20 k:0 seq:1813 cause:flag by:fixp wait>200 busy>=66 latency>50 link>0 " +
        "slack<10 bytes>64KiB macs>0 at:36347 path; all must hold, a minus in front means not, other words look in operands.",
    ),
  );
}

// The rows of the window as a table, and the SQL that gives all of them.
function rowsTable(timeline) {
  const {view} = timeline;
  const rows = [];
  for (const track of timeline.tracks.filter((one) => one.open)) {
    for (const lane of [...track.core.lanes.values()]) {
      for (
        let i = lane.busy.firstEnding(view.from);
        i < lane.busy.firstStarting(view.to) && rows.length < ROWS_LISTED;
        i++
      ) {
        const row = lane.busy.row[i];
        rows.push([
          track.run.run.run_id,
          track.number,
          lane.name,
          lane.seq[row],
          lane.word(row).opcode,
          lane.start[row],
          lane.end[row],
          lane.done[row],
          lane.waited[row],
          lane.mainWait[row] < 0 ? "" : reasonWord(lane.reason(lane.mainWait[row])),
          lane.word(row).operands,
        ]);
      }
    }
  }
  const columns = [
    "run",
    "core",
    "pipe",
    "seq",
    "opcode",
    "start",
    "end",
    "done",
    "waited",
    "for",
    "operands",
  ];
  const ids = timeline.runs.map((run) => run.run.run_id).join(", ");
  const query = `SELECT * FROM v_instruction WHERE run_id IN (${ids}) AND end_cycle > ${Math.floor(view.from)} AND start_cycle < ${Math.ceil(view.to)}`;
  const table = dataTable(columns, rows).querySelector("div");
  return [
    el(
      "p",
      {},
      `${plural(rows.length, "row")} of the window${rows.length === ROWS_LISTED ? ", the first of more" : ""}. All of them: `,
      el("code", {}, query),
    ),
    table,
  ];
}
