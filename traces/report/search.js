// The query language of the search field: words joined by space, all of which must hold.

const UNITS = {"": 1, B: 1, KiB: 1024, MiB: 1024 * 1024};
const NUMBERS = {
  wait: (lane, row) => lane.waited[row],
  busy: (lane, row) => lane.end[row] - lane.start[row],
  latency: (lane, row) => lane.done[row] - lane.end[row],
  link: (lane, row) => lane.link[row],
  slack: (lane, row) => lane.slack[row],
  bytes: (lane, row) => lane.word(row).bytes,
  macs: (lane, row) => lane.word(row).macs,
  seq: (lane, row) => lane.seq[row],
  tile: tileOf,
  k: stepOfTile,
  core: (lane) => lane.core.number,
};
const WORDS = {
  op: (lane, row, text) => lane.word(row).opcode.includes(text),
  pipe: (lane, row, text) => lane.name.toLowerCase() === text,
  cause: (lane, row, text) =>
    lane.mainWait[row] >= 0 && CAUSES[lane.cause[lane.mainWait[row]]] === text,
  by: (lane, row, text) =>
    lane.mainWait[row] >= 0 && reasonWord(lane.reason(lane.mainWait[row])).toLowerCase() === text,
};
const COMPARES = {
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  "=": (a, b) => a === b,
};

function refuse(at, expected) {
  throw new Error(`character ${at + 1}: ${expected}`);
}

// "wait>200", "bytes>=64KiB"
function compareTerm(word, at) {
  const match = /^([a-z]+)(>=|<=|>|<|=)([\d.]+)([A-Za-z]*)$/.exec(word);
  if (!match) return refuse(at, "expected NAME>NUMBER, such as wait>200");
  const [, name, sign, digits, unit] = match;
  if (!NUMBERS[name])
    return refuse(at, `found ${name}; expected ${Object.keys(NUMBERS).join(" ")}`);
  if (!(unit in UNITS)) return refuse(at, `found unit ${unit}; expected KiB or MiB`);
  const bound = Number(digits) * UNITS[unit];
  return (lane, row) => COMPARES[sign](NUMBERS[name](lane, row), bound);
}

// "tile:20", "core:0-3"
function rangeTerm(name, value, at) {
  const match = /^(\d+)(?:-(\d+))?$/.exec(value);
  if (!match) return refuse(at, `${name}: expected a number or a range such as 0-3`);
  const low = Number(match[1]);
  const high = Number(match[2] || match[1]);
  return (lane, row) => {
    const number = NUMBERS[name](lane, row);
    return number >= low && number <= high;
  };
}

function keyTerm(word, at) {
  const colon = word.indexOf(":");
  const name = word.slice(0, colon);
  const value = word.slice(colon + 1);
  const behind = at + colon + 1;
  if (value === "") return refuse(behind, "expected a value");
  if (WORDS[name]) return (lane, row) => WORDS[name](lane, row, value.toLowerCase());
  if (NUMBERS[name]) return rangeTerm(name, value, behind);
  if (name !== "at")
    return refuse(
      at,
      `found ${name}; expected at ${[...Object.keys(WORDS), ...Object.keys(NUMBERS)].join(" ")}`,
    );
  const cycle = Number(value);
  if (!Number.isFinite(cycle)) return refuse(behind, "expected a cycle");
  return (lane, row) => lane.start[row] <= cycle && cycle < lane.end[row];
}

function term(word, at) {
  if (word.startsWith("-") && word.length > 1) {
    const inner = term(word.slice(1), at + 1);
    return (lane, row) => !inner(lane, row);
  }
  if (word === "path") return (lane, row) => lane.onPath[row] === 1;
  if (/[<>]/.test(word)) return compareTerm(word, at);
  if (word.includes(":")) return keyTerm(word, at);
  return (lane, row) =>
    lane.word(row).operands.includes(word) || lane.word(row).opcode.includes(word);
}

// A function of (lane, row); an Error tells at which character the query is wrong.
function compileQuery(text) {
  const terms = [...text.matchAll(/\S+/g)].map((match) => term(match[0], match.index));
  return (lane, row) => terms.every((holds) => holds(lane, row));
}

// The working rows of some cores for which a query holds, in the order of time.
function findRows(cores, query) {
  const hits = [];
  for (const core of cores) {
    for (const name of core.order) {
      const lane = core.lanes.get(name);
      for (let i = 0; i < lane.busy.count; i++) {
        const row = lane.busy.row[i];
        if (query(lane, row)) hits.push({lane, row});
      }
    }
  }
  return hits.sort((a, b) => a.lane.start[a.row] - b.lane.start[b.row]);
}
