/**
 * `npx tsx tests/browser/take-picture.ts [FILE]`: a picture of the playground for the README, after the demo model has
 * spoken. Run `npm run build` first.
 */
import { join } from 'node:path';
import { openBrowser, openPage } from './launch.ts';
import { startService } from './start-service.ts';

const [file = join('docs', 'images', 'playground.png')] = process.argv.slice(2);
const text =
  'Welcome back! You have three new messages. The first one is from your sister: the train to the coast leaves at nine, so there is still time for one more coffee.';

await using service = await startService();
const browser = await openBrowser();
try {
  const viewport = { width: 1280, height: 720 };
  const { page } = await openPage(browser, service.url, { viewport, colorScheme: 'light', reducedMotion: 'reduce' });
  await page.fill('#text', text);
  await page.click('#options summary');
  await page.fill('#seed', '42');
  await page.click('#options summary');
  await page.click('#speak');
  await page.locator('#wave[data-state=complete]').waitFor();
  if ((await page.getAttribute('#play', 'aria-label')) === 'Pause') await page.click('#play');
  await page.evaluate(`(() => {
    const seek = document.getElementById('seek');
    seek.value = String(Number(seek.max) * 0.38);
    seek.dispatchEvent(new Event('input'));
  })()`);
  await page.mouse.move(0, 0);
  await page.evaluate('document.activeElement.blur(), scrollTo(0, 0)');
  await page.waitForTimeout(500);
  await page.screenshot({ path: file });
} finally {
  await browser.close();
}
