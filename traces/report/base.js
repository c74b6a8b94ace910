// Elements, numbers as text, and the words of the model.

const PIPES = ["SCALAR", "MTE2", "MTE1", "CUBE", "FIXP", "VECTOR", "MTE3"];
const CAUSES = [
  "",
  "flag",
  "barrier",
  "dispatch",
  "unit_flag",
  "startup",
  "same_address",
  "queue_full",
];
const KINDS = ["busy", "latency", "link", "wait"];
// From loading to storing, so that causes mostly run downwards.
const LANE_ORDER = ["MTE2", "MTE1", "CUBE", "FIXP", "VECTOR", "MTE3"];
const NARROW_SPACE = "\u202f";
const MINUS = "\u2212";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(node.style, value);
    else if (value !== null && value !== undefined && value !== false)
      node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(9)) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function whole(number) {
  return Math.round(number).toLocaleString("en-US");
}

function fixed(number, digits) {
  return number.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

function share(part, digits = 1) {
  return fixed(100 * part, digits) + NARROW_SPACE + "%";
}

// A change in percent with its sign; what rounds to nothing has none.
function change(part) {
  const text = fixed(Math.abs(100 * part), 1);
  const sign = text === "0.0" ? "" : part < 0 ? MINUS : "+";
  return sign + text + NARROW_SPACE + "%";
}

function plural(count, word) {
  return whole(count) + " " + word + (count === 1 ? "" : "s");
}

function microseconds(run, cycles, digits = 2) {
  return fixed(cycles / run.run.clock_mhz, digits) + " µs";
}

function megabytes(bytes) {
  return fixed(bytes / 1e6, bytes < 1e7 ? 2 : 1);
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

function clamp(number, low, high) {
  return Math.max(low, Math.min(high, number));
}

// The first index of a sorted array whose value is at least `value`.
function lowerBound(array, value, low = 0, high = array.length) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (array[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// 1, 2 or 5 times a power of ten, at least `least`.
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least * 0.999);
}

function section(title, how, ...children) {
  return el("section", {}, el("h2", {}, title), how && el("p", {class: "how"}, how), children);
}

function missing(text, command) {
  return el("p", {class: "missing"}, text, command && [" ", el("code", {}, command)]);
}

// A table behind "Data": the numbers of a picture.
function dataTable(columns, rows, name = "Data") {
  const head = columns.map((column) => el("th", {scope: "col"}, column));
  const body = rows.map((row) =>
    el(
      "tr",
      {},
      row.map((cell) =>
        el("td", {class: /^[−+\d]/.test(String(cell)) ? "number" : null}, String(cell)),
      ),
    ),
  );
  return el(
    "details",
    {class: "data"},
    el("summary", {}, name),
    el(
      "div",
      {class: "scroll"},
      el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, body)),
    ),
  );
}

// Words of hatching and of the legend: the pipe that is waited for, or the cause.
function reasonOf(cause, blockerPipe) {
  const forPipe = (cause === 1 || cause === 4) && blockerPipe >= 0;
  return forPipe ? 8 + blockerPipe : cause;
}

function reasonWord(reason) {
  return reason >= 8 ? PIPES[reason - 8] : CAUSES[reason] || "unknown";
}

// Which hatching stands for a reason: that of the pipe, or dots for the stream.
function reasonPattern(reason) {
  return reason >= 8 ? PIPES[reason - 8] : "stream";
}
