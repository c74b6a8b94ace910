// How long the report of a million instructions takes to write, to open and to draw in Chromium.
"use strict";

const fs = require("node:fs");
const {chromium} = require("playwright-core");
const {frame, makeMany, exportPage} = require("../tests/page/browser.js");

const ROUNDS = 3;

async function lastDraw(page) {
  await frame(page);
  return page.evaluate(() => performance.getEntriesByName("draw")[0].duration);
}

async function openOnce(browser, file) {
  const page = await (await browser.newContext({viewport: {width: 1440, height: 1000}})).newPage();
  const began = Date.now();
  await page.goto(`file://${file}`);
  const head = Date.now() - began;
  await page.waitForSelector("html[data-ready]", {state: "attached"});
  const open = Date.now() - began;
  const first = await lastDraw(page);
  await page.locator("canvas.lanes").press("0");
  const whole = await lastDraw(page);
  await page.close();
  return {head, open, first, whole};
}

async function main() {
  const database = makeMany();
  const began = Date.now();
  const file = exportPage(database, "many.html");
  console.log(
    `report of a million instructions: written in ${((Date.now() - began) / 1000).toFixed(2)} s, ${(fs.statSync(file).size / 1e6).toFixed(2)} MB`,
  );
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  const rounds = [];
  for (let i = 0; i < ROUNDS; i++) rounds.push(await openOnce(browser, file));
  await browser.close();
  const least = (name) => Math.min(...rounds.map((round) => round[name]));
  console.log(
    `opened: head after ${least("head")} ms, lanes after ${least("open")} ms; least of ${ROUNDS}`,
  );
  console.log(
    `drawn: some thirty instructions in ${least("first").toFixed(1)} ms, the whole run in ${least("whole").toFixed(1)} ms`,
  );
}

main();
