// What the tests of the HTML report share: a run, its page in a browser, questions to the database.
"use strict";

const assert = require("node:assert/strict");
const {execFileSync} = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const {chromium} = require("playwright-core");

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "cubesim-page-"));
process.on("exit", () => fs.rmSync(folder, {recursive: true, force: true}));

const binary = process.argv[2];

function cubesim(...words) {
  return execFileSync(binary, words, {encoding: "utf8", stdio: ["ignore", "pipe", "pipe"]});
}

function inFolder(name) {
  return path.join(folder, name);
}

// The one value that a query answers, as text.
function ask(database, sql) {
  return execFileSync("sqlite3", [database, sql], {encoding: "utf8"}).trim();
}

function exportPage(database, name, ...words) {
  const file = inFolder(name);
  cubesim("export", database, ...words, "--format", "html", "-o", file);
  return file;
}

// A database with one run, of a million instructions on one core.
function makeMany() {
  const database = inFolder("many.db");
  const plan = inFolder("many.yaml");
  const text = fs.readFileSync("configs/plans/res2a.yaml", "utf8");
  fs.writeFileSync(
    plan,
    text
      .replace("[16, 64, 56, 56]", "[208, 64, 56, 56]")
      .replace("cores: 24", "cores: 1")
      .replace(/^ *core_split:.*$/m, ""),
  );
  cubesim("run", plan, "--timing-only", "--hazards", "off", "--db", database);
  return database;
}

// Opens a page as a reader does, its own security policy in force, and waits for the lanes.
async function open(
  browser,
  file,
  {hash = "", width = 1440, height = 1000, scheme = "light"} = {},
) {
  const context = await browser.newContext({viewport: {width, height}, colorScheme: scheme});
  const page = await context.newPage();
  page.faults = [];
  page.on(
    "console",
    (message) => ["error", "warning"].includes(message.type()) && page.faults.push(message.text()),
  );
  page.on("pageerror", (error) => page.faults.push(error.message));
  page.on(
    "request",
    (request) => /^https?:/.test(request.url()) && page.faults.push(`asks for ${request.url()}`),
  );
  await page.goto(`file://${file}${hash}`);
  for (
    let i = 0;
    i < 1200 && !(await page.evaluate(() => document.documentElement.dataset.ready));
    i++
  )
    await page.waitForTimeout(25);
  assert.equal(
    await page.evaluate(() => document.documentElement.dataset.ready),
    "yes",
    `the lanes are drawn; ${page.faults}`,
  );
  return page;
}

// Waits for a frame, so that what was asked for is drawn.
async function frame(page) {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}

// The cycles that the sentence above the lanes names: [from, to].
async function cyclesShown(page) {
  await frame(page);
  const text = await page.textContent(".timeline .how");
  return /Cycles ([\d,]+) – ([\d,]+)/
    .exec(text)
    .slice(1)
    .map((word) => Number(word.replaceAll(",", "")));
}

async function withBrowser(use) {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  try {
    await use(browser);
  } finally {
    await browser.close();
  }
}

// Runs named checks one after the other.
async function checks(list) {
  for (const [name, check] of list) {
    await check();
    console.log(`ok: ${name}`);
  }
}

module.exports = {
  assert,
  ask,
  checks,
  cubesim,
  cyclesShown,
  exportPage,
  folder,
  frame,
  inFolder,
  makeMany,
  open,
  withBrowser,
};
