/**
 * A real Chromium with the real console: one browser for all files of a process, a fresh context per test unless the
 * tests only look. A test fails if the page does something that no page may do: log an error, violate the CSP, call another
 * origin, or open a dialog of the browser.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished } from 'vitest';
import { launch } from '../../kit/launch.ts';
import { ADMIN_TOKEN } from '../../server/testing/bellhop.ts';

export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** Long, because a browser and a server run beside other tests on two cores. */
const ACTION_TIMEOUT_MS = 60_000;

export interface Visit {
  page: Page;
  /** Opens a path of the console; resolves once the page has its heading and has loaded. */
  go(path: string): Promise<void>;
  /** Allows calls to these addresses to fail; Chromium logs that as an error. */
  expectFailures(address: RegExp): void;
}

interface VisitOptions {
  /** Signs in before the page opens, in place of a token. */
  signIn?: (context: BrowserContext) => Promise<void>;
  /** Whose token signs in before the page opens; null leaves signing in to the test. */
  token?: string | null;
  /** Origins that the browser may call besides the console's. */
  otherOrigins?: readonly string[];
  /** The back office's address, if it is not the one of the other tests. */
  at?: string;
}

export type Open = (options?: VisitOptions) => Promise<Visit>;

/** Kept from file to file: each start takes a second of processor time. It ends with this process. */
let running: Browser | undefined;

async function openBrowser(program: string): Promise<Browser> {
  if (!running?.isConnected()) running = await launch(program);
  return running;
}

/**
 * Skipped without a browser; the run says how to get one. `reopen` is for tests that only look: they share one page,
 * since a second of processor time goes into each new one.
 */
export function describeInChromium(
  name: string,
  backOffice: () => string,
  body: (open: Open, reopen: () => Promise<Visit>) => void,
): void {
  const program = inject('chromiumProgram');
  describe.skipIf(program === null)(name, () => {
    let browser: Browser;
    let shared: Promise<WatchedVisit> | undefined;
    beforeAll(async () => {
      browser = await openBrowser(program ?? '');
    });
    afterAll(async () => {
      for (const context of browser?.contexts() ?? []) await context.close();
    });

    async function open(options?: VisitOptions): Promise<Visit> {
      const visit = await startVisit(browser, options?.at ?? backOffice(), options);
      onTestFinished(async () => {
        await visit.page.context().close();
        expect(visit.violations).toEqual([]);
      });
      return visit;
    }

    async function reopen(): Promise<Visit> {
      shared ??= startVisit(browser, backOffice());
      const visit = await shared;
      onTestFinished(() => expect(visit.violations.splice(0)).toEqual([]));
      await visit.page.setViewportSize(DESKTOP);
      await visit.page.emulateMedia({ colorScheme: null });
      return visit;
    }

    body(open, reopen);
  });
}

interface WatchedVisit extends Visit {
  /** What the page did that no page may do. */
  violations: string[];
}

async function startVisit(
  browser: Browser,
  backOffice: string,
  { token = ADMIN_TOKEN, otherOrigins = [], signIn }: VisitOptions = {},
): Promise<WatchedVisit> {
  const context = await browser.newContext({
    baseURL: backOffice,
    viewport: DESKTOP,
    reducedMotion: 'reduce',
  });
  const violations: string[] = [];
  // The first call of a page that nobody is signed in to is answered with 401.
  const expected = [/\/console\/session$/];
  context.setDefaultTimeout(ACTION_TIMEOUT_MS);
  context.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    const allowed = [new URL(backOffice).origin, ...otherOrigins];
    if (protocol !== 'data:' && !allowed.includes(origin)) {
      violations.push(`called ${request.url()}`);
    }
  });
  // CSP violations arrive here too.
  context.on('console', (message) => {
    const { url } = message.location();
    const isFailedCall = message.text().startsWith('Failed to load resource');
    if (isFailedCall && expected.some((address) => address.test(url))) return;
    if (message.type() === 'error') violations.push(`logged ${message.text()} (${url})`);
  });
  context.on('weberror', (error) => violations.push(`threw ${error.error().message}`));
  context.on('dialog', (dialog) => {
    violations.push(`opened a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  if (signIn) await signIn(context);
  else if (token !== null) {
    const reply = await context.request.post('/console/session', {
      data: { token },
      headers: { 'x-bellhop-console': '1' },
    });
    expect(reply.status()).toBe(200);
  }
  const page = await context.newPage();
  return {
    page,
    violations,
    async go(path) {
      await page.goto(path);
      await settled(page);
    },
    expectFailures: (address) => void expected.push(address),
  };
}

/** Resolves once the page has its heading and none of its parts is loading. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').waitFor();
  await page.locator('[data-loading]').first().waitFor({ state: 'hidden' });
}
