// Draws every page at desktop and phone width, light and dark, for the book.
// Usage: node tests/screenshots.mjs [FOLDER]
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Machine, closeBrowser, openPage } from "./harness.mjs";

const folder = process.argv[2] ?? new URL("../../docs/src/assets/ui", import.meta.url).pathname;
mkdirSync(folder, { recursive: true });
const only = process.env.ONLY?.split(",");

const machine = new Machine();
const now = Date.now();
machine.fill(4000, { now, days: 14 });
machine.write("home/.config/hookrail/hookrail.toml", `[[rule]]
id = "daily-git"
when = { program = "git", effect = "git.read" }
decide = "allow"

[[rule]]
id = "release-files"
when = { effect = "fs.write", path = "./.github/**" }
decide = "ask"
mode = "shadow"
reason = "Releases are made by people."
`);
machine.write("state/verify.json", JSON.stringify({
  claude: verified("claude", "Claude Code", "2.1.4", { ask: "honoured" }),
  gemini: verified("gemini", "Gemini CLI", "0.31.0", { stop: "ignored", "sub-agent": "absent" }),
  codex: verified("codex", "Codex", "0.98.0", { ask: "absent", patch: "honoured", "prompt-context": "untested" }),
}));
// Transcripts of real agents, for the backtest.
for (const agent of ["claude", "gemini"]) {
  const fixtures = new URL(`../../crates/hookrail-backtest/tests/fixtures/${agent}`, import.meta.url).pathname;
  cpSync(fixtures, machine.home, { recursive: true });
}
const shop = join(machine.root, "work/shop");
machine.folder("work/shop");
for (const command of ["git status", "cargo test", "rm -rf ~/work/old-shop && git push --force origin main"]) machine.hook(shop, command);

function verified(agent, title, version, results) {
  const names = ["shell", "write", "edit", "patch", "mcp", "sub-agent", "prompt-context", "rewrite", "stop", "ask"];
  const surfaces = names.map((surface) => ({ surface, result: results[surface] ?? "honoured", milliseconds: 900 }));
  return { agent, title, program: `/usr/bin/${agent}`, version, file: null, hookrail: "0.1.0", since: now - 2 * 86_400_000, surfaces };
}

const { address, origin } = await machine.ui({ folder: shop });
const refused = async (page) => {
  await page.goto(`${origin}/why`);
  await page.locator(".event").first().click();
  await page.getByText("Under another configuration").waitFor();
  await page.getByText("safety level strict").waitFor();
};
const PAGES = {
  live: async (page) => {
    await page.goto(`${origin}/live`);
    await page.locator(".event .pill").first().waitFor();
  },
  why: refused,
  allow: async (page) => {
    await refused(page);
    await page.getByTestId("wrong").click();
    await page.locator(".diff").first().waitFor();
  },
  overview: async (page) => {
    await page.goto(`${origin}/overview`);
    await page.getByText("Rules never hit").waitFor();
    await page.locator(".checks li").first().waitFor();
  },
  backtest: async (page) => {
    await page.goto(`${origin}/backtest`);
    await page.getByTestId("run").click();
    await page.locator(".tile").first().waitFor();
  },
  rules: async (page) => {
    await page.goto(`${origin}/rules?id=safety%2Fdelete-outside`);
    await page.getByRole("heading", { name: "Examples" }).waitFor();
  },
};
const SIZES = { desktop: { width: 1360, height: 860 }, phone: { width: 390, height: 844 } };

/** WebP is a fifth of a PNG, and the book has many of them. */
async function save({ context, page }, path) {
  const session = await context.newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 82 });
  writeFileSync(path, Buffer.from(data, "base64"));
  await session.detach();
}

const faults = [];
const { page, context } = await openPage();
await page.goto(address);
await page.locator("nav.rail").waitFor();
const cookies = await context.cookies();
await context.close();
for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ["light", "dark"]) {
    const opened = await openPage({ viewport, colorScheme, reducedMotion: "reduce" });
    await opened.context.addCookies(cookies);
    for (const [name, show] of Object.entries(PAGES)) {
      if (only && !only.includes(name)) continue;
      await show(opened.page);
      await opened.page.waitForTimeout(250);
      await save(opened, join(folder, `${name}-${size}-${colorScheme}.webp`));
    }
    faults.push(...opened.faults);
    await opened.context.close();
  }
}
await closeBrowser();
machine.close();
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exitCode = 1;
}
