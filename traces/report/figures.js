// The top of the page: what limits the run, and the six numbers that people quote.

function pageHead(runs) {
  const {run} = runs[0];
  const name = runs.map((one) => one.run.run_id).join(" against ");
  const product = run.product === run.soc ? run.soc : `${run.soc} (${run.product})`;
  return el(
    "header",
    {},
    el(
      "span",
      {},
      el("strong", {}, "cubesim"),
      ` report · run${runs.length > 1 ? "s" : ""} ${name} · ${run.created}`,
    ),
    el(
      "span",
      {},
      `${run.problem} · ${product}, ${plural(run.cores, "core")} at ${whole(run.clock_mhz)} MHz · cubesim ${run.version} `,
      themeSwitch(),
    ),
  );
}

// System, then light, then dark.
function themeSwitch() {
  const themes = ["system", "light", "dark"];
  const button = el(
    "button",
    {
      type: "button",
      class: "plain theme",
      title: "Colours: as the system, light, dark",
      onclick: () => {
        const next = themes[(themes.indexOf(button.textContent) + 1) % 3];
        button.textContent = next;
        if (next === "system") delete document.documentElement.dataset.theme;
        else document.documentElement.dataset.theme = next;
        document.dispatchEvent(new Event("themechange"));
      },
    },
    "system",
  );
  return button;
}

// "MTE2-bound", "Latency-bound", "Deadlock"
function capital(text) {
  const pipe = PIPES.find((name) => text.toUpperCase().startsWith(name + "-"));
  return pipe ? pipe + text.slice(pipe.length) : text.charAt(0).toUpperCase() + text.slice(1);
}

// The sentence up to its semicolon is the heading; the rest and the best remedy follow.
function verdict(run) {
  const [head, ...rest] = run.sentence.replaceAll(" %", NARROW_SPACE + "%").split("; ");
  const best =
    run.suggestions.length > 0 ? run.suggestions.reduce((a, b) => (b[2] < a[2] ? b : a)) : null;
  const gain = best && best[2] < run.run.cycles ? best : null;
  const text = rest.join("; ");
  return [
    el("h1", {}, `${capital(head)}.`),
    el(
      "p",
      {class: "lead"},
      text && `${capital(text)}. `,
      gain &&
        el(
          "strong",
          {},
          `${gain[0]}: ${change((gain[2] - run.run.cycles) / run.run.cycles)}, simulated.`,
        ),
    ),
  ];
}

function figure(name, value, unit, lines, tone) {
  return el(
    "div",
    {class: "figure"},
    el("div", {class: "figure-name"}, name),
    el("div", {class: "figure-value " + (tone || "")}, value, unit && el("small", {}, " " + unit)),
    lines.map((line) => (line instanceof Node ? line : el("div", {class: "figure-line"}, line))),
  );
}

// Where the time lies between the ends of its range.
function rangeBar({low_us: low, high_us: high, time_us: time}) {
  if (low === null || high === null || high <= low) return "no range simulated";
  const at = clamp((time - low) / (high - low), 0, 1);
  return el(
    "div",
    {},
    svg(
      "svg",
      {
        class: "range",
        viewBox: "0 0 160 10",
        role: "img",
        "aria-label": `range ${fixed(low, 1)} to ${fixed(high, 1)} µs`,
      },
      svg("rect", {x: 0, y: 3.5, width: 160, height: 3, class: "fill-rule"}),
      svg("rect", {x: 0, y: 1.5, width: 1.5, height: 7, class: "fill-ink3"}),
      svg("rect", {x: 158.5, y: 1.5, width: 1.5, height: 7, class: "fill-ink3"}),
      svg("circle", {cx: 4 + at * 152, cy: 5, r: 4, class: "fill-ink"}),
    ),
    el(
      "div",
      {class: "figure-line"},
      `${fixed(low, 1)} – ${fixed(high, 1)} µs, with all product numbers at their ends`,
    ),
  );
}

function basisBar(run) {
  const total = run.run.cycles;
  let x = 0;
  const shades = {vendor: 1, measured: 0.7, fitted: 0.42, guess: 0.2};
  const order = Object.keys(shades).map((name) => [
    name,
    (run.basis.find(([word]) => word === name) || [name, 0])[1],
  ]);
  const boxes = order.map(([name, cycles]) => {
    const width = (cycles / total) * 200;
    x += width;
    return svg("rect", {
      x: x - width,
      y: 0,
      width: Math.max(0, width - 0.6),
      height: 9,
      class: "fill-ink",
      "fill-opacity": shades[name],
    });
  });
  return el(
    "div",
    {class: "figure wide"},
    el("div", {class: "figure-name"}, "What the time rests on, by critical path"),
    svg(
      "svg",
      {
        class: "basis",
        viewBox: "0 0 200 9",
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": "basis of the numbers on the critical path",
      },
      boxes,
    ),
    el(
      "div",
      {class: "basis-words"},
      order.map(([name, cycles]) =>
        el(
          "span",
          {},
          svg(
            "svg",
            {class: "dot", viewBox: "0 0 8 8"},
            svg("rect", {width: 8, height: 8, class: "fill-ink", "fill-opacity": shades[name]}),
          ),
          `${name} ${share(cycles / total)}`,
        ),
      ),
    ),
  );
}

function resultFigure({verified, compared, mismatches, hazards}) {
  const found = hazards === 0 ? "0 hazards" : plural(hazards, "hazard");
  if (verified === null)
    return figure("Result", "not verified", "", ["run --verify compares it;", found]);
  const text = verified === 1 ? "exact" : "differs";
  return figure(
    "Result",
    text,
    "",
    [`${whole(compared)} values compared,`, `${whole(mismatches)} differ; ${found}`],
    verified === 1 ? "gain" : "broken",
  );
}

// Read bytes by those of input, weight and bias.
function timesTensors({run, buffers}) {
  const inputs = run.tensors - buffers.output;
  return `${fixed(run.read / inputs, 1)} × the tensors (${megabytes(inputs)} MB);`;
}

function keyFigures(run) {
  const {run: r} = run;
  const startup = sum(run.path.filter(([, , cause]) => cause === "startup").map((part) => part[3]));
  const reads = r.read > 0 ? 1 - r.miss / r.read : 0;
  const peak = run.roofline.find(([level]) => level === "cube");
  return el(
    "div",
    {class: "figures"},
    figure("Time on the device", fixed(r.time_us, 2), "µs", [rangeBar(r)]),
    figure("Cycles, slowest core", whole(r.cycles), "", [
      `${whole(startup)} of them start-up;`,
      `with ${fixed(r.launch_us, 1)} µs launch ${fixed(r.task_us, 2)} µs`,
    ]),
    figure("Cube in use", fixed(100 * (r.cube_utilization || 0), 1), "%", [
      peak ? `${share(peak[5])} of peak MAC/cycle;` : `${whole(r.macs_per_cycle || 0)} MAC/cycle;`,
      r.cube_macs > 0 ? `${share(1 - r.macs / r.cube_macs)} of its work is padding` : "no Mmad",
    ]),
    figure("Read by MTE2", megabytes(r.read), "MB", [
      run.buffers ? timesTensors(run) : "",
      `${share(reads)} of it from L2`,
    ]),
    resultFigure(r),
    basisBar(run),
  );
}
