// Puts the page together: what needs no instruction comes first, the lanes follow.

function patterns() {
  const lines = (name) =>
    HATCHES[name].map(([x0, y0, x1, y1]) =>
      svg("line", {x1: x0, y1: y0, x2: x1, y2: y1, class: `stroke-${name.toLowerCase()}`}),
    );
  const pattern = (id, children) =>
    svg("pattern", {id, width: 8, height: 8, patternUnits: "userSpaceOnUse"}, children);
  const dot = (x, y) => svg("rect", {x, y, width: 1, height: 1, class: "fill-ink3"});
  return svg(
    "svg",
    {class: "unseen", "aria-hidden": "true", width: 0, height: 0},
    svg(
      "defs",
      {},
      LANE_ORDER.map((name) => pattern(`hatch-${name}`, lines(name))),
      pattern("hatch-stream", [dot(1, 1), dot(5, 5)]),
      pattern("hatch-SCALAR", [dot(1, 1), dot(5, 5)]),
      pattern("dots", [dot(2, 2), dot(6, 6)]),
    ),
  );
}

function runSections(run) {
  return [
    el("div", {class: "pair"}, timeByPipe(run), pathByCause(run)),
    el("div", {class: "pair"}, whatToChange(run), balance(run)),
    hazardsSection(run),
    roofline(run),
    buffersSection(run),
    el("div", {class: "pair plan"}, planSection(run), productSection(run)),
  ];
}

function barsOfBoth(runs) {
  return runs.length < 2
    ? []
    : el(
        "div",
        {class: "pair"},
        runs.map((run) => {
          const part = timeByPipe(run);
          part.querySelector("h2").textContent =
            `Run ${run.run.run_id}: where each pipe’s time goes`;
          return part;
        }),
      );
}

// In place of the lanes when they cannot be shown.
function noTimeline(runs) {
  const without = runs.find((run) => run.core_count === 0);
  if (without)
    return missing(
      `Run ${without.run.run_id} was saved without the timeline of the cores that were asked for; a run with --timeline all keeps it:`,
      "cubesim run PLAN --db FILE --timeline all",
    );
  if (typeof DecompressionStream === "undefined")
    return missing(
      "This browser cannot unpack the timeline (no DecompressionStream). In the terminal:",
      "cubesim show DB",
    );
  return null;
}

function makePage(runs, lanes) {
  const page = document.getElementById("page");
  const [first, second] = runs;
  const main = second
    ? [
        compareHead(first, second),
        runs.map(keyFigures),
        lanes,
        barsOfBoth(runs),
        compareSections(first, second),
      ]
    : [verdict(first), keyFigures(first), lanes, runSections(first)];
  page.append(
    ...[
      patterns(),
      pageHead(runs),
      main,
      el(
        "footer",
        {},
        el(
          "span",
          {},
          "A model, not a measurement. Every metric: ",
          el("code", {}, "cubesim help metrics"),
        ),
        el("code", {}, runs.map((run) => `run_key ${run.run.run_key}`).join(" · ")),
      ),
    ]
      .flat(9)
      .filter(Boolean),
  );
}

function followChanges(timeline) {
  const again = () => {
    timeline.resize();
    timeline.draw();
  };
  new ResizeObserver(again).observe(timeline.element);
  document.addEventListener("themechange", again);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  addEventListener("beforeprint", again);
  addEventListener("afterprint", again);
}

async function start() {
  const reason = noTimeline(RUNS);
  const timeline = reason ? null : new Controls(RUNS);
  makePage(RUNS, timeline ? timeline.element : section("Timeline", null, reason));
  if (!timeline) return;
  await new Promise((resolve) => setTimeout(resolve));
  try {
    await timeline.open();
    followChanges(timeline);
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    timeline.element.replaceChildren(
      el("h2", {}, "Timeline"),
      missing(
        `The timeline of this file cannot be read (${error.message}); write the file again:`,
        "cubesim export DB RUN --format html",
      ),
    );
    throw error;
  }
}

start();
