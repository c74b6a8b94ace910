// Lanes on a canvas: boxes, waits, the critical path. All in CSS pixels; the canvas is scaled once.

const LANE_HEIGHT = 50;
const BOX_TOP = 8;
const BOX_HEIGHT = 34;
const FOOT = 45;
const SLOT_HEIGHT = 11;
const FONT = '"Noto Sans", system-ui, "Segoe UI", sans-serif';

const COLOURS = [
  "page",
  "ground",
  "ink",
  "ink2",
  "ink3",
  "hair",
  "rule",
  "path",
  "pick",
  "scalar",
  ...["mte2", "mte1", "cube", "fixp", "vector", "mte3"].flatMap((pipe) => [
    `${pipe}-a`,
    `${pipe}-b`,
    `${pipe}-edge`,
    `${pipe}-on-a`,
    `${pipe}-on-b`,
  ]),
];

// The colours of the theme, as the canvas understands them, and patterns for waits.
class Palette {
  constructor(context, ratio) {
    const probe = el("span", {});
    document.body.append(probe);
    for (const name of COLOURS) {
      probe.style.color = `var(--${name})`;
      this[name] = getComputedStyle(probe).color;
    }
    probe.remove();
    this.patterns = {};
    for (const name of [...PIPES, "stream", "link"])
      this.patterns[name] = hatch(context, ratio, name, this);
  }

  colour(pipe, part) {
    return pipe === "SCALAR" ? this.scalar : this[`${pipe.toLowerCase()}-${part}`];
  }
}

// Strokes of one 8 px tile of a hatching. Its direction says who is waited for.
const HATCHES = {
  MTE2: [
    [0, 2, 8, 2],
    [0, 6, 8, 6],
  ],
  MTE1: [
    [-2, -2, 10, 10],
    [6, -2, 10, 2],
    [-2, 6, 2, 10],
  ],
  CUBE: [
    [-2, 10, 10, -2],
    [-2, 2, 2, -2],
    [6, 10, 10, 6],
  ],
  FIXP: [
    [0, 0, 8, 8],
    [0, 8, 8, 0],
  ],
  VECTOR: [
    [2, 0, 2, 8],
    [0, 4, 8, 4],
  ],
  MTE3: [
    [0, 4, 4, 0],
    [4, 0, 8, 4],
    [0, 8, 4, 4],
    [4, 4, 8, 8],
  ],
  SCALAR: [],
  stream: [],
  link: [
    [1, 0, 1, 8],
    [5, 0, 5, 8],
  ],
};

function hatch(context, ratio, name, palette) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = Math.round(8 * ratio);
  const ink = tile.getContext("2d");
  ink.scale(tile.width / 8, tile.height / 8);
  ink.strokeStyle = ink.fillStyle = LANE_ORDER.includes(name)
    ? palette.colour(name, "a")
    : name === "link"
      ? palette.page
      : palette.ink3;
  ink.lineWidth = name === "link" ? 1.4 : 1.1;
  for (const [x0, y0, x1, y1] of HATCHES[name]) {
    ink.beginPath();
    ink.moveTo(x0, y0);
    ink.lineTo(x1, y1);
    ink.stroke();
  }
  if (HATCHES[name].length === 0) {
    ink.globalAlpha = 0.75;
    ink.fillRect(1, 1, 1, 1);
    ink.fillRect(5, 5, 1, 1);
  }
  const pattern = context.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix().scale(1 / ratio));
  return pattern;
}

// ---- text that fits ----

function fits(context, text, room) {
  return context.measureText(text).width <= room;
}

// The longest of some texts that fits, or "".
function longestFitting(context, texts, room) {
  return texts.find((text) => text && fits(context, text, room)) || "";
}

// Where the middle of a text stands so that it is not cut at the ends of the plot.
function clampText(context, text, x, width) {
  const half = context.measureText(text).width / 2;
  return clamp(x, half, width - half);
}

// ---- one lane ----

// Draws the boxes of a lane one by one, or as coverage when they are too many for the pixels.
function drawLane(pen, lane, y) {
  const {context, view, palette} = pen;
  context.fillStyle = palette.ground;
  context.fillRect(0, y + BOX_TOP, view.width, BOX_HEIGHT);
  const first = lane.busy.firstEnding(view.from);
  const last = lane.busy.firstStarting(view.to);
  if (last - first > view.width / 3) {
    drawCoverage(pen, lane, y + BOX_TOP, BOX_HEIGHT);
    return;
  }
  drawWaits(pen, lane, y);
  for (let i = first; i < last; i++) drawBox(pen, lane, lane.busy.row[i], y);
}

