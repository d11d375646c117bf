// Two hundred thousand records: the page holds what is visible, and the server counts.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Machine, closeBrowser, openPage } from "./harness.mjs";

after(closeBrowser);

test("200,000 records scroll, search and count without a stutter", { timeout: 300_000 }, async () => {
  const machine = new Machine();
  machine.fill(200_000, { days: 30 });
  const { address, origin } = await machine.ui();
  const { page, context, faults } = await openPage();
  await page.goto(address);
  await page.locator(".status", { hasText: /\d{3},\d{3} of \d{3},\d{3} events/ }).waitFor({ timeout: 240_000 });
  await page.locator(".event .pill").first().waitFor();
  await page.evaluate(() => {
    window.slow = [];
    new PerformanceObserver((list) => window.slow.push(...list.getEntries().map((entry) => entry.duration))).observe({ entryTypes: ["longtask"] });
  });
  const list = page.getByTestId("events");
  const height = await list.evaluate((element) => element.scrollHeight);
  assert.ok(height > 4_000_000, `${height} pixels`);
  const scroll = async (element) => {
    const times = [];
    let last = performance.now();
    for (let step = 0; step < 120; step++) {
      element.scrollTop += step % 10 === 9 ? element.scrollHeight / 14 : 400;
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      times.push(now - last);
      last = now;
    }
    return times.sort((one, other) => one - other)[Math.floor(times.length * 0.95)];
  };
  // A busy machine spoils a round; a page that stutters spoils all of them.
  const rounds = [];
  do {
    await list.evaluate((element) => (element.scrollTop = 0));
    rounds.push(await list.evaluate(scroll));
  } while (rounds.at(-1) >= 100 && rounds.length < 5);
  assert.ok(rounds.at(-1) < 100, `95 of 100 frames within ${rounds.map(Math.round)} ms`);
  await list.evaluate((element) => (element.scrollTop = element.scrollHeight));
  await page.locator(".event").last().locator(".pill").waitFor();
  const rows = await page.locator(".event").count();
  assert.ok(rows < 100, `${rows} rows in the document`);
  await page.locator("#search").fill("old-shop");
  await page.locator(".status", { hasText: /^\s*\d{1,2},\d{3} of/ }).waitFor();
  // They are read before the next page forgets them; a busy machine may spoil two of some hundred.
  const slow = (await page.evaluate(() => window.slow ?? [])).sort((one, other) => other - one);
  assert.ok(!(slow[2] >= 250), `long tasks of ${slow.map(Math.round)} ms`);
  await page.goto(`${origin}/overview?days=30`);
  await page.locator(".tile", { hasText: "denied" }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
  machine.close();
});
