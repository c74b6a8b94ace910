// A report of a million instructions on one core: it opens, and any window of it can be looked at.
"use strict";

const fs = require("node:fs");
const {
  assert,
  ask,
  checks,
  cyclesShown,
  exportPage,
  frame,
  makeMany,
  open,
  withBrowser,
} = require("./browser.js");

const database = makeMany();
const file = exportPage(database, "many.html");

// Busy cycles of CUBE in a window, as the measure of the page says it, in whole percent.
async function measuredCube(page) {
  await page.locator("canvas.lanes").press("m");
  await frame(page);
  const words = await page.textContent(".timeline .how");
  const [, from, to, share] = /Measured: ([\d,]+) – ([\d,]+) .*CUBE (\d+)/.exec(words);
  await page.locator("canvas.lanes").press("m");
  return [from, to, share].map((word) => Number(word.replaceAll(",", "")));
}

function storedCube(from, to) {
  return Number(
    ask(
      database,
      `SELECT sum(min(end_cycle, ${to}) - max(start_cycle, ${from})) FROM v_instruction
    WHERE run_id = 1 AND core = 0 AND pipe = 'CUBE' AND busy_cycles > 0 AND end_cycle > ${from} AND start_cycle < ${to}`,
    ),
  );
}

async function checkMeasure(page) {
  const [from, to, share] = await measuredCube(page);
  assert.ok(
    Math.abs(share - (100 * storedCube(from, to)) / (to - from)) <= 0.51,
    `${from} ${to} ${share}`,
  );
}

withBrowser(async (browser) => {
  assert.ok(Number(ask(database, "SELECT count(*) FROM v_instruction")) > 1e6);
  assert.ok(fs.statSync(file).size < 6e6);
  const page = await open(browser, file);
  await checks([
    [
      "some thirty of a million instructions are shown first, and their sums are the database's",
      async () => {
        const [from, to] = await cyclesShown(page);
        assert.ok(to - from < 10000, `${from} ${to}`);
        await checkMeasure(page);
      },
    ],
    [
      "the whole run is shown as coverage, and its sums are the database's",
      async () => {
        await page.locator("canvas.lanes").press("0");
        assert.equal((await cyclesShown(page))[0], 0);
        await checkMeasure(page);
      },
    ],
    [
      "a search goes through all of them",
      async () => {
        await page.fill("input[type=search]", "op:mmad wait>200");
        const hits = Number((await page.textContent(".found")).replace(/\D/g, ""));
        const all = Number(
          ask(database, "SELECT count(*) FROM v_instruction WHERE opcode = 'mmad'"),
        );
        assert.ok(hits > 1000 && hits < all, `${hits} of ${all}`);
      },
    ],
    ["no error was met", async () => assert.deepEqual(page.faults, [])],
  ]);
}).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
