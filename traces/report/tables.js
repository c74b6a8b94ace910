// The plan, the product's numbers and the hazards.

function flat(value) {
  if (Array.isArray(value)) return `[${value.map(flat).join(", ")}]`;
  if (value !== null && typeof value === "object")
    return Object.entries(value)
      .map(([key, inner]) => `${key} ${flat(inner)}`)
      .join(", ");
  return String(value);
}

function keyTable(rows, columns) {
  return el(
    "table",
    {class: "keys-table"},
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        columns.map((name) => el("th", {scope: "col"}, name)),
      ),
    ),
    el("tbody", {}, rows),
  );
}

function planSection(run) {
  const {plan} = run;
  if (plan.program !== undefined) {
    return section(
      "Program",
      `The text that was run; seed ${flat(plan.seed)}.`,
      el("details", {class: "data"}, el("summary", {}, "Text"), el("pre", {}, plan.program)),
    );
  }
  return section(
    "Plan",
    "Resolved: what the file left out is filled in. The keys are those of the file.",
    keyTable(
      Object.entries(plan).map(([block, value]) =>
        el("tr", {}, el("td", {}, el("code", {}, block)), el("td", {}, planWords(value))),
      ),
      ["block", "keys and values"],
    ),
  );
}

// A block of the plan in words that break between keys.
function planWords(block) {
  if (block === null || typeof block !== "object") return flat(block);
  return Object.entries(block).map(([key, value]) => [
    el("span", {class: "pair-of"}, el("code", {}, key), ` ${flat(value)}`),
    " ",
  ]);
}

// Every number with its path: ["mte1.issue", {value, basis, low, high}].
function productNumbers(node, path = []) {
  return Object.entries(node).flatMap(([key, value]) => {
    if (value === null || typeof value !== "object") return [];
    return value.value !== undefined
      ? [[[...path, key].join("."), value]]
      : productNumbers(value, [...path, key]);
  });
}

function productRow([key, {value, basis, low, high, source}]) {
  const range = low === undefined && high === undefined ? "" : `${low || value} – ${high || value}`;
  return el(
    "tr",
    {},
    el("td", {}, el("code", {}, key)),
    el("td", {class: "number"}, value),
    el("td", {}, el("span", {class: "tag"}, basis)),
    el("td", {class: "number"}, range),
    el("td", {class: "saw"}, source || ""),
  );
}

function productSection(run) {
  const numbers = productNumbers(run.product);
  const ranged = numbers.filter(
    ([, number]) => number.low !== undefined || number.high !== undefined,
  );
  const columns = [
    "key",
    "value",
    "basis",
    "range",
    numbers.some(([, number]) => number.source) ? "source" : "",
  ];
  return section(
    "Product numbers",
    `${run.run.soc}: ${plural(numbers.length, "number")} with their basis; ${whole(ranged.length)} have a range, which is where the range of the time comes from. ` +
      "cubesim products tells the source of each, cubesim sensitivity what 10 % more of each would give.",
    keyTable(ranged.map(productRow), columns),
    el(
      "details",
      {class: "data"},
      el("summary", {}, `The other ${whole(numbers.length - ranged.length)}`),
      keyTable(numbers.filter((number) => !ranged.includes(number)).map(productRow), columns),
    ),
  );
}

function hazardsSection(run) {
  if (run.run.hazards === 0) return null;
  return section(
    "Hazards",
    `${plural(run.run.hazards, "hazard")} found; the first ${whole(run.hazards.length)}.`,
    keyTable(
      run.hazards.map(([core, seq, kind, message]) =>
        el(
          "tr",
          {},
          el("td", {class: "number"}, core),
          el("td", {class: "number"}, whole(seq)),
          el("td", {}, kind),
          el("td", {}, message),
        ),
      ),
      ["core", "seq", "kind", "message"],
    ),
  );
}
