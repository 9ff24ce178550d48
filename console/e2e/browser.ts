/**
 * A real Chromium with the real console: one browser for all files of a process, one page for all tests of a file, which
 * is emptied between them. A test fails if the page does something that no page may do: log an error, violate the CSP, call another
 * origin, or open a dialog of the browser.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished } from 'vitest';
import { launch } from '../../kit/launch.ts';
import { ADMIN_TOKEN, type TestBellhop } from '../../server/testing/bellhop.ts';

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
  /** The path of the console that is opened first. */
  to?: string;
  /** Signs in before the page opens, in place of a token. */
  signIn?: (context: BrowserContext) => Promise<void>;
  /** Whose token signs in before the page opens; null leaves signing in to the test. */
  token?: string | null;
  /** Origins that the browser may call besides the console's. */
  otherOrigins?: readonly string[];
  /** The back office's address, if it is not the one of the other tests. */
  at?: string;
  /** For a test that changes its page in a way that `empty` cannot undo: its clock or its time zone. */
  once?: boolean;
}

export type Open = (options?: VisitOptions) => Promise<Visit>;

/** Kept from file to file: each start takes a second of processor time. It ends with this process. */
let running: Browser | undefined;

async function openBrowser(program: string): Promise<Browser> {
  if (!running?.isConnected()) running = await launch(program);
  return running;
}

type Serving = Pick<TestBellhop, 'addresses'>;

/** The console. Skipped without a browser; the run says how to get one. */
export function describeConsole(name: string, bellhop: Serving, body: (open: Open) => void): void {
  describeInChromium(name, () => bellhop.addresses.backOffice, body);
}

/** The same for the portal. */
export function describePortal(name: string, bellhop: Serving, body: (open: Open) => void): void {
  describeInChromium(name, () => bellhop.addresses.portal, body);
}

function describeInChromium(name: string, address: () => string, body: (open: Open) => void): void {
  const program = inject('chromiumProgram');
  describe.skipIf(program === null)(name, () => {
    let browser: Browser;
    const idle: WatchedVisit[] = [];
    beforeAll(async () => {
      browser = await openBrowser(program ?? '');
    });
    afterAll(async () => {
      for (const context of browser?.contexts() ?? []) await context.close();
    });

    async function open(options: VisitOptions = {}): Promise<Visit> {
      const { once = options.at !== undefined } = options;
      const visit =
        (once ? undefined : idle.pop()) ?? (await startVisit(browser, options.at ?? address()));
      onTestFinished(async ({ task }) => {
        const isReusable = !once && task.result?.state !== 'fail' && (await empty(visit));
        if (isReusable) idle.push(visit);
        else await visit.page.context().close();
        expect(visit.violations.splice(0)).toEqual([]);
      });
      visit.otherOrigins = options.otherOrigins ?? [];
      await signIn(visit.page.context(), options);
      if (options.to !== undefined) await visit.go(options.to);
      return visit;
    }

    body(open);
  });
}

/**
 * Makes a page as good as new, which takes a third of the processor time of a new one. False if it cannot, because the
 * test closed the page or left the console.
 */
async function empty(visit: WatchedVisit): Promise<boolean> {
  const { page } = visit;
  const context = page.context();
  if (page.isClosed() || !page.url().startsWith(visit.backOffice)) return false;
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await page.goto('about:blank');
  await context.clearCookies();
  await context.clearPermissions();
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: null });
  await page.mouse.move(0, 0);
  visit.expected.splice(0, visit.expected.length, SESSION);
  return true;
}

/** The first call of a page that nobody is signed in to is answered with 401. */
const SESSION = /\/console\/session$/;

interface WatchedVisit extends Visit {
  backOffice: string;
  otherOrigins: readonly string[];
  /** The addresses whose calls may fail. */
  expected: RegExp[];
  /** What the page did that no page may do. */
  violations: string[];
}

async function startVisit(browser: Browser, backOffice: string): Promise<WatchedVisit> {
  const context = await browser.newContext({
    baseURL: backOffice,
    viewport: DESKTOP,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const visit: WatchedVisit = {
    page,
    backOffice,
    otherOrigins: [],
    expected: [SESSION],
    violations: [],
    async go(path) {
      await page.goto(path);
      await settled(page);
    },
    expectFailures: (address) => void visit.expected.push(address),
  };
  const { violations } = visit;
  context.setDefaultTimeout(ACTION_TIMEOUT_MS);
  context.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    const allowed = [new URL(backOffice).origin, ...visit.otherOrigins];
    if (protocol !== 'data:' && !allowed.includes(origin)) {
      violations.push(`called ${request.url()}`);
    }
  });
  // CSP violations arrive here too.
  context.on('console', (message) => {
    const { url } = message.location();
    const isFailedCall = message.text().startsWith('Failed to load resource');
    if (isFailedCall && visit.expected.some((address) => address.test(url))) return;
    if (message.type() === 'error') violations.push(`logged ${message.text()} (${url})`);
  });
  context.on('weberror', (error) => violations.push(`threw ${error.error().message}`));
  context.on('dialog', (dialog) => {
    violations.push(`opened a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return visit;
}

async function signIn(
  context: BrowserContext,
  { token = ADMIN_TOKEN, signIn }: VisitOptions,
): Promise<void> {
  if (signIn) return await signIn(context);
  if (token === null) return;
  const reply = await context.request.post('/console/session', {
    data: { token },
    headers: { 'x-bellhop-console': '1' },
  });
  expect(reply.status()).toBe(200);
}

/** Resolves once the page has its heading and none of its parts is loading. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').waitFor();
  await page.locator('[data-loading]').first().waitFor({ state: 'hidden' });
}
