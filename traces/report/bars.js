// Where the time of each pipe goes, and what the critical path went to.

// Parts in whole percent-like shares whose shown numbers still add up: the rests go to the largest.
function roundToSum(values, total) {
  const floors = values.map(Math.floor);
  const rest = Math.round(total) - sum(floors);
  const order = values.map((value, i) => [value - floors[i], i]).sort((a, b) => b[0] - a[0]);
  for (let i = 0; i < rest && i < order.length; i++) floors[order[i][1]]++;
  return floors;
}

// The mean over the cores of what a pipe did: busy without the link, link, waits by reason, idle.
function pipeParts(run, name) {
  const rows = run.pipes.filter((pipe) => pipe[1] === name);
  const mean = (total) => total / run.run.cores;
  const total = (column) => sum(rows.map((row) => row[column]));
  const waits = new Map();
  const add = (reason, cycles) => waits.set(reason, (waits.get(reason) || 0) + cycles);
  for (const [, pipe, forPipe, cycles] of run.waits_for)
    if (pipe === name) add(8 + PIPES.indexOf(forPipe), cycles);
  const split = sum([...waits.values()]);
  for (const [, pipe, cause, cycles] of run.waits)
    if (pipe === name) add(CAUSES.indexOf(cause), cycles);
  waits.set(1, (waits.get(1) || 0) - split);
  const reasons = [...waits].filter(([, cycles]) => cycles > 0).sort((a, b) => b[1] - a[1]);
  const parts = [
    {kind: "busy", cycles: mean(total(3) - total(6))},
    {kind: "link", cycles: mean(total(6))},
    ...reasons.map(([reason, cycles]) => ({kind: "wait", reason, cycles: mean(cycles)})),
    {kind: "idle", cycles: run.run.cycles - mean(total(3) + total(4))},
  ];
  const shown = roundToSum(
    parts.map((part) => part.cycles),
    run.run.cycles,
  );
  parts.forEach((part, i) => (part.shown = shown[i]));
  return parts;
}

function usedPipes(run) {
  return [...LANE_ORDER, "SCALAR"].filter((name) => run.pipes.some((pipe) => pipe[1] === name));
}

function partFill(name, part) {
  if (part.kind === "busy") return {class: `fill-${name.toLowerCase()}`};
  if (part.kind === "link") return {class: `fill-${name.toLowerCase()}-b`};
  if (part.kind === "wait")
    return {fill: `url(#hatch-${reasonPattern(part.reason)})`, "fill-opacity": 0.75};
  return {class: "fill-page"};
}

function partWord(part) {
  return part.kind === "wait" ? reasonWord(part.reason).replace("_", " ") : part.kind;
}

const BAR_WIDTH = 560;

function barText(x, width, text, inBusy) {
  const room = text.length * 6.3 + 8;
  if (width < room) return [];
  const at = inBusy ? x + 6 : x + width / 2;
  return [
    inBusy
      ? null
      : svg("rect", {x: at - room / 2, y: 3.5, width: room, height: 15, class: "fill-page"}),
    svg(
      "text",
      {x: at, y: 15, "text-anchor": inBusy ? "start" : "middle", class: inBusy || ""},
      text,
    ),
  ];
}

function pipeBar(run, name) {
  const parts = pipeParts(run, name);
  const cycles = run.run.cycles;
  const items = [svg("rect", {x: 0.5, y: 0.5, width: BAR_WIDTH - 1, height: 21, class: "outline"})];
  let x = 0;
  for (const part of parts) {
    const width = (part.cycles / cycles) * BAR_WIDTH;
    const label =
      part.kind === "idle"
        ? ""
        : part.kind === "busy"
          ? `busy ${share(part.cycles / cycles)}`
          : `${partWord(part)} ${fixed((100 * part.cycles) / cycles, 1)}`;
    items.push(
      svg(
        "rect",
        {x, y: 0.5, width: Math.max(0, width), height: 21, ...partFill(name, part)},
        svg("title", {}, `${partWord(part)}: ${whole(part.shown)} cycles`),
      ),
    );
    if (label)
      items.push(
        barText(x, width, label, part.kind === "busy" ? `on-${name.toLowerCase()}` : null),
      );
    x += width;
  }
  const idle = parts[parts.length - 1].shown;
  const busy = parts[0].shown + parts[1].shown;
  const line = `${whole(busy)} busy + ${whole(cycles - busy - idle)} waiting + ${whole(idle)} idle = ${whole(cycles)}`;
  return el(
    "div",
    {class: "bar-row"},
    el("span", {class: "bar-name"}, name),
    el(
      "div",
      {},
      svg(
        "svg",
        {
          class: "bar",
          viewBox: `0 0 ${BAR_WIDTH} 22`,
          role: "img",
          "aria-label": `${name}: ${line}`,
        },
        items,
      ),
      el("div", {class: "bar-line"}, line),
    ),
  );
}