function drawWaits(pen, lane, y) {
  const {view} = pen;
  const waits = lane.waits;
  const last = waits.firstStarting(view.to);
  for (let i = waits.firstEnding(view.from); i < last; i++) {
    const x0 = Math.max(-2, view.x(waits.start[i]));
    const x1 = Math.min(view.width + 2, view.x(waits.end[i]));
    if (x1 - x0 >= 1.5) drawWait(pen, lane, waits.row[i], {x0, x1, y});
  }
}

function waitWords(lane, row) {
  const reason = lane.reason(row);
  const word = reasonWord(reason).replace("_", " ");
  if (reason < 8) return [`${word}: ${STREAM_WORDS[reason]}`, word];
  return [`waits for ${word}: ${blockerWords(lane, row)}`, `waits for ${word}`, word];
}

const STREAM_WORDS = [
  "",
  "a flag",
  "what is before it is not done",
  "the stream has not come here",
  "the other half of the unit flag",
  "the kernel starts",
  "a write to the same address",
  "the queue of the pipe is full",
];

// What the pipe that is waited for has not done yet, in a few words.
function blockerWords(lane, row) {
  const blocker = PIPES[lane.blockerPipe[row]];
  const pairs = {
    "MTE1 MTE2": "tile not loaded",
    "CUBE MTE1": "operands not in L0",
    "FIXP CUBE": "tile not finished",
    "MTE1 CUBE": "L0 in use",
    "MTE2 MTE1": "L1 in use",
    "CUBE FIXP": "L0C not stored",
  };
  return pairs[`${lane.name} ${blocker}`] || "flag not set";
}

function drawWait(pen, lane, row, {x0, x1, y}) {
  const {context, palette} = pen;
  const pattern = reasonPattern(lane.reason(row));
  context.globalAlpha = pattern === "stream" ? 0.9 : 0.6;
  context.fillStyle = palette.patterns[pattern];
  context.fillRect(x0, y + BOX_TOP + 1, x1 - x0, BOX_HEIGHT - 2);
  context.globalAlpha = 1;
  const left = Math.max(0, x0);
  const right = Math.min(pen.view.width, x1);
  if (right - left < 40) return;
  context.font = `11px ${FONT}`;
  const text = longestFitting(context, waitWords(lane, row), right - left - 14);
  if (text !== "") drawOnPlate(pen, text, (left + right) / 2, y + BOX_TOP + BOX_HEIGHT / 2);
}

function drawOnPlate({context, palette}, text, x, y) {
  const width = context.measureText(text).width;
  context.fillStyle = palette.page;
  context.fillRect(x - width / 2 - 4, y - 8, width + 8, 16);
  context.fillStyle = palette.ink;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, x, y + 0.5);
}

function drawBox(pen, lane, row, y) {
  const {context, view, palette} = pen;
  const x0 = Math.max(-4, view.x(lane.start[row]));
  const x1 = Math.min(view.width + 4, view.x(lane.end[row]));
  const width = Math.max(1, x1 - x0);
  const part = lane.word(row).role === "b" ? "b" : "a";
  context.globalAlpha = pen.fade && !lane.onPath[row] ? pen.fade : 1;
  context.fillStyle = palette.page;
  context.fillRect(x0, y + BOX_TOP, width, BOX_HEIGHT);
  context.fillStyle = palette.colour(lane.name, part);
  context.beginPath();
  context.roundRect(x0, y + BOX_TOP, width, BOX_HEIGHT, width > 4 ? 1.5 : 0);
  context.fill();
  if (part === "b" && width > 8) drawDots(pen, x0, y, width);
  if (width > 3) strokeEdge(pen, lane, {x0, y, width});
  drawLink(pen, lane, row, {x0, width, y});
  context.globalAlpha = 1;
  if (width >= 9) {
    drawBracket(pen, lane, row, y);
    drawLabel(pen, lane, row, {x0: Math.max(0, x0), x1: Math.min(view.width, x1), y, part});
  }
}

function drawDots({context, palette}, x0, y, width) {
  context.fillStyle = palette.ink;
  context.globalAlpha *= 0.34;
  for (let dy = 4; dy < BOX_HEIGHT; dy += 6) {
    for (let dx = 3; dx < width - 1; dx += 6) context.fillRect(x0 + dx, y + BOX_TOP + dy, 1, 1);
  }
  context.globalAlpha /= 0.34;
}

function strokeEdge({context, palette}, lane, {x0, y, width}) {
  context.strokeStyle = palette.colour(lane.name, "edge") || palette.scalar;
  context.lineWidth = 0.9;
  context.strokeRect(x0 + 0.45, y + BOX_TOP + 0.45, width - 0.9, BOX_HEIGHT - 0.9);
}

