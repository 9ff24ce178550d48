/** A process for browser-ends.test.ts to end: starts a Chromium with a page open, and then waits. */
import { launch } from './launch.ts';

const browser = await launch(process.argv[2] ?? '');
await browser.newPage();
process.send?.('started');