function timeByPipe(run) {
  const names = usedPipes(run);
  const rows = names.flatMap((name) =>
    pipeParts(run, name).map((part) => [
      name,
      part.kind === "wait" ? `waits: ${partWord(part)}` : partWord(part),
      whole(part.shown),
      share(part.cycles / run.run.cycles),
    ]),
  );
  const what = run.run.cores > 1 ? `Mean of ${whole(run.run.cores)} cores. ` : "";
  return section(
    "Where each pipe’s time goes",
    `${what}Hatching shows who was waited for; each line adds up to the ${whole(run.run.cycles)} cycles.`,
    names.map((name) => pipeBar(run, name)),
    dataTable(["pipe", "what", "cycles", "share"], rows),
  );
}

// ---- the critical path ----

function pathName([kind, pipe, cause]) {
  return kind === "wait" ? (cause || "unknown").replace("_", " ") : `${pipe} ${kind}`;
}

const PATH_NOTES = {
  "MTE2 busy": "loads from GM and L2",
  "MTE1 busy": "loads of L0A and L0B",
  "CUBE busy": "Mmad",
  "FIXP busy": "store of the L0C tile",
  "MTE2 latency": "end → data in L1",
  "MTE1 latency": "end → L0 readable",
  "CUBE latency": "Mmad end → result visible",
  "FIXP latency": "store end → L0C free",
  "MTE2 link": "L2 and GM shared by the cores",
  startup: "before the first load",
  dispatch: "the scalar issues the stream",
  flag: "hand-over of a flag",
  barrier: "a barrier",
  "queue full": "the queue of a pipe is full",
};

function pathFill([kind, pipe]) {
  if (kind === "wait") return {class: "fill-scalar"};
  const name = pipe.toLowerCase();
  return kind === "busy"
    ? {class: `fill-${name}`}
    : {
        class: `fill-${name}-b`,
        stroke: `var(--${name}-edge)`,
        "stroke-dasharray": kind === "latency" ? "2 2" : null,
      };
}

function waterfall(run) {
  const total = run.run.cycles;
  let x = 0;
  return run.path.map((part) => {
    const width = (part[3] / total) * 400;
    const note = PATH_NOTES[pathName(part)];
    const right = x + width < 220;
    const items = [
      svg("rect", {x: x + 0.25, y: 2, width: Math.max(1, width), height: 14, ...pathFill(part)}),
      note &&
        svg(
          "text",
          {
            x: right ? x + width + 6 : x - 6,
            y: 13,
            "text-anchor": right ? "start" : "end",
            class: "note",
          },
          note,
        ),
    ];
    x += width;
    return el(
      "div",
      {class: "path-row"},
      el("span", {class: "bar-name"}, pathName(part)),
      svg("svg", {class: "bar", viewBox: "0 0 400 18", "aria-hidden": "true"}, items),
      el("span", {class: "number strong"}, whole(part[3])),
      el("span", {class: "number"}, share(part[3] / total)),
    );
  });
}

function pathByCause(run) {
  const total = sum(run.path.map((part) => part[3]));
  const steps =
    run.steps && run.steps.count > 0
      ? `${plural(run.steps.count, "step")} from the start to the last completion; t`
      : "T";
  return section(
    "The critical path by cause",
    `${steps}ogether exactly the cycles of the run.`,
    waterfall(run),
    el(
      "div",
      {class: "path-row total"},
      el("span", {}, ""),
      el("span", {}, ""),
      el("span", {class: "number strong"}, whole(total)),
      el("span", {class: "number strong"}, share(total / run.run.cycles, 0)),
    ),
    dataTable(
      ["part", "cycles", "share"],
      run.path.map((part) => [pathName(part), whole(part[3]), share(part[3] / run.run.cycles)]),
    ),
  );
}

// ---- what to change ----

function suggestionRow(run, [what, saw, cycles]) {
  const gain = (cycles - run.run.cycles) / run.run.cycles;
  return el(
    "tr",
    {},
    el("td", {}, el("code", {}, what)),
    el("td", {class: "saw"}, saw),
    el("td", {class: "number"}, whole(cycles)),
    el(
      "td",
      {},
      svg(
        "svg",
        {class: "gain-bar", viewBox: "0 0 100 10", "aria-hidden": "true"},
        svg("rect", {width: 100, height: 10, class: "fill-ground"}),
        svg("rect", {width: clamp(-gain, 0, 1) * 200, height: 10, class: "fill-gain"}),
      ),
    ),
    el("td", {class: `number strong ${gain < 0 ? "gain" : ""}`}, change(gain)),
  );
}

