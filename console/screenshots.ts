/**
 * Takes a picture of every page of a running server that has data: light and dark, at three widths. It
 * also runs axe on each. `npm run screenshots -- http://127.0.0.1:8090 TOKEN folder`
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { chromiumToUse } from '../kit/chromium.ts';
import { launch } from '../kit/launch.ts';
import { runAxe } from './e2e/run-axe.ts';

const [base = 'http://127.0.0.1:8090', token = '', folder = 'screenshots', only = ''] =
  process.argv.slice(2);

const widths = {
  wide: { width: 1920, height: 1080 },
  desktop: { width: 1280, height: 900 },
  phone: { width: 390, height: 844 },
};
const themes = ['light', 'dark'] as const;

interface Shot {
  name: string;
  path: string;
  /** Prepares the page for the picture. */
  prepare?: (page: Page) => Promise<unknown>;
}

async function shotsOf(context: BrowserContext): Promise<Shot[]> {
  const first = async (environment: string, list: string, field = 'id') => {
    const reply = await context.request.get(`${base}/support/v1/${environment}/${list}`);
    const { items } = await reply.json();
    return items.at(-1)?.[field] ?? 'none';
  };
  const partner = await first('production', 'partners');
  const key = await first('production', `keys?partner_id=${partner}`, 'key_id');
  const failed = await first('production', 'deliveries?state=exhausted');
  const pending = await first('production', 'deliveries?state=pending');
  const midoffice = await first('production', 'midoffices');
  const button = (name: string | RegExp) => (page: Page) =>
    page.getByRole('button', { name }).first().click();
  return [
    { name: 'overview', path: '/production' },
    { name: 'overview-day', path: '/production?span=day' },
    { name: 'overview-sandbox', path: '/sandbox' },
    {
      name: 'search',
      path: '/production',
      prepare: async (page) => {
        await page.keyboard.press('/');
        await page.keyboard.type('a');
        await page.getByRole('option').first().waitFor();
      },
    },
    {
      name: 'palette',
      path: `/production/keys/${key}`,
      prepare: async (page) => {
        await page.keyboard.press('/');
        await page.getByRole('option').first().waitFor();
      },
    },
    {
      name: 'shortcuts',
      path: '/production',
      prepare: async (page) => {
        await page.keyboard.press('?');
        await page.getByRole('dialog').waitFor();
      },
    },
    { name: 'deliveries', path: '/production/deliveries' },
    { name: 'deliveries-none', path: '/production/deliveries?partner_order_id=nobody' },
    { name: 'delivery-exhausted', path: `/production/deliveries/${failed}` },
    { name: 'delivery-pending', path: `/production/deliveries/${pending}` },
    { name: 'calls', path: '/production/calls' },
    { name: 'partners', path: '/production/partners' },
    { name: 'partner', path: `/production/partners/${partner}` },
    { name: 'partner-portal', path: `/production/partners/${partner}?tab=portal` },
    {
      name: 'partner-new',
      path: '/sandbox/partners',
      prepare: async (page) => {
        await button('New partner')(page);
        await page.getByLabel('Name').last().fill('Late Starter');
        await page.getByLabel('Integration starts on').fill('2026-04-01');
        await button('Create partner')(page);
        await page.getByRole('alert').waitFor();
      },
    },
    { name: 'keys', path: '/production/keys' },
    { name: 'key', path: `/production/keys/${key}` },
    { name: 'key-rotate', path: `/production/keys/${key}`, prepare: button('Rotate') },
    { name: 'key-revoke', path: `/production/keys/${key}`, prepare: button('Revoke') },
    {
      name: 'key-grant',
      path: `/production/keys/${key}`,
      prepare: async (page) => {
        await button(/^Edit limit of search\/hp/)(page);
        await page.getByRole('dialog').getByLabel('Calls').fill('40');
      },
    },
    { name: 'midoffices', path: '/production/midoffices' },
    { name: 'midoffice', path: `/production/midoffices/${midoffice}` },
    {
      name: 'midoffice-edit',
      path: `/production/midoffices/${midoffice}`,
      prepare: async (page) => {
        await button('Edit')(page);
        await page.getByText('Webhooks can be sent there').waitFor();
      },
    },
    {
      name: 'midoffice-certify',
      path: `/production/midoffices/${midoffice}`,
      prepare: async (page) => {
        await button('Check receiver')(page);
        await page.getByRole('region', { name: 'Receiver check' }).waitFor();
      },
    },
    {
      name: 'midoffice-recover',
      path: `/production/midoffices/${midoffice}`,
      prepare: async (page) => {
        await button('Send again…')(page);
        await page.getByText(/sent again\.|nothing to send again/).waitFor();
      },
    },
    { name: 'notices', path: '/production/notices' },
    { name: 'audit', path: '/production/audit' },
    { name: 'tokens', path: '/production/tokens' },
    { name: 'not-found', path: '/production/nowhere' },
    { name: 'docs-partner', path: '/docs' },
    { name: 'docs-back-office', path: '/docs?api=back-office' },
  ];
}

async function shoot(page: Page, shot: Shot, file: string): Promise<void> {
  await page.goto(base + shot.path);
  await page.locator('h1').waitFor();
  await page.locator('[data-loading]').first().waitFor({ state: 'hidden' });
  await page.waitForTimeout(300);
  await shot.prepare?.(page);
  await page.waitForTimeout(300);
  await page.screenshot({ path: file, fullPage: !shot.prepare });
  for (const violation of await runAxe(page)) console.log(`${file}: ${violation}`);
  if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) {
    console.log(`${file}: wider than the window`);
  }
}

mkdirSync(folder, { recursive: true });
const browser = await launch(chromiumToUse());
for (const theme of themes) {
  for (const [device, viewport] of Object.entries(widths)) {
    const context = await browser.newContext({
      viewport,
      colorScheme: theme,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    page.on('pageerror', (error) => console.log('page error:', error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('401'))
        console.log('console:', message.text());
    });
    const file = (name: string) => join(folder, `${name}-${device}-${theme}.png`);
    if (!only) await shoot(page, { name: 'sign-in', path: '/' }, file('sign-in'));
    await context.request.post(`${base}/console/session`, {
      data: { token },
      headers: { 'x-bellhop-console': '1' },
    });
    for (const shot of await shotsOf(context)) {
      if (only && !new RegExp(only).test(`${shot.name}-${device}-${theme}`)) continue;
      try {
        await shoot(page, shot, file(shot.name));
      } catch (error) {
        console.log(`${file(shot.name)}: ${(error as Error).message.split('\n')[0]}`);
      }
    }
    await context.close();
  }
}
await browser.close();
