// Opens the page in light and dark, wide and narrow, and looks at what a person would look at.
import { pathToFileURL } from 'node:url';
import assert from 'node:assert/strict';

const [page_file, chromium_path, playwright] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(playwright).href);
const browser = await chromium.launch({ executablePath: chromium_path, args: ['--no-sandbox'] });
const address = pathToFileURL(page_file).href;
const checked = [];
for (const colorScheme of ['light', 'dark']) {
  for (const width of [1280, 390]) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
    const page = await context.newPage();
    const requests = [], errors = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(address);
    assert.deepEqual(requests, [address], 'the page asks for nothing else');
    assert.deepEqual(errors, [], 'nothing is complained about');
    assert.equal(await page.locator('h1').innerText(), 'What it would have done');
    const cards = await page.locator('.card .big').allInnerTexts();
    assert.equal(cards.length, 4);
    assert.ok(Number(cards[0]) > 0, `refused: ${cards}`);
    const first = await page.locator('.verdict').boundingBox();
    assert.ok(first.y < (width === 390 ? 1400 : 900), 'the answer is in the first screen');
    assert.ok((await page.locator('#look li').count()) > 0);
    assert.ok(await page.locator('#look').getByText('git push --force origin main').first().isVisible());
    const bars = await page.locator('svg rect').evaluateAll((rects) =>
      rects.map((rect) => rect.getBoundingClientRect()).filter((box) => box.width > 0 && box.height > 0).length);
    assert.ok(bars > 4, 'charts are drawn');
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(overflow <= 0, `nothing stands out of the screen: ${overflow}`);
    const colours = await page.evaluate(() => {
      const style = getComputedStyle(document.body);
      return [style.backgroundColor, style.color];
    });
    assert.notEqual(colours[0], colours[1]);
    await page.locator('summary').first().click();
    assert.ok(await page.locator('details[open] pre').first().isVisible());
    // A script that got into the page would not run.
    const injected = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.injected = true';
      document.body.append(script);
      return window.injected === true;
    });
    assert.equal(injected, false, 'the policy forbids scripts');
    checked.push(`${colorScheme} ${width}`);
    await context.close();
  }
}
await browser.close();
console.log(`checked: ${checked.join(', ')}`);