function whatToChange(run) {
  if (run.suggestions.length === 0) return null;
  return section(
    "What to change",
    `Each line was simulated${run.run.cores > 1 ? ` on all ${run.run.cores} cores` : ""} before it was written down.`,
    el(
      "table",
      {class: "changes"},
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          ["change", "what the rule saw", "cycles", "", `against ${whole(run.run.cycles)}`].map(
            (name, i) =>
              el("th", {scope: "col", class: i === 2 || i === 4 ? "number" : null}, name),
          ),
        ),
      ),
      el(
        "tbody",
        {},
        run.suggestions.map((row) => suggestionRow(run, row)),
      ),
    ),
  );
}

// ---- the cores ----

function coreDots(run) {
  const width = run.suggestions.length > 0 ? 604 : 1314;
  const cycles = run.cores.map((core) => core[1]);
  const [low, high] = [Math.min(...cycles), Math.max(...cycles)];
  const y = (value) => (high === low ? 22 : 36 - ((value - low) / (high - low)) * 28);
  const x = (i) => ((i + 0.5) / cycles.length) * width;
  const ticks = high === low ? [high] : [high, low];
  const dot = ([core, value], i) =>
    svg(
      "circle",
      {
        cx: x(i),
        cy: y(value),
        r: 3.4,
        class: core === run.run.deciding ? "fill-pick" : "fill-ink2",
      },
      svg("title", {}, `core ${core}: ${whole(value)}`),
    );
  return el(
    "div",
    {class: "dots-row"},
    el(
      "span",
      {class: "dots-axis"},
      ticks.map((tick) => el("span", {}, whole(tick))),
    ),
    svg(
      "svg",
      {
        class: "core-dots",
        viewBox: `0 0 ${width} 44`,
        role: "img",
        "aria-label": `last completions from ${whole(low)} to ${whole(high)} cycles`,
      },
      svg("path", {d: `M0 8H${width}M0 36H${width}`, class: "line-hair"}),
      run.cores.map(dot),
    ),
  );
}

function heatCell(run, core, name) {
  const pipe = run.pipes.find((row) => row[0] === core && row[1] === name);
  const busy = pipe ? pipe[3] / run.run.cycles : 0;
  const cell = el(
    "td",
    {class: busy > 0.45 ? "heat hot" : "heat", title: `core ${core} ${name}: ${share(busy)}`},
    String(Math.round(100 * busy)),
  );
  cell.style.setProperty("--heat", busy.toFixed(3));
  return cell;
}

// A table of heat for some cores; more than 32 stand in two rows.
function heatTable(run, cores) {
  const names = usedPipes(run).filter((name) => name !== "SCALAR");
  return el(
    "table",
    {class: "heat-table"},
    el(
      "tbody",
      {},
      names.map((name) =>
        el(
          "tr",
          {},
          el("th", {scope: "row"}, name),
          cores.map((core) => heatCell(run, core, name)),
        ),
      ),
      el(
        "tr",
        {class: "core-names"},
        el("th", {scope: "row"}, "core"),
        cores.map((core) =>
          el("td", {class: core === run.run.deciding ? "strong" : null}, String(core)),
        ),
      ),
    ),
  );
}

function balance(run) {
  if (run.cores.length < 2) return null;
  const cycles = run.cores.map((core) => core[1]);
  const spread = (Math.max(...cycles) - Math.min(...cycles)) / Math.max(...cycles);
  const cores = run.cores.map((core) => core[0]);
  const half = cores.length > 32 ? Math.ceil(cores.length / 2) : cores.length;
  return section(
    "Balance over the cores",
    `Last completion of each core (dots; core ${run.run.deciding} decides) and utilisation in %. Spread ${share(spread)}: ${equalWork(run)}.`,
    coreDots(run),
    heatTable(run, cores.slice(0, half)),
    half < cores.length && heatTable(run, cores.slice(half)),
    dataTable(
      ["core", "cycles", ...usedPipes(run).map((name) => `${name} busy`)],
      run.cores.map(([core, ended]) => [
        core,
        whole(ended),
        ...usedPipes(run).map((name) =>
          whole((run.pipes.find((row) => row[0] === core && row[1] === name) || [0, 0, 0, 0])[3]),
        ),
      ]),
    ),
  );
}
