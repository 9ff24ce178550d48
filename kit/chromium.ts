/**
 * The browser for the console's tests. Unlike the servers, it is not started here: each test file opens
 * its own (console/e2e/browser.ts), so that the files do not affect each other.
 */
import { join } from 'node:path';
import { folderWith, pathFolders } from './find.ts';
import type { Part } from './part.ts';

export const chromium: Part = {
  name: 'Chromium',
  setting: 'BELLHOP_TEST_CHROMIUM',
  aptPackage: 'chromium-headless-shell',
  howToGet:
    "Install it or Chrome (apt-get install chromium, brew install chromium), or set BELLHOP_TEST_CHROMIUM to the browser's program.",
  isInstalled: () => findChromium() !== null,
  async start() {
    const program = chromiumToUse();
    return { value: program, line: `Chromium: ${program}`, end: async () => {} };
  },
};

/** As the setting says, or as installed. */
export function chromiumToUse(): string {
  const program = process.env[chromium.setting] || findChromium();
  if (!program) throw new Error(`Chromium is not installed. ${chromium.howToGet}`);
  return program;
}

/** The first is the same browser without windows. A test takes two thirds of the processor time with it. */
const PROGRAMS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

export function findChromium(folders = pathFolders()): string | null {
  for (const program of PROGRAMS) {
    const folder = folderWith([program], folders);
    if (folder) return join(folder, program);
  }
  return null;
}
