// A core's rows as lanes: columns of numbers by pipe, in the order of the stream.

const COLUMNS = 11;

class Lane {
  constructor(core, pipe, count) {
    this.core = core;
    this.run = core.run;
    this.pipe = pipe;
    this.name = PIPES[pipe];
    this.count = 0;
    for (const name of [
      "seq",
      "start",
      "end",
      "done",
      "link",
      "wait",
      "blockerCore",
      "blockerSeq",
      "instruction",
      "slack",
    ])
      this[name] = new Uint32Array(count);
    this.cause = new Uint8Array(count);
    this.blockerPipe = new Int8Array(count);
    this.works = new Uint8Array(count);
    this.onPath = new Uint8Array(count);
    this.waited = new Uint32Array(count);
    this.mainWait = new Int32Array(count).fill(-1);
  }

  // Adds the rows of one block; columns follow each other.
  addBlock(words, at, count) {
    const first = this.count;
    let seq = first > 0 ? this.seq[first - 1] : 0;
    let start = first > 0 ? this.start[first - 1] : 0;
    for (let i = 0; i < count; i++) {
      const row = first + i;
      const column = (index) => words[at + index * count + i];
      seq += column(0);
      start += unfold(column(1));
      this.seq[row] = seq;
      this.start[row] = start;
      this.end[row] = start + column(2);
      this.done[row] = this.end[row] + column(3);
      this.link[row] = column(4);
      this.wait[row] = column(5);
      this.cause[row] = column(6) & 7;
      this.blockerPipe[row] = ((column(6) >> 3) & 15) - 1;
      this.works[row] = column(6) >> 7;
      this.blockerCore[row] = column(7);
      this.blockerSeq[row] = seq - unfold(column(8));
      this.instruction[row] = column(9);
      this.slack[row] = column(10);
    }
    this.count += count;
  }

  reason(row) {
    return reasonOf(this.cause[row], this.blockerPipe[row]);
  }

  word(row) {
    return this.run.words[this.instruction[row]];
  }

  rowOfSeq(seq) {
    const row = lowerBound(this.seq, seq, 0, this.count);
    return row < this.count && this.seq[row] === seq ? row : -1;
  }

  // A wait ends where the work starts; rows of flags and barriers wait up to their end.
  waitEnd(row) {
    return this.works[row] ? this.start[row] : this.end[row];
  }

  // How long each working row waited in all, with the flags and barriers right before it, and the
  // longest of these waits.
  gatherWaits() {
    let total = 0;
    let main = -1;
    for (let row = 0; row < this.count; row++) {
      if (this.wait[row] > 0 && (main < 0 || this.wait[row] > this.wait[main])) main = row;
      total += this.wait[row];
      this.waited[row] = this.works[row] ? total : this.wait[row];
      this.mainWait[row] = this.works[row] ? main : this.wait[row] > 0 ? row : -1;
      if (this.works[row]) [total, main] = [0, -1];
    }
  }

  // Sorts rows into work and waits by reason.
  makeSpans() {
    this.gatherWaits();
    const waiting = new Map();
    this.busy = new Spans(this.count);
    this.waits = new Spans(this.count);
    for (let row = 0; row < this.count; row++) {
      if (this.wait[row] > 0) {
        const end = this.waitEnd(row);
        const reason = this.reason(row);
        this.waits.add(end - this.wait[row], end, row);
        waiting.set(reason, (waiting.get(reason) || 0) + 1);
      }
      if (this.works[row] && this.end[row] > this.start[row])
        this.busy.add(this.start[row], this.end[row], row);
    }
    this.busy.trim();
    this.waits.trim();
    this.waitsBy = new Map([...waiting].map(([reason, count]) => [reason, new Spans(count)]));
    for (let i = 0; i < this.waits.count; i++) {
      const row = this.waits.row[i];
      this.waitsBy.get(this.reason(row)).add(this.waits.start[i], this.waits.end[i], row);
    }
  }

  // The nearest row that works at or before a row, or -1.
  workBefore(row) {
    while (row >= 0 && !this.works[row]) row--;
    return row;
  }
}

function unfold(word) {
  return word & 1 ? -((word + 1) / 2) : word / 2;
}

function makeCore(run, number, words) {
  const core = {run, number, lanes: new Map()};
  const counts = new Map();
  for (let at = 0; at < words.length; at += 2 + words[at + 1] * COLUMNS) {
    counts.set(words[at], (counts.get(words[at]) || 0) + words[at + 1]);
  }
  for (const [pipe, count] of counts) core.lanes.set(PIPES[pipe], new Lane(core, pipe, count));
  for (let at = 0; at < words.length; at += 2 + words[at + 1] * COLUMNS) {
    core.lanes.get(PIPES[words[at]]).addBlock(words, at + 2, words[at + 1]);
  }
  for (const lane of core.lanes.values()) lane.makeSpans();
  core.order = LANE_ORDER.filter((name) => core.lanes.has(name));
  markPath(core);
  markTiles(core);
  return core;
}

// Which rows the critical path passes through.
function markPath(core) {
  const steps = core.run.steps;
  for (let i = 0; i < steps.count; i++) {
    const lane = steps.core[i] === core.number ? core.lanes.get(PIPES[steps.pipe[i]]) : null;
    const row = lane ? lane.rowOfSeq(steps.seq[i]) : -1;
    if (row >= 0) lane.onPath[row] = 1;
  }
}

// The output tiles of a core: an Mmad that does not add to what is there starts one.
function markTiles(core) {
  const lane = core.lanes.get("CUBE");
  core.tileSeq = [];
  core.tileStart = [];
  if (!lane) return;
  for (let row = 0; row < lane.count; row++) {
    if (lane.works[row] && lane.word(row).starts) {
      core.tileSeq.push(lane.seq[row]);
      core.tileStart.push(lane.start[row]);
    }
  }
}

// The output tile that an Mmad adds to, or that was finished before a store: its number, or -1.
function tileOf(lane, row) {
  if (lane.name !== "CUBE" && lane.name !== "FIXP") return -1;
  return lowerBound(lane.core.tileSeq, lane.seq[row] + 1) - 1;
}

// The step along K of an Mmad within its tile.
function stepOfTile(lane, row) {
  const tile = tileOf(lane, row);
  if (lane.name !== "CUBE" || tile < 0) return -1;
  const first = lane.rowOfSeq(lane.core.tileSeq[tile]);
  let steps = 0;
  for (let i = first; i < row; i++) steps += lane.works[i];
  return steps;
}
