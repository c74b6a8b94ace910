// Which slot of each buffer is being filled, held, or free: is double buffering at work?

const BUFFER_NAMES = {a1: "L1 · A", b1: "L1 · B", a0: "L0A", b0: "L0B", c0: "L0C"};
const BUFFER_PIPES = {
  a1: ["MTE2", "a"],
  b1: ["MTE2", "b"],
  a0: ["MTE1", "a"],
  b0: ["MTE1", "b"],
  c0: ["CUBE", "a"],
};

// Every write and read of a slot in the order of the stream.
function slotUses(core) {
  const uses = new Map();
  const note = (slot, use) => {
    const key = `${slot.buffer}_${slot.slot}`;
    if (!uses.has(key)) uses.set(key, []);
    uses.get(key).push(use);
  };
  for (const lane of core.lanes.values()) {
    for (let row = 0; row < lane.count; row++) {
      if (!lane.works[row]) continue;
      const word = lane.word(row);
      if (word.writes)
        note(word.writes, {
          seq: lane.seq[row],
          start: lane.start[row],
          end: lane.done[row],
          writes: true,
        });
      for (const slot of word.reads)
        note(slot, {seq: lane.seq[row], start: lane.start[row], end: lane.end[row], writes: false});
    }
  }
  return uses;
}

// Joins the uses of a slot to fillings: from the first write to the last write's result, then held
// up to the end of the last read.
function fillingsOf(uses) {
  uses.sort((a, b) => a.seq - b.seq);
  const fillings = [];
  let now = null;
  for (const use of uses) {
    if (use.writes && (now === null || now.read)) {
      now = {start: use.start, filled: use.end, end: use.end, read: false};
      fillings.push(now);
    } else if (now !== null && use.writes) {
      now.filled = Math.max(now.filled, use.end);
    } else if (now !== null) {
      now.read = true;
    }
    if (now !== null) now.end = Math.max(now.end, use.end);
  }
  return fillings;
}

// The slots of a core by buffer: [{buffer, slots: [{spans, filled}]}]; found once.
function slotsOf(core) {
  if (core.slots) return core.slots;
  const uses = slotUses(core);
  core.slots = Object.keys(BUFFER_NAMES)
    .map((buffer) => {
      const keys = [...uses.keys()].filter((key) => key.startsWith(buffer + "_")).sort();
      return {buffer, slots: keys.map((key) => slotSpans(fillingsOf(uses.get(key))))};
    })
    .filter((entry) => entry.slots.length > 0);
  return core.slots;
}

function slotSpans(fillings) {
  const spans = new Spans(fillings.length);
  const filled = new Uint32Array(fillings.length);
  fillings.forEach((filling, i) => {
    filled[i] = filling.filled;
    spans.add(filling.start, Math.max(filling.start, filling.end), i);
  });
  return {spans, filled};
}

function drawSlot(pen, buffer, slot, y) {
  const {context, view, palette} = pen;
  const [pipe, part] = BUFFER_PIPES[buffer];
  const {spans, filled} = slot;
  context.fillStyle = palette.ground;
  context.fillRect(0, y, view.width, SLOT_HEIGHT - 1);
  const first = spans.firstEnding(view.from);
  const last = spans.firstStarting(view.to);
  context.fillStyle = palette.colour(pipe, part);
  if (last - first > view.width / 3) {
    drawSlotCoverage(pen, spans, y);
    return;
  }
  for (let i = first; i < last; i++) {
    const x0 = view.x(spans.start[i]);
    const middle = view.x(Math.min(filled[i], spans.end[i]));
    const x1 = view.x(spans.end[i]);
    context.globalAlpha = 0.38;
    context.fillRect(x0, y, Math.max(0.5, middle - x0 - 0.5), SLOT_HEIGHT - 1);
    context.globalAlpha = 0.85;
    context.fillRect(middle, y, Math.max(0.5, x1 - middle - 0.5), SLOT_HEIGHT - 1);
  }
  context.globalAlpha = 1;
}

function drawSlotCoverage(pen, spans, y) {
  const {context, view} = pen;
  const step = coverageStep(view);
  for (let cycle = Math.floor(view.from / step) * step; cycle < view.to; cycle += step) {
    context.globalAlpha = 0.85 * (spans.covered(cycle, cycle + step) / step);
    const [x, width] = columnAt(pen, cycle, step);
    context.fillRect(x, y, width, SLOT_HEIGHT - 1);
  }
  context.globalAlpha = 1;
}
