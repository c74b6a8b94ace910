// The picture of the timeline: where each core, lane and slot stands on the canvas, and the drawing of it.

const AXIS_HEIGHT = 36;
const HEAD_HEIGHT = 20;
const THIN_HEIGHT = 24;
const MAP_ROW = 12;

function isDark() {
  const scheme = document.documentElement.dataset.theme;
  return scheme ? scheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

// Has runs, tracks, view, hits, selected, hover, measure and the switches of Timeline; draws them.
class Chart {
  // ---- places ----

  heightOf(track) {
    if (!track.open) return THIN_HEIGHT;
    return (
      HEAD_HEIGHT +
      track.core.order.length * LANE_HEIGHT +
      (this.showSlots ? slotsHeight(track.core) : 0) +
      8
    );
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
    const dark = isDark();
    const pen = {
      context,
      view: this.view,
      ratio: this.ratio,
      palette: this.palette,
      fade: hasPath ? (dark ? 0.5 : 0.62) : 0,
    };
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
      this.drawGutter(
        pen,
        `core ${track.number}`,
        busyText(track, "CUBE"),
        track.y + THIN_HEIGHT / 2,
        pen.palette.ink3,
      );
      this.inPlot(pen, track.y, THIN_HEIGHT, () =>
        drawThinCore(pen, track.core, track.y + 2, THIN_HEIGHT - 4),
      );
      return;
    }
    const name =
      this.runs.length > 1
        ? `run ${track.run.run.run_id} · core ${track.number}`
        : `core ${track.number}`;
    this.drawGutter(
      pen,
      name,
      this.gutter > 60 && this.runs.length === 1 ? "busy" : "",
      track.y + HEAD_HEIGHT / 2,
      pen.palette.ink,
      600,
    );
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
      this.drawGutter(
        pen,
        "   " + name,
        busyText(track, name),
        y + BOX_TOP + BOX_HEIGHT / 2,
        pen.palette.ink2,
      );
    });
    this.inPlot(pen, track.y, this.heightOf(track), () => {
      track.core.order.forEach((name, i) =>
        drawLane(pen, track.core.lanes.get(name), track.y + HEAD_HEIGHT + i * LANE_HEIGHT),
      );
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
      this.drawGutter(
        pen,
        "   " + BUFFER_NAMES[buffer],
        plural(slots.length, "slot"),
        middle,
        pen.palette.ink3,
      );
      this.inPlot(pen, y, slots.length * SLOT_HEIGHT, () =>
        slots.forEach((slot, i) => drawSlot(pen, buffer, slot, y + i * SLOT_HEIGHT)),
      );
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
      drawArrow(
        pen,
        {x: this.view.x(fired), y: y + BOX_TOP - 4},
        {
          x: this.view.x(Math.max(lane.waitEnd(main), lane.start[story.row])),
          y: this.laneY(lane) + BOX_TOP + BOX_HEIGHT / 2,
        },
      );
    }
  }

  drawHits({context, view, palette}, track) {
    context.fillStyle = palette.pick;
    for (const {lane, row} of this.hits) {
      if (lane.core !== track.core || lane.end[row] < view.from || lane.start[row] > view.to)
        continue;
      context.fillRect(
        view.x(lane.start[row]),
        this.laneY(lane) + BOX_TOP - 8,
        Math.max(2, view.x(lane.end[row]) - view.x(lane.start[row])),
        2,
      );
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
      context.fillText(
        whole(cycle),
        clampText(context, whole(cycle), view.x(cycle), view.width),
        this.mapHeight() - 6,
      );
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
}
