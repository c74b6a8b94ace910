// Stretches of time that lie in order and do not overlap, with sums, so that any window of a million
// of them costs a binary search.

class Spans {
  constructor(count) {
    this.start = new Uint32Array(count);
    this.end = new Uint32Array(count);
    this.row = new Uint32Array(count);
    this.before = new Float64Array(count + 1);
    this.count = 0;
  }

  add(start, end, row) {
    const i = this.count++;
    this.start[i] = start;
    this.end[i] = end;
    this.row[i] = row;
    this.before[i + 1] = this.before[i] + (end - start);
  }

  // Gives back the room that was not needed.
  trim() {
    if (this.count < this.start.length) {
      this.start = this.start.slice(0, this.count);
      this.end = this.end.slice(0, this.count);
      this.row = this.row.slice(0, this.count);
      this.before = this.before.slice(0, this.count + 1);
    }
    return this;
  }

  // The first span that ends behind `cycle`, and the first that starts at or behind it.
  firstEnding(cycle) {
    return lowerBound(this.end, cycle + 1e-9, 0, this.count);
  }

  firstStarting(cycle) {
    return lowerBound(this.start, cycle, 0, this.count);
  }

  // Cycles of [from, to) that are covered.
  covered(from, to) {
    const first = this.firstEnding(from);
    const last = this.firstStarting(to);
    if (first >= last) return 0;
    const inside = this.before[last] - this.before[first];
    return inside - Math.max(0, from - this.start[first]) - Math.max(0, this.end[last - 1] - to);
  }

  // The span that holds `cycle`, or -1.
  at(cycle) {
    const i = this.firstEnding(cycle);
    return i < this.count && this.start[i] <= cycle ? i : -1;
  }
}
