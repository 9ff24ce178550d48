/**
 * A real Chromium at a real console. One browser a test file, a fresh context a test. Whatever a page
 * does that it must not do at all (an error in its console, a breach of its CSP, a call to another
 * origin, a dialog of the browser) fails the test that it happens in, whatever that test is about.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished } from 'vitest';
import { ADMIN_TOKEN } from '../../server/testing/bellhop.ts';
import { launch } from './launch.ts';

export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };

const PATIENCE_MS = 20_000;
/** A browser and a server beside other tests on two cores. */
const TEST_TIMEOUT_MS = 90_000;

export interface Visit {
  page: Page;
  /** A path of the console; resolves once the page has its heading and nothing more to load. */
  go(path: string): Promise<void>;
  /** Says before that the server will refuse such calls, which Chromium logs as errors. */
  expectRefusals(address: RegExp): void;
}

interface VisitOptions {
  /** Signs in before the page is opened; null leaves that to the test. */
  token?: string | null;
}

export type Open = (options?: VisitOptions) => Promise<Visit>;

/** Skipped where there is no browser; the run says how to get one. */
export function describeInChromium(
  name: string,
  backOffice: () => string,
  body: (open: Open) => void,
): void {
  const program = inject('chromiumProgram');
  describe.skipIf(program === null)(name, { timeout: TEST_TIMEOUT_MS }, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launch(program ?? '');
    });
    afterAll(() => browser?.close());
    body((options) => visit(browser, backOffice(), options));
  });
}

async function visit(
  browser: Browser,
  backOffice: string,
  { token = ADMIN_TOKEN }: VisitOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    baseURL: backOffice,
    viewport: DESKTOP,
    reducedMotion: 'reduce',
  });
  const misdeeds: string[] = [];
  // Who is not signed in yet is told so by a 401.
  const refusals = [/\/console\/session$/];
  context.setDefaultTimeout(PATIENCE_MS);
  context.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && origin !== new URL(backOffice).origin) {
      misdeeds.push(`called ${request.url()}`);
    }
  });
  // Breaches of the CSP come here as well.
  context.on('console', (message) => {
    const { url } = message.location();
    const isRefusal = message.text().startsWith('Failed to load resource: the server responded');
    if (isRefusal && refusals.some((address) => address.test(url))) return;
    if (message.type() === 'error') misdeeds.push(`logged ${message.text()} (${url})`);
  });
  context.on('weberror', (error) => misdeeds.push(`threw ${error.error().message}`));
  context.on('dialog', (dialog) => {
    misdeeds.push(`opened a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  onTestFinished(async () => {
    await context.close();
    expect(misdeeds).toEqual([]);
  });
  if (token !== null) {
    const reply = await context.request.post('/console/session', {
      data: { token },
      headers: { 'x-bellhop-console': '1' },
    });
    expect(reply.status()).toBe(200);
  }
  const page = await context.newPage();
  return {
    page,
    async go(path) {
      await page.goto(path);
      await settled(page);
    },
    expectRefusals: (address) => void refusals.push(address),
  };
}

/** Once the page has its heading, and none of its parts waits for the server any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').waitFor();
  await page.locator('.waiting').first().waitFor({ state: 'hidden' });
}
