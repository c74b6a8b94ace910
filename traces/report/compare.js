// Two runs on one page: what changed.

function compareRow(name, before, after, text = whole) {
  const part = before === 0 ? null : (after - before) / before;
  return [
    name,
    before === null ? "" : text(before),
    after === null ? "" : text(after),
    part === null || !Number.isFinite(part) ? "" : change(part),
    part,
  ];
}

function comparedNumbers(a, b) {
  const two = (value) => fixed(value, 2);
  const busy = (run, name) =>
    sum(run.pipes.filter((pipe) => pipe[1] === name).map((pipe) => pipe[3]));
  const waiting = (run, name) =>
    sum(run.pipes.filter((pipe) => pipe[1] === name).map((pipe) => pipe[4]));
  const pipes = usedPipes(a).filter((name) => usedPipes(b).includes(name));
  return [
    compareRow("cycles", a.run.cycles, b.run.cycles),
    compareRow("time, µs", a.run.time_us, b.run.time_us, two),
    compareRow("useful MAC", a.run.macs, b.run.macs),
    compareRow("instructions", a.run.instructions, b.run.instructions),
    compareRow("B read", a.run.read, b.run.read),
    compareRow("B written", a.run.write, b.run.write),
    ...pipes.flatMap((name) => [
      compareRow(`${name} busy, all cores`, busy(a, name), busy(b, name)),
      compareRow(`${name} waiting, all cores`, waiting(a, name), waiting(b, name)),
    ]),
  ];
}

function comparedPath(a, b) {
  const names = [...new Set([...a.path, ...b.path].map(pathName))];
  const cycles = (run, name) =>
    sum(run.path.filter((part) => pathName(part) === name).map((part) => part[3]));
  return names
    .map((name) => [name, cycles(a, name), cycles(b, name)])
    .sort((x, y) => Math.abs(y[2] - y[1]) - Math.abs(x[2] - x[1]))
    .map(([name, before, after]) => [
      name,
      whole(before),
      whole(after),
      (after < before ? MINUS : after > before ? "+" : "") + whole(Math.abs(after - before)),
    ]);
}

// Leaves of the plan and of the product's values that differ.
function leaves(node, path = "") {
  if (node === null || typeof node !== "object" || Array.isArray(node)) return [[path, flat(node)]];
  return Object.entries(node).flatMap(([key, value]) =>
    leaves(value, path === "" ? key : `${path}.${key}`),
  );
}

function differences(a, b) {
  const [before, after] = [new Map(leaves(a)), new Map(leaves(b))];
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => before.get(key) !== after.get(key))
    .map((key) => [key, before.get(key) || "–", after.get(key) || "–"]);
}

function compareTable(columns, rows) {
  return el(
    "table",
    {class: "compare"},
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        columns.map((name, i) => el("th", {scope: "col", class: i > 0 ? "number" : null}, name)),
      ),
    ),
    el(
      "tbody",
      {},
      rows.map((row) =>
        el(
          "tr",
          {},
          row
            .slice(0, columns.length)
            .map((cell, i) => el("td", {class: i > 0 ? "number" : null}, cell)),
        ),
      ),
    ),
  );
}

function compareSections(a, b) {
  const names = [`run ${a.run.run_id}`, `run ${b.run.run_id}`];
  const changed = [...differences(a.plan, b.plan), ...differences(a.product, b.product)];
  return [
    el(
      "div",
      {class: "pair"},
      section(
        "What came out",
        "Change of the second against the first.",
        compareTable(["", ...names, "change"], comparedNumbers(a, b)),
      ),
      el(
        "div",
        {},
        section(
          "The critical path by cause",
          "Cycles, the largest change first.",
          compareTable(["", ...names, "cycles"], comparedPath(a, b)),
        ),
      ),
    ),
    section(
      "What differs in plan and product",
      changed.length === 0 ? "Nothing: same plan, same product." : null,
      changed.length > 0 && compareTable(["key", ...names], changed),
    ),
  ];
}

// "run 2 is 21.4 % faster: 50,268 cycles against 63,941"
function compareHead(a, b) {
  const part = (b.run.cycles - a.run.cycles) / a.run.cycles;
  const word = part < 0 ? "faster" : "slower";
  const text =
    b.run.cycles === a.run.cycles ? "takes as long" : `is ${share(Math.abs(part))} ${word}`;
  return [
    el(
      "h1",
      {},
      `Run ${b.run.run_id} ${text}: ${whole(b.run.cycles)} cycles against ${whole(a.run.cycles)} of run ${a.run.run_id}.`,
    ),
    [a, b].map((run) =>
      el(
        "p",
        {class: "lead"},
        el("strong", {}, `Run ${run.run.run_id}`),
        ` ${run.run.tiling}. ${capital(run.sentence)}.`,
      ),
    ),
  ];
}
