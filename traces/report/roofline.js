// One small plot for each level of the memories, all with equal axes.

const ROOF_NAMES = {
  gm: "GM → L1",
  l2: "L2 → L1",
  l0a: "L1 → L0A",
  l0b: "L1 → L0B",
  mte1: "MTE1: L0A and L0B",
  l0c: "L0C → out",
};
const PLOT = {x0: 44, x1: 206, y0: 12, y1: 104};

// A logarithmic scale whose ends are powers of two around some values.
function logScale(values, from, to) {
  const low = Math.floor(Math.log2(Math.min(...values)) / 2) * 2;
  const high = Math.ceil(Math.log2(Math.max(...values)) / 2) * 2;
  const scale = (value) => from + ((Math.log2(value) - low) / (high - low)) * (to - from);
  const step = Math.max(2, Math.ceil((high - low) / 3 / 2) * 2);
  const ticks = [];
  for (let power = high; power >= low; power -= step) ticks.push(2 ** power);
  return Object.assign(scale, {low: 2 ** low, high: 2 ** high, ticks});
}

function tickText(value) {
  return value >= 10000
    ? `${whole(value / 1024)} Ki`
    : value >= 1
      ? whole(value)
      : `1/${whole(1 / value)}`;
}

function roofAxes(x, y) {
  return [
    x.ticks.map((tick) =>
      svg("text", {x: x(tick), y: 118, "text-anchor": "middle", class: "tick"}, tickText(tick)),
    ),
    y.ticks.map((tick) => [
      svg(
        "text",
        {x: PLOT.x0 - 5, y: y(tick) + 3.5, "text-anchor": "end", class: "tick"},
        tickText(tick),
      ),
      svg("path", {d: `M${PLOT.x0} ${y(tick)}H${PLOT.x1}`, class: "line-hair"}),
    ]),
  ];
}

function roofPlot(run, level, peak, x, y) {
  const [word, bytes, rate, intensity, roof, reached] = level;
  const macs = run.run.macs_per_cycle;
  const knee = peak / rate;
  const start = Math.max(x.low, y.low / rate);
  const line =
    knee > x.low && knee < x.high
      ? `M${x(start)} ${y(start * rate)}L${x(knee)} ${y(peak)}H${PLOT.x1}`
      : knee <= x.low
        ? `M${PLOT.x0} ${y(peak)}H${PLOT.x1}`
        : `M${x(start)} ${y(start * rate)}L${x(x.high)} ${y(x.high * rate)}`;
  const [dotX, dotY, ringY] = [x(intensity), y(macs), y(Math.min(roof, peak))];
  return el(
    "figure",
    {class: "roof"},
    el(
      "figcaption",
      {},
      el("strong", {}, ROOF_NAMES[word] || word),
      el("span", {}, `${whole(rate)} B/cycle`),
    ),
    svg(
      "svg",
      {
        viewBox: "0 0 224 122",
        role: "img",
        "aria-label": `${word}: ${share(reached)} of the roof reached`,
      },
      roofAxes(x, y),
      svg("path", {d: line, class: "roof-line"}),
      svg("path", {d: `M${dotX} ${dotY}V${ringY}`, class: "roof-gap"}),
      svg("circle", {cx: dotX, cy: ringY, r: 3, class: "roof-ring"}),
      svg("circle", {cx: dotX, cy: dotY, r: 3.5, class: "fill-pick"}),
      svg(
        "text",
        {
          x: dotX > 160 ? dotX - 8 : dotX + 8,
          y: dotY + 4,
          "text-anchor": dotX > 160 ? "end" : "start",
          class: "strong",
        },
        share(reached, 0),
      ),
    ),
    el(
      "div",
      {class: "roof-line-words"},
      el("span", {}, `${fixed(intensity, 1)} MAC/B`),
      el("span", {}, `${megabytes(bytes)} MB moved`),
    ),
  );
}

function roofline(run) {
  const levels = run.roofline.filter(([, bytes, rate]) => bytes > 0 && rate > 0);
  const cube = run.roofline.find(([level]) => level === "cube");
  const title = "Roofline, one per level";
  if (levels.length === 0 || !cube)
    return section(
      title,
      null,
      missing(
        run.run.macs === 0
          ? "This run multiplies nothing: it has no roofline."
          : "No roofline was stored with this run.",
      ),
    );
  const macs = run.run.macs_per_cycle;
  const peak = cube[4];
  const x = logScale(
    levels.flatMap((level) => [level[3], peak / level[2]]),
    PLOT.x0,
    PLOT.x1,
  );
  const y = logScale([macs / 4, peak], PLOT.y1, PLOT.y0);
  return section(
    title,
    `All ${run.run.cores} cores together: useful MAC/cycle over MAC per byte moved at that level, both logarithmic. Dot: this run, ` +
      `${whole(macs)} MAC/cycle, ${share(cube[5])} of the cube’s ${whole(peak)}. Ring: what this level alone would allow; the share is of this roof, in bytes.`,
    el(
      "div",
      {class: "roofs"},
      levels.map((level) => roofPlot(run, level, peak, x, y)),
    ),
    dataTable(
      ["level", "bytes", "roof B/cycle", "MAC/B", "roof MAC/cycle", "reached"],
      run.roofline.map(([word, bytes, rate, intensity, roof, reached]) => [
        word,
        whole(bytes),
        rate === null ? "" : fixed(rate, 1),
        intensity === null ? "" : fixed(intensity, 1),
        whole(roof || 0),
        share(reached),
      ]),
    ),
  );
}
