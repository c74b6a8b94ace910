// What is known about one instruction, as a card beside it.

// The working instruction whose end fired what a row waited for: {lane, row}, or null.
function causeOf(lane, row) {
  const core = lane.core;
  if (row < 0 || lane.blockerPipe[row] < 0 || lane.blockerCore[row] !== core.number) return null;
  const blocker = core.lanes.get(PIPES[lane.blockerPipe[row]]);
  const at = blocker ? blocker.rowOfSeq(lane.blockerSeq[row]) : -1;
  if (at < 0) return null;
  const work = blocker.workBefore(at);
  return {lane: blocker, row: work >= 0 ? work : at, set: at};
}

// Who is selected, what held it, and who caused that.
function storyOf(lane, row) {
  const main = lane.mainWait[row];
  return {lane, row, main, total: lane.waited[row], cause: causeOf(lane, main)};
}

function placeOf(lane, row) {
  const tile = tileOf(lane, row);
  const step = stepOfTile(lane, row);
  return (
    `core ${lane.core.number} · #${whole(lane.seq[row])}` +
    (tile >= 0 ? ` · tile ${tile}` : "") +
    (step >= 0 ? `, k ${step}` : "")
  );
}

function workText(lane, row) {
  const word = lane.word(row);
  const cycles = lane.end[row] - lane.start[row];
  const rate = (amount, unit) => (cycles > 0 ? `${fixed(amount / cycles, 1)} ${unit}/cycle` : "");
  if (word.macs > 0) return [`${whole(word.macs)} MAC`, rate(word.macs, "MAC")];
  if (word.bytes > 0) return [`${whole(word.bytes)} B`, rate(word.bytes, "B")];
  return ["none", ""];
}

function slackText(lane, row) {
  const slack = lane.slack[row];
  if (lane.onPath[row]) return "on the critical path";
  if (slack === 0xffffffff) return lane.run.steps.count > 0 ? "not on the critical path" : "";
  if (slack === 0) return "slack 0: a later end moves the end of the run";
  return `slack ${plural(slack, "cycle")}: could end that much later`;
}

function causeText(story) {
  const {lane, main, cause} = story;
  if (lane.blockerPipe[main] < 0) return STREAM_WORDS[lane.cause[main]] || "";
  const blocker = PIPES[lane.blockerPipe[main]];
  const number = whole(lane.blockerSeq[main]);
  if (!cause) return `${blocker} #${number} on core ${lane.blockerCore[main]}`;
  const word = cause.lane.word(cause.row);
  const id = lane.word(main).map.id;
  const flag = id === undefined ? "" : ` flag ${id},`;
  return `${blocker} → ${lane.name}${flag} by ${word.opcode} #${whole(cause.lane.seq[cause.row])} at ${whole(cause.lane.start[cause.set])}`;
}

function cardRow(name, value, note) {
  return el(
    "div",
    {class: "card-row"},
    el("span", {class: "name"}, name),
    el("span", {}, value),
    el("span", {class: "note"}, note || ""),
  );
}

function cardWait(story) {
  const {lane, main, total} = story;
  if (main < 0) return el("div", {class: "card-wait"}, "did not wait");
  return el(
    "div",
    {class: "card-wait"},
    el(
      "div",
      {class: "card-row"},
      el("strong", {}, `waited ${plural(total, "cycle")}`),
      el("span", {}, ""),
      el("span", {class: "note"}, `cause: ${CAUSES[lane.cause[main]]}`),
    ),
    el("div", {class: "sub"}, causeText(story)),
  );
}

function cardOf(story) {
  const {lane, row, cause} = story;
  const word = lane.word(row);
  const [work, rate] = workText(lane, row);
  const cycles = lane.end[row] - lane.start[row];
  const link = lane.link[row] > 0 ? `, ${whole(lane.link[row])} lost to the link` : "";
  return [
    el(
      "div",
      {class: "card-head"},
      el("i", {class: `key ${lane.name.toLowerCase()}-${word.role === "b" ? "b" : "a"}`}),
      el("strong", {}, word.opcode),
      " ",
      el("span", {class: "name"}, placeOf(lane, row)),
    ),
    cardRow(
      "start – end",
      `${whole(lane.start[row])} – ${whole(lane.end[row])}`,
      `${plural(cycles, "cycle")}${link}`,
    ),
    cardRow(
      "done",
      whole(lane.done[row]),
      `result visible ${whole(lane.done[row] - lane.end[row])} later`,
    ),
    cardRow("work", work, rate),
    el("div", {class: "card-operands"}, word.operands || "no operands"),
    cardWait(story),
    el(
      "div",
      {class: "card-row last"},
      el("span", {}, slackText(lane, row)),
      el("span", {}, ""),
      el("span", {class: "note"}, cause ? "Enter: go to cause" : ""),
    ),
  ];
}

// The card in one sentence, for the live region.
function spoken(story) {
  const {lane, row, total, main} = story;
  const waited =
    main < 0
      ? "did not wait"
      : `waited ${whole(total)} cycles for ${reasonWord(lane.reason(main))}`;
  return (
    `${lane.word(row).opcode}, ${placeOf(lane, row)}, starts ${whole(lane.start[row])}, ` +
    `ends ${whole(lane.end[row])}, ${waited}, ${slackText(lane, row)}`
  );
}
