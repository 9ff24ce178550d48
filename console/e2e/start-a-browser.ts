/** The process that browser-ends.test.ts kills: starts Chromium with a page open and waits. */
import { launch } from '../../kit/launch.ts';

const browser = await launch(process.argv[2] ?? '');
await browser.newPage();
process.send?.('started');
