// The tile in each buffer, all to one scale, with one slot and with two.

const BUFFER_WIDTH = 1376;
const SLOT_FILLS = {L0A: ["mte1", "mte1"], L0B: ["mte1-b", "mte1-b"], L0C: ["cube", "cube"]};

// Boxes side by side: {bytes, text, class, dots, ghost}.
function slotBoxes(boxes, scale) {
  let x = 0;
  return boxes.map(({bytes, text, fill: name, ghost}) => {
    const width = bytes * scale;
    const at = x;
    x += width;
    const fits = width > text.length * 6.4 + 6;
    return [
      svg("rect", {
        x: at + 0.5,
        y: 1,
        width: Math.max(1, width - 1),
        height: 26,
        class: ghost ? "ghost" : `fill-${name}`,
      }),
      name &&
        name.endsWith("-b") &&
        svg("rect", {
          x: at + 0.5,
          y: 1,
          width: Math.max(1, width - 1),
          height: 26,
          fill: "url(#dots)",
        }),
      fits && svg("text", {x: at + 6, y: 18, class: ghost ? "" : `on-${name}`}, text),
    ];
  });
}

function bufferPicture(name, capacity, boxes, scale, lines) {
  const width = Math.max(60, capacity * scale);
  return el(
    "figure",
    {class: "buffer"},
    el("figcaption", {}, el("strong", {}, name), el("span", {}, ` ${whole(capacity)} B`)),
    svg(
      "svg",
      {
        viewBox: `0 0 ${width} 30`,
        width,
        height: 30,
        role: "img",
        "aria-label": `${name}: ${lines.join("; ")}`,
      },
      svg("rect", {x: 0.5, y: 0.5, width: capacity * scale - 1, height: 27, class: "outline"}),
      slotBoxes(boxes, scale),
    ),
    lines.map((line) => el("div", {class: "figure-line"}, line)),
  );
}

// What a slot of A and one of B leave of the sum: bias and quantisation words.
function l1Boxes({a, b}, bias, slotsA, slotsB) {
  const boxes = [];
  for (let i = 0; i < Math.max(slotsA, slotsB); i++) {
    if (i < slotsA) boxes.push({bytes: a, text: `A${i} ${whole(a)}`, fill: "mte2"});
    if (i < slotsB) boxes.push({bytes: b, text: `B${i} ${whole(b)} B`, fill: "mte2-b"});
  }
  if (bias > 0) boxes.push({bytes: bias, text: "", fill: "scalar"});
  return boxes;
}

function usedText(bytes, capacity, words) {
  return `${whole(bytes)} B ${words}, ${share(bytes / capacity)}`;
}

function l1Picture(buffers, [name, capacity, single, double, slotsA, slotsB], scale) {
  const bias = single - buffers.a - buffers.b;
  const used = slotsA * buffers.a + slotsB * buffers.b + bias;
  const words = bias > 0 ? `; bias and quantisation words ${whole(bias)} B` : "";
  return bufferPicture(name, capacity, l1Boxes(buffers, bias, slotsA, slotsB), scale, [
    `this run: A ${plural(slotsA, "slot")}, B ${plural(slotsB, "slot")}, ${usedText(used, capacity, "used")}; ${whole(capacity - used)} B free${words}`,
    `${usedText(single, capacity, "with one slot each")}; ${usedText(double, capacity, "with two")}${double > capacity ? ", which does not fit" : ""}`,
  ]);
}

function l0Picture([name, capacity, single, double, slots], scale) {
  const [first] = SLOT_FILLS[name] || ["scalar"];
  const boxes = Array.from({length: slots}, (_, i) => ({
    bytes: single,
    text: String(i),
    fill: first,
  }));
  const room = slots === 1 && double <= capacity && SLOT_FILLS[name];
  if (room) boxes.push({bytes: double - single, text: "+1", ghost: true});
  const lines = [`${usedText(single * slots, capacity, `in ${plural(slots, "slot")}`)}`];
  if (SLOT_FILLS[name])
    lines.push(
      slots > 1
        ? `one slot ${whole(single)} B, ${share(single / capacity)}`
        : room
          ? `a second slot fits: ${share(double / capacity)}`
          : `two do not fit: ${whole(double)} B`,
    );
  return bufferPicture(name, capacity, boxes, scale, lines);
}

function buffersSection(run) {
  const title = "Buffers, drawn to scale";
  if (!run.buffers)
    return section(
      title,
      null,
      missing(
        run.plan.program === undefined
          ? "The plan of this run cannot be read with the products that are installed."
          : "A program file has no tile: its regions stand in its text.",
      ),
    );
  const rows = run.buffers.rows;
  const scale = BUFFER_WIDTH / Math.max(...rows.map((row) => row[1]));
  const small = rows.filter((row) => row[1] * scale < 40);
  const large = rows.filter((row) => row[0] !== "L1" && !small.includes(row));
  const l1 = rows.find((row) => row[0] === "L1");
  return section(
    title,
    `One scale for ${["L1", ...large.map((row) => row[0])].join(", ")}. Dashed: a slot that would fit, too.`,
    el("div", {class: "buffer-l1"}, l1Picture(run.buffers, l1, scale)),
    el(
      "div",
      {class: "buffers"},
      large.map((row) => l0Picture(row, scale)),
      small.map((row) => {
        const factor = 2 ** Math.round(Math.log2(160 / scale / row[1]));
        const picture = l0Picture(row, scale * factor);
        picture.querySelector("figcaption span").textContent =
          ` ${whole(row[1])} B, drawn ${factor} × larger`;
        return picture;
      }),
    ),
    dataTable(
      ["buffer", "capacity B", "one slot B", "two slots B", "slots"],
      rows.map(([name, capacity, single, double, slots, slotsB]) => [
        name,
        whole(capacity),
        whole(single),
        whole(double),
        name === "L1" ? `A ${slots}, B ${slotsB}` : slots,
      ]),
    ),
  );
}
