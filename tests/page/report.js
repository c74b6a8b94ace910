// The report of a ResNet-50 layer on 24 cores, and of two runs of it, as a reader uses them.
"use strict";

const {
  assert,
  ask,
  checks,
  cubesim,
  cyclesShown,
  exportPage,
  frame,
  inFolder,
  open,
  withBrowser,
} = require("./browser.js");

const database = inFolder("runs.db");
const plan = "configs/plans/res2a.yaml";
cubesim("run", plan, "--db", database, "--verify");
cubesim("run", plan, "--db", database, "--set", "mte1.l1_to_l0b.rate=256 B/cycle");
const file = exportPage(database, "one.html", "1");
const both = exportPage(database, "both.html", "1", "--diff", "2");

const grouped = (text) => Number(text).toLocaleString("en-US");
const pipes = ["MTE2", "MTE1", "CUBE", "FIXP", "SCALAR"];

async function pixels(page) {
  return page.evaluate(() => document.querySelector("canvas.lanes").toDataURL());
}

async function key(page, name) {
  await page.locator("canvas.lanes").press(name);
  await frame(page);
}

function checksOf(page, browser) {
  return [
    [
      "the numbers at the top are those of the database",
      async () => {
        const text = await page.textContent(".figures");
        assert.ok(
          text.includes(grouped(ask(database, "SELECT cycles FROM v_run WHERE run_id = 1"))),
        );
        assert.ok(
          text.includes(
            ask(database, "SELECT printf('%.2f', time_us) FROM v_run WHERE run_id = 1"),
          ),
        );
        assert.ok(
          text.includes(
            ask(
              database,
              "SELECT printf('%.1f', 100 * cube_utilization) FROM v_run WHERE run_id = 1",
            ),
          ),
        );
        assert.ok(
          text.includes(
            `${grouped(ask(database, "SELECT compared FROM v_run_detail WHERE run_id = 1"))} values compared`,
          ),
        );
        for (const row of ask(
          database,
          "SELECT basis, printf('%.1f', 100 * share) FROM v_basis WHERE run_id = 1",
        ).split("\n")) {
          assert.ok(text.includes(row.replace("|", " ")), row);
        }
      },
    ],
    [
      "the sentence is the one of show",
      async () => {
        const shown = cubesim("show", database, "1", "--width", "200").replace(/\s+/g, " ");
        const lead = await page.evaluate(
          () => document.querySelector(".lead").firstChild.textContent,
        );
        const [head, rest] = [await page.textContent("h1"), lead].map((text) =>
          text.replace(/\.\s*$/, "").replaceAll("\u202f", " "),
        );
        assert.ok(shown.toLowerCase().includes(`${head}; ${rest}`.toLowerCase()), head);
      },
    ],
    [
      "what to change has the changes that were simulated, the best of them at the top",
      async () => {
        const text = await page.textContent(".changes");
        const rows = ask(
          database,
          "SELECT change, cycles, printf('%.1f', gain_percent) FROM v_suggestion WHERE run_id = 1",
        )
          .split("\n")
          .map((row) => row.split("|"));
        assert.ok(rows.length > 1);
        for (const [what, cycles, gain] of rows)
          for (const word of [what, grouped(cycles), gain]) assert.ok(text.includes(word), word);
        const best = rows.reduce((a, b) => (Number(b[1]) < Number(a[1]) ? b : a));
        assert.ok((await page.textContent(".lead")).includes(best[0]));
      },
    ],
    [
      "the bars of pipes add up and have the sums of the database",
      async () => {
        const lines = await page.locator(".bar-line").allTextContents();
        assert.equal(lines.length, pipes.length);
        lines.forEach((line, i) => {
          const [busy, waiting, idle, all] = line
            .match(/[\d,]+/g)
            .map((word) => Number(word.replaceAll(",", "")));
          const mean = Number(
            ask(
              database,
              `SELECT avg(busy_cycles) FROM v_pipe WHERE run_id = 1 AND pipe = '${pipes[i]}'`,
            ),
          );
          assert.equal(busy + waiting + idle, all);
          assert.ok(Math.abs(busy - mean) <= 1.5, line);
        });
      },
    ],
    [
      "the critical path by cause is that of the database and sums to the cycles",
      async () => {
        const rows = (await page.locator(".path-row > :nth-child(3)").allTextContents()).map(
          (text) => Number(text.replaceAll(",", "")),
        );
        const stored = ask(
          database,
          "SELECT cycles FROM v_path_total WHERE run_id = 1 ORDER BY cycles DESC",
        )
          .split("\n")
          .map(Number);
        assert.deepEqual(
          rows.slice(0, -1).sort((a, b) => b - a),
          stored,
        );
        assert.equal(
          rows.at(-1),
          stored.reduce((sum, cycles) => sum + cycles),
        );
      },
    ],
    [
      "buffers, roofs, plan and product are there",
      async () => {
        const text = await page.textContent("main");
        for (const word of [
          "190,592 B used",
          "95,360 B with one slot each",
          "mte1.contention",
          "tile_l1",
          "batch 8, group 1, m 3, n 1",
        ])
          assert.ok(text.includes(word), word);
        assert.equal(
          await page.locator(".roof").count(),
          Number(ask(database, "SELECT count(*) FROM v_roofline WHERE run_id = 1 AND bytes > 0")),
        );
      },
    ],
    [
      "keys zoom and pan",
      async () => {
        const [from, to] = await cyclesShown(page);
        await key(page, "w");
        const zoomed = await cyclesShown(page);
        assert.ok(zoomed[1] - zoomed[0] < (to - from) * 0.9);
        await key(page, "d");
        const panned = await cyclesShown(page);
        assert.ok(
          panned[0] > zoomed[0] && Math.abs(panned[1] - panned[0] - (zoomed[1] - zoomed[0])) <= 1,
        );
        await key(page, "0");
        assert.deepEqual(await cyclesShown(page), [
          0,
          Number(ask(database, "SELECT cycles + 1 FROM v_run WHERE run_id = 1")),
        ]);
      },
    ],
    [
      "the wheel zooms at the pointer, dragging pans",
      async () => {
        const box = await page.locator("canvas.lanes").boundingBox();
        await page.mouse.move(box.x + 500, box.y + 100);
        await page.keyboard.down("Control");
        for (let i = 0; i < 8; i++) await page.mouse.wheel(0, -300);
        await page.keyboard.up("Control");
        const [from, to] = await cyclesShown(page);
        assert.ok(to - from < 20000, `${from} ${to}`);
        await page.mouse.down();
        await page.mouse.move(box.x + 400, box.y + 100, {steps: 4});
        await page.mouse.up();
        assert.ok((await cyclesShown(page))[0] > from);
      },
    ],
    [
      "a search finds what the database finds, and n goes to it",
      async () => {
        const core = await page.inputValue("select");
        const found = ask(
          database,
          `SELECT count(*) FROM v_instruction WHERE run_id = 1 AND core = ${core} AND opcode = 'mmad'`,
        );
        await page.fill("input[type=search]", "op:mmad");
        assert.equal(await page.textContent(".found"), `${grouped(found)} hits`);
        await page.fill("input[type=search]", "busy>900 pipe:mte2");
        const long = ask(
          database,
          `SELECT count(*) FROM v_instruction WHERE run_id = 1 AND core = ${core} AND pipe = 'MTE2' AND busy_cycles > 900`,
        );
        assert.equal(await page.textContent(".found"), `${grouped(long)} hits`);
        await page.fill("input[type=search]", "slack<100 slack>0");
        const near = ask(
          database,
          `SELECT count(*) FROM v_instruction WHERE run_id = 1 AND core = ${core} AND busy_cycles > 0
             AND pipe <> 'SCALAR' AND slack_cycles > 0 AND slack_cycles < 100`,
        );
        assert.ok(Number(near) > 0);
        assert.equal(await page.textContent(".found"), `${grouped(near)} hits`);
        await page.locator("input[type=search]").press("Enter");
        assert.match(await page.textContent(".card"), /slack \d+ cycles?: could end/);
        assert.match(await page.textContent(".found"), /^\d+ of /);
        assert.ok(await page.locator(".card").isVisible());
        await page.fill("input[type=search]", "busy>x");
        assert.match(await page.textContent(".found"), /^character 1: expected/);
        await page.fill("input[type=search]", "");
      },
    ],
    [
      "the card has the numbers of the instruction and who caused its wait",
      async () => {
        const core = await page.inputValue("select");
        const [seq, wait, set] = ask(
          database,
          `SELECT seq, wait_cycles, blocker_seq FROM v_instruction WHERE run_id = 1 AND core = ${core} AND pipe = 'CUBE'
        AND wait_cause = 'flag' AND blocker_pipe = 'MTE1' ORDER BY wait_cycles DESC LIMIT 1`,
        )
          .split("|")
          .map(Number);
        const [mmad, start, end, done] = ask(
          database,
          `SELECT seq, start_cycle, end_cycle, done_cycle FROM v_instruction WHERE run_id = 1 AND core = ${core} AND opcode = 'mmad'
        AND seq > ${seq} ORDER BY seq LIMIT 1`,
        )
          .split("|")
          .map(Number);
        const cause = ask(
          database,
          `SELECT seq FROM v_instruction WHERE run_id = 1 AND core = ${core} AND pipe = 'MTE1' AND busy_cycles > 0 AND seq < ${set} ORDER BY seq DESC LIMIT 1`,
        );
        await page.fill("input[type=search]", `seq:${mmad}`);
        await page.locator("input[type=search]").press("Enter");
        const card = await page.textContent(".card");
        for (const word of [
          `#${grouped(mmad)}`,
          `${grouped(start)} – ${grouped(end)}`,
          grouped(done),
          "cause: flag",
          `#${grouped(cause)}`,
        ])
          assert.ok(card.includes(word), `${word} in ${card}`);
        assert.ok(Number(/waited ([\d,]+)/.exec(card)[1].replaceAll(",", "")) >= wait);
        assert.match(await page.textContent("#live"), /^mmad, core/);
        await key(page, "Enter");
        assert.ok((await page.textContent(".card")).includes(`#${grouped(cause)}`));
        await key(page, "Backspace");
        assert.ok((await page.textContent(".card")).includes(`#${grouped(mmad)}`));
        await key(page, "Escape");
        assert.ok(!(await page.locator(".card").isVisible()));
        await page.fill("input[type=search]", "");
      },
    ],
    [
      "a click selects what is under the pointer, arrow keys go on",
      async () => {
        await key(page, "t");
        await key(page, "ArrowRight");
        const first = await page.textContent(".card");
        await key(page, "ArrowRight");
        assert.notEqual(await page.textContent(".card"), first);
        await key(page, "ArrowUp");
        assert.notEqual(await page.textContent(".card"), first);
        await key(page, "Escape");
        const box = await page.locator("canvas.lanes").boundingBox();
        await page.mouse.click(box.x + box.width / 2, box.y + 36 + 20 + 50 + 25);
        assert.match(await page.textContent(".card"), /load/);
        await key(page, "Escape");
      },
    ],
    [
      "the table under the lanes has the rows of the window",
      async () => {
        await page.locator(".timeline > details summary").click();
        const [from, to] = await cyclesShown(page);
        const core = await page.inputValue("select");
        const rows = await page.locator(".timeline > details tbody tr").count();
        const stored = Number(
          ask(
            database,
            `SELECT count(*) FROM v_instruction WHERE run_id = 1 AND core = ${core} AND busy_cycles > 0 AND pipe <> 'SCALAR' AND end_cycle > ${from} AND start_cycle < ${to}`,
          ),
        );
        assert.ok(Math.abs(rows - stored) <= 4 && rows > 4, `${rows} ${stored}`);
      },
    ],
    [
      "the switch and the system both choose the theme, and the lanes follow",
      async () => {
        const light = await pixels(page);
        const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        assert.equal(await ground(), "rgb(255, 255, 255)");
        await page.locator("button.theme").click();
        await page.locator("button.theme").click();
        assert.equal(await ground(), "rgb(16, 19, 23)");
        await frame(page);
        assert.notEqual(await pixels(page), light);
        await page.locator("button.theme").click();
        await page.emulateMedia({colorScheme: "dark"});
        assert.equal(await ground(), "rgb(16, 19, 23)");
      },
    ],
    [
      "all cores unfold and a core can be chosen",
      async () => {
        await key(page, "e");
        for (
          let i = 0;
          i < 100 && (await page.locator("canvas.lanes").boundingBox()).height < 700;
          i++
        )
          await page.waitForTimeout(20);
        assert.ok((await page.locator("canvas.lanes").boundingBox()).height > 700);
        await page.selectOption("select", "7");
        for (let i = 0; i < 100 && !page.url().includes("core=7"); i++)
          await page.waitForTimeout(20);
        assert.ok(page.url().includes("core=7"));
      },
    ],
    [
      "a reload comes back to the same place",
      async () => {
        const hash = "#from=30000&to=32000&core=3";
        const again = await open(browser, file, {hash});
        assert.deepEqual(await cyclesShown(again), [30000, 32000]);
        assert.equal(await again.inputValue("select"), "3");
        assert.deepEqual(again.faults, []);
      },
    ],
    [
      "nothing is wider than a narrow window",
      async () => {
        const narrow = await open(browser, file, {width: 500});
        assert.ok(await narrow.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        assert.deepEqual(narrow.faults, []);
      },
    ],
    ["no error was met", async () => assert.deepEqual(page.faults, [])],
  ];
}

function checksOfBoth(page) {
  return [
    [
      "two runs stand on one axis with their changes",
      async () => {
        const [a, b] = [1, 2].map((run) =>
          Number(ask(database, `SELECT cycles FROM v_run WHERE run_id = ${run}`)),
        );
        assert.notEqual(a, b);
        const head = await page.textContent("h1");
        assert.ok(head.includes(grouped(a)) && head.includes(grouped(b)), head);
        assert.deepEqual(await cyclesShown(page), [0, Math.max(a, b) + 1]);
        const rows = await page.locator("table.compare").first().textContent();
        assert.ok(rows.includes(`${((100 * Math.abs(b - a)) / a).toFixed(1)}`), rows);
        assert.ok((await page.textContent("main")).includes("mte1.l1_to_l0b.rate"));
      },
    ],
    ["no error was met with two runs", async () => assert.deepEqual(page.faults, [])],
  ];
}

withBrowser(async (browser) => {
  await checks(checksOf(await open(browser, file), browser));
  await checks(checksOfBoth(await open(browser, both)));
}).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
