// What the page was given: one object per run, and rows that are unpacked when they are needed.

const RUNS = JSON.parse(document.getElementById("data").textContent);
RUNS.forEach((run, index) =>
  Object.assign(run, {index, cores_read: new Map(), words: null, steps: null}),
);

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// Unpacks a data element and lets its text go. null: the page has none.
async function unpack(id) {
  const node = document.getElementById(id);
  if (node === null) return null;
  const packed = new Blob([bytesOf(node.textContent)]);
  const stream = packed.stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  node.remove();
  return buffer;
}

// "dst=a0_1 src=x+32" as an object.
function operandsOf(text) {
  const map = {};
  for (const word of text.split(" ")) {
    const at = word.indexOf("=");
    if (at > 0) map[word.slice(0, at)] = word.slice(at + 1);
  }
  return map;
}

// The slot that an operand names: {buffer: "a0", slot: 1}, or null.
function slotOf(operand) {
  const match = /^(a1|b1|a0|b0|c0)_(\d+)/.exec(operand || "");
  return match && {buffer: match[1], slot: Number(match[2])};
}

const LETTERS = {MTE2: "L", MTE1: "L", CUBE: "M", FIXP: "F", VECTOR: "V", MTE3: "S", SCALAR: "s"};

// Which operand an instruction brings: "a", "b", or "" of others.
function roleOf(opcode, operands) {
  const slot = slotOf(operands.dst);
  if (slot && slot.buffer[0] !== "c") return slot.buffer[0];
  if (opcode.startsWith("load3d")) return "a";
  return "";
}

function wordOf(line) {
  const [opcode, operands, bytes, macs] = line.split("\t");
  const map = operandsOf(operands || "");
  const role = roleOf(opcode, map);
  return {
    opcode,
    operands,
    map,
    role,
    bytes: Number(bytes),
    macs: Number(macs),
    writes: slotOf(map.dst),
    reads: [map.src, map.a, map.b].map(slotOf).filter(Boolean),
    starts: opcode === "mmad" && map.cmatrixInitVal !== "0",
  };
}

async function readWords(run) {
  if (run.words !== null) return;
  const buffer = await unpack("words-" + run.index);
  const text = buffer === null ? "" : new TextDecoder().decode(buffer);
  run.words = text.split("\n").map((line) => (line === "" ? null : wordOf(line)));
}

// Steps of the critical path as columns; null when the run was saved without them.
async function readSteps(run) {
  if (run.steps !== null) return;
  const buffer = await unpack("path-" + run.index);
  const words = buffer === null ? new Uint32Array(0) : new Uint32Array(buffer);
  const count = words.length / 7;
  const names = ["core", "pipe", "seq", "kind", "cause", "start", "cycles"];
  run.steps = {count};
  names.forEach((name, column) => {
    run.steps[name] = Uint32Array.from({length: count}, (_, i) => words[i * 7 + column]);
  });
}

// A core with its lanes, unpacked once.
async function readCore(run, core) {
  if (!run.cores_read.has(core)) run.cores_read.set(core, readCoreNow(run, core));
  return run.cores_read.get(core);
}

async function readCoreNow(run, core) {
  const [buffer] = await Promise.all([
    unpack(`rows-${run.index}-${core}`),
    readWords(run),
    readSteps(run),
  ]);
  const words = buffer === null ? new Uint32Array(0) : new Uint32Array(buffer);
  return makeCore(run, core, words);
}

function keptCores(run) {
  return Array.from({length: run.core_count}, (_, i) => run.core_first + i);
}