// The cycles that were lost to a shared link: stripes at the foot of the end of the box.
function drawLink({context, view, palette}, lane, row, {x0, width, y}) {
  const lost = Math.min(width, (lane.link[row] / view.span) * view.width);
  if (lost < 3) return;
  const x = x0 + width - lost;
  context.fillStyle = palette.colour(lane.name, "a");
  context.fillRect(x, y + BOX_TOP + BOX_HEIGHT - 6, lost, 6);
  context.fillStyle = palette.patterns.link;
  context.fillRect(x, y + BOX_TOP + BOX_HEIGHT - 6, lost, 6);
}

// From the end of the box to the moment at which its result is visible.
function drawBracket({context, view, palette}, lane, row, y) {
  const x0 = view.x(lane.start[row]);
  const x1 = view.x(lane.done[row]);
  if (x1 - view.x(lane.end[row]) < 2) return;
  context.strokeStyle = palette.colour(lane.name, "edge") || palette.colour(lane.name, "a");
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x0 + 0.5, y + BOX_TOP);
  context.lineTo(x0 + 0.5, y + BOX_TOP - 4.5);
  context.lineTo(x1, y + BOX_TOP - 4.5);
  context.lineTo(x1, y + BOX_TOP + 2);
  context.stroke();
}

function boxTexts(lane, row) {
  const word = lane.word(row);
  const tile = tileOf(lane, row);
  if (lane.name === "CUBE") {
    const step = stepOfTile(lane, row);
    const short = step >= 0 ? `M${step}` : "M";
    return [`mmad k ${step} · tile ${tile}`, short, "M"];
  }
  if (lane.name === "FIXP") return [`${word.opcode} · tile ${tile}`, `F${tile}`, "F"];
  const slot = word.writes ? word.writes.slot : "";
  const verb = lane.name === "MTE2" ? "copy" : word.opcode;
  if (word.role === "") return [word.opcode, LETTERS[lane.name]];
  const operand = word.role.toUpperCase();
  return [
    slot === "" ? `${verb} ${operand}` : `${verb} ${operand} to slot ${slot}`,
    operand + slot,
    operand,
  ];
}

function drawLabel(pen, lane, row, {x0, x1, y, part}) {
  const {context, palette} = pen;
  context.font = `${lane.onPath[row] && pen.fade ? 600 : 400} 10.5px ${FONT}`;
  const texts = boxTexts(lane, row);
  const text =
    longestFitting(context, texts.slice(0, -2), x1 - x0 - 10) ||
    longestFitting(context, texts.slice(-2), x1 - x0 - 2);
  if (text === "") return;
  const faded = pen.fade && !lane.onPath[row];
  context.fillStyle = faded ? palette.ink : palette.colour(lane.name, `on-${part}`) || palette.ink;
  context.textBaseline = "middle";
  context.textAlign = "left";
  const wide = x1 - x0 > 70;
  const width = context.measureText(text).width;
  context.fillText(text, wide ? x0 + 5 : (x0 + x1 - width) / 2, y + BOX_TOP + BOX_HEIGHT / 2 + 0.5);
}

// ---- coverage ----

// Columns are cut at multiples of a power of two cycles, so that panning does not make them flicker.
function coverageStep(view) {
  return 2 ** Math.max(0, Math.ceil(Math.log2(view.span / view.width)));
}

// Left edge and width of a column, on whole pixels of the device.
function columnAt({view, ratio}, cycle, step) {
  const edge = (at) => Math.round(view.x(at) * ratio) / ratio;
  return [edge(cycle), edge(cycle + step) - edge(cycle)];
}

// One column for each step: its height is the busy share, the rest the wait that took most of it.
function drawCoverage(pen, lane, y, height) {
  const {context, view, palette} = pen;
  const step = coverageStep(view);
  for (let cycle = Math.floor(view.from / step) * step; cycle < view.to; cycle += step) {
    const [x, width] = columnAt(pen, cycle, step);
    const busy = lane.busy.covered(cycle, cycle + step) / step;
    const reason = busy < 0.98 ? mostWaited(lane, cycle, cycle + step) : -1;
    if (reason >= 8) {
      context.globalAlpha = 0.3;
      context.fillStyle = palette.colour(PIPES[reason - 8], "a");
      context.fillRect(x, y, width, height);
      context.globalAlpha = 1;
    }
    context.fillStyle = palette.colour(lane.name, "a");
    context.fillRect(x, y + height * (1 - busy), width, height * busy);
  }
}

function mostWaited(lane, from, to) {
  let best = -1;
  let most = 0;
  for (const [reason, spans] of lane.waitsBy) {
    const cycles = spans.covered(from, to);
    if (cycles > most) [best, most] = [reason, cycles];
  }
  return best;
}

// A core in a few pixels: each pipe a thin row of coverage.
function drawThinCore(pen, core, y, height) {
  const row = height / core.order.length;
  core.order.forEach((name, i) => {
    pen.context.fillStyle = pen.palette.ground;
    pen.context.fillRect(0, y + i * row, pen.view.width, row - 1);
    drawThinLane(pen, core.lanes.get(name), y + i * row, row - 1);
  });
}

