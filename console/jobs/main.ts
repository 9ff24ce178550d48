/**
 * Plays the jobs of API support (docs/support.md) in Chromium, with many partners and deliveries in production,
 * and prints what each takes: clicks, keys and seconds. It fails if a job cannot be done. `npm run jobs`; without a mouse:
 * `npm run jobs -- --keyboard`
 */
import { startBellhop } from '../../bench/bellhop.ts';
import { openSessions } from '../../bench/session.ts';
import { chromiumToUse } from '../../kit/chromium.ts';
import { launch } from '../../kit/launch.ts';
import { ADMIN_TOKEN, type Addresses, withHelpers } from '../../server/testing/bellhop.ts';
import { DESKTOP, settled } from '../e2e/browser.ts';
import { Hand } from './hand.ts';
import { type Job, jobs } from './jobs.ts';
import { DELIVERIES, PARTNERS, stock } from './stock.ts';

const ACTION_TIMEOUT_MS = 15_000;
const hasMouse = !process.argv.includes('--keyboard');

const { sessionOf, undoAll } = await openSessions();
const session = sessionOf('jobs');
try {
  const folder = await session.folder();
  async function start(settings: Record<string, string>) {
    const env = { ...settings, BELLHOP_ADMIN_TOKEN: ADMIN_TOKEN };
    const { ready, stop } = await startBellhop(session, folder, env);
    return withHelpers(JSON.parse(ready) as Addresses, async () => void (await stop()));
  }
  session.progress(`creating ${PARTNERS} partners and ${DELIVERIES} deliveries`);
  const { bellhop, ...stocked } = await stock(start, session.undo);

  const browser = await launch(chromiumToUse());
  session.undo(() => browser.close());

  /** From the first action to the result, each in a window of its own. */
  async function measure({ name, before, play }: Job) {
    const context = await browser.newContext({
      baseURL: bellhop.addresses.backOffice,
      viewport: DESKTOP,
      reducedMotion: 'reduce',
      permissions: ['clipboard-write'],
    });
    context.setDefaultTimeout(ACTION_TIMEOUT_MS);
    await context.request.post('/console/session', {
      data: { token: ADMIN_TOKEN },
      headers: { 'x-bellhop-console': '1' },
    });
    const page = await context.newPage();
    await page.goto('/production');
    await settled(page);
    await before?.(stocked);
    const hand = new Hand(page, { hasMouse });
    const startedMs = performance.now();
    try {
      await play(hand, stocked);
    } catch (cause) {
      throw new Error(`This job cannot be done: ${name} (stopped at ${page.url()}).`, { cause });
    }
    const seconds = (performance.now() - startedMs) / 1_000;
    await context.close();
    return { clicks: hand.clicks, keys: hand.keys, seconds: Number(seconds.toFixed(1)) };
  }

  const efforts: Record<string, Awaited<ReturnType<typeof measure>>> = {};
  for (const job of jobs) {
    session.progress(job.name);
    efforts[job.name] = await measure(job);
  }
  console.table(efforts);
} finally {
  await undoAll();
}
