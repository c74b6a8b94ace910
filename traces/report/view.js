// The window of cycles that the timeline shows.

const MOST_PX_PER_CYCLE = 8;

class View {
  constructor(from, to) {
    Object.assign(this, {low: from, high: to, from, to, width: 1000});
  }

  get span() {
    return this.to - this.from;
  }

  x(cycle) {
    return ((cycle - this.from) / this.span) * this.width;
  }

  cycle(x) {
    return this.from + (x / this.width) * this.span;
  }

  set(from, to) {
    const least = Math.min(this.high - this.low, this.width / MOST_PX_PER_CYCLE);
    const span = clamp(to - from, least, this.high - this.low);
    const middle = (from + to) / 2;
    this.from = clamp(middle - span / 2, this.low, this.high - span);
    this.to = this.from + span;
  }

  zoom(factor, cycle) {
    const before = this.from;
    const least = Math.min(this.high - this.low, this.width / MOST_PX_PER_CYCLE);
    const span = clamp(this.span / factor, least, this.high - this.low);
    const from = cycle - ((cycle - before) / this.span) * span;
    this.set(from, from + span);
  }

  pan(cycles) {
    const span = this.span;
    const from = clamp(this.from + cycles, this.low, this.high - span);
    this.from = from;
    this.to = from + span;
  }
}
