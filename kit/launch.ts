/** Starts Chromium. It does not import vitest, so any process can use it. */
import { type Browser, chromium } from 'playwright-core';

/** No calls home; and no sandbox, which does not work as root. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // One process for all pages, because a new one for each navigation is a third of the processor time of most tests.
  '--disable-site-isolation-trials',
  '--renderer-process-limit=1',
];

/** It ends with this process, even by kill -9, because it is controlled through a pipe. */
export function launch(program: string): Promise<Browser> {
  return chromium.launch({ executablePath: program, args: FLAGS });
}
