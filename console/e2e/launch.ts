/** Starts a Chromium; free of vitest, so that any process can. */
import { type Browser, chromium } from 'playwright-core';

/** Chromium would talk to its maker, and its sandbox does not work as root. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** It ends with this process, even by kill -9: it is steered through a pipe, and lives as long. */
export function launch(program: string): Promise<Browser> {
  return chromium.launch({ executablePath: program, args: FLAGS });
}