function drawThinLane(pen, lane, y, height) {
  const {context, view, palette} = pen;
  const step = coverageStep(view) * 2;
  context.fillStyle = palette.colour(lane.name, "a");
  for (let cycle = Math.floor(view.from / step) * step; cycle < view.to; cycle += step) {
    const busy = lane.busy.covered(cycle, cycle + step) / step;
    if (busy === 0) continue;
    context.globalAlpha = 0.15 + 0.85 * busy;
    const [x, width] = columnAt(pen, cycle, step);
    context.fillRect(x, y, width, height);
  }
  context.globalAlpha = 1;
}

// ---- the critical path ----

// Its foot line: solid where a pipe is busy, dashed where only latency or a wait passes, vertical
// where it goes to another pipe. feet has y of each pipe.
function drawPath(pen, core, feet) {
  const {steps} = core.run;
  const {view} = pen;
  const first = Math.max(0, lowerBound(steps.start, view.from + 1) - 1);
  const last = lowerBound(steps.start, view.to);
  const footOf = (i) =>
    (steps.core[i] === core.number && feet.get(PIPES[steps.pipe[i]])) || feet.get("SCALAR");
  if (last - first > view.width) {
    drawDensePath(pen, steps, footOf, [first, last]);
    return;
  }
  let before = null;
  for (let i = first; i < last; i++) {
    const foot = footOf(i);
    const x0 = Math.max(-5, view.x(steps.start[i]));
    const x1 = Math.min(view.width + 5, view.x(steps.start[i] + steps.cycles[i]));
    strokePath(pen, {x0, x1, y: foot, before, solid: steps.kind[i] === 0 || steps.kind[i] === 2});
    before = foot;
  }
}

// Where steps are more than pixels, each pixel shows the pipe with the most cycles of the path.
function drawDensePath(pen, steps, footOf, [first, last]) {
  const {view} = pen;
  const columns = Math.ceil(view.width);
  const cycles = new Map();
  for (let i = first; i < last; i++) {
    const foot = footOf(i);
    if (!cycles.has(foot)) cycles.set(foot, new Float64Array(columns));
    const column = cycles.get(foot);
    const x0 = clamp(Math.floor(view.x(steps.start[i])), 0, columns - 1);
    const x1 = clamp(Math.floor(view.x(steps.start[i] + steps.cycles[i])), x0, columns - 1);
    for (let x = x0; x <= x1; x++) column[x] += steps.cycles[i] / (x1 - x0 + 1);
  }
  const feet = [...cycles.keys()];
  const most = (x) =>
    feet.reduce((best, foot) => (cycles.get(foot)[x] > cycles.get(best)[x] ? foot : best));
  let before = null;
  for (let x = 0; x < columns; ) {
    const y = most(x);
    const x0 = x;
    while (x < columns && most(x) === y) x++;
    strokePath(pen, {x0, x1: x, y, before, solid: true});
    before = y;
  }
}

function strokePath({context, palette}, {x0, x1, y, before, solid}) {
  context.strokeStyle = palette.path;
  if (before !== null && before !== y) {
    context.lineWidth = 1.5;
    context.setLineDash([]);
    context.beginPath();
    context.moveTo(x0, before);
    context.lineTo(x0, y);
    context.stroke();
  }
  context.lineWidth = 3;
  context.setLineDash(solid ? [] : [2.5, 2]);
  context.beginPath();
  context.moveTo(x0, y);
  context.lineTo(x1, y);
  context.stroke();
  context.setLineDash([]);
}

// ---- the cause of a wait ----

// An arrow from the moment at which the cause was done to the start of what waited for it.
function drawArrow({context, palette}, from, to) {
  const bend = Math.max(18, Math.abs(to.x - from.x) / 2);
  context.strokeStyle = context.fillStyle = palette.pick;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(from.x, from.y, 3, 0, 7);
  context.fill();
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.bezierCurveTo(from.x + bend, from.y, to.x - 8 - bend, to.y, to.x - 7, to.y);
  context.stroke();
  context.beginPath();
  context.moveTo(to.x, to.y);
  context.lineTo(to.x - 9, to.y - 4.5);
  context.lineTo(to.x - 9, to.y + 4.5);
  context.fill();
}

function outlineBox({context, view, palette}, lane, row, y) {
  const x0 = view.x(lane.start[row]);
  const width = Math.max(3, view.x(lane.end[row]) - x0);
  context.strokeStyle = palette.pick;
  context.lineWidth = 2;
  context.strokeRect(x0, y + BOX_TOP, width, BOX_HEIGHT);
}
