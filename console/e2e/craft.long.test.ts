/** What every page has: times with a zone, notices, keys, an order of the Tab key, commands to copy. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { ADMIN_TOKEN } from '../../server/testing/bellhop.ts';
import { startReceiver } from '../../server/testing/webhook-receiver.ts';
import { allAre, GIVES_UP_AT_ONCE, newAgency, report } from './agency.ts';
import { describeConsole, PHONE, settled } from './browser.ts';

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);
const DEAD = 'http://127.0.0.1:9/';

async function liveIn(zone: string, page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setTimezoneOverride', { timezoneId: zone });
}

const focused = (page: Page): Promise<string> =>
  page.evaluate('document.activeElement.textContent.trim()');

describeConsole('craft:', bellhop, (open) => {
  test('every time is in the zone that the page names, and the browser keeps the choice', async () => {
    const { midofficeId } = await newAgency(bellhop.support, DEAD);
    const path = `/support/v1/production/midoffices/${midofficeId}`;
    const { created_at } = (await bellhop.support('GET', path)).body;
    const hourAt = (offset: number) =>
      new RegExp(
        `, ${new Date(Date.parse(created_at) + offset * 3_600_000).toISOString().slice(11, 19)}`,
      );
    const { page, go } = await open({ once: true });
    await liveIn('Asia/Tokyo', page);
    await go(`/production/midoffices/${midofficeId}`);
    await page.getByText('Times in Asia/Tokyo (UTC+9)').first().waitFor();
    await page.locator('time').getByText(hourAt(9)).first().waitFor();

    const utc = page.getByRole('button', { name: 'UTC', exact: true });
    await utc.click();
    await page.getByText('Times in UTC', { exact: true }).first().waitFor();
    await page.locator('time').getByText(hourAt(0)).first().waitFor();
    await expect.poll(() => page.locator('time').getByText(hourAt(9)).count()).toBe(0);
    await page.reload();
    await settled(page);
    await page.locator('time').getByText(hourAt(0)).first().waitFor();
    await expect.poll(() => utc.getAttribute('aria-pressed')).toBe('true');

    // What is typed is in the same zone.
    await go('/production/deliveries?since=2026-01-31T11:30:00.000Z');
    const since = page.getByRole('group', { name: 'Since' });
    const clock = since.getByLabel('time of day');
    await since.getByText('In UTC.').waitFor();
    await expect.poll(() => since.getByLabel('date').inputValue()).toBe('2026-01-31');
    await expect.poll(() => clock.inputValue()).toBe('11:30');
    await clock.fill('12:45');
    await page.waitForURL(/since=2026-01-31T12%3A45%3A00.000Z/);
    await page.getByRole('button', { name: 'Local', exact: true }).click();
    await since.getByText('In Asia/Tokyo (UTC+9).').waitFor();
    await expect.poll(() => clock.inputValue()).toBe('21:45');

    // A day begins at midnight in that zone, and the address keeps the word.
    const asked = page.waitForRequest(/deliveries\?.*until=/);
    await page.getByLabel('Time, in').selectOption('Yesterday');
    await page.waitForURL(/deliveries\?span=yesterday$/);
    const span = new URL((await asked).url()).searchParams;
    expect(span.get('since')).toMatch(/T15:00:00.000Z$/);
    expect(span.get('until')).toMatch(/T15:00:00.000Z$/);
  });

  test('only the latest notice shows, beside the page and not over it', async () => {
    const { midofficeId } = await newAgency(bellhop.support, DEAD);
    const { page } = await open({ to: `/production/midoffices/${midofficeId}` });
    const notices = page.locator('[data-notice]');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await notices.getByText('Paused.').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await notices.getByText('Resumed.').waitFor();
    await expect.poll(() => notices.count()).toBe(1);
    const notice = await notices.boundingBox();
    const main = await page.getByRole('main').boundingBox();
    expect((notice?.x ?? 0) + (notice?.width ?? 0)).toBeLessThanOrEqual(main?.x ?? 0);

    // On a phone there is no room beside the page, but what lies below can be tapped.
    await page.setViewportSize(PHONE);
    const caught = await page.evaluate(`(() => {
        const notice = document.querySelector('[data-notice]');
        const { left, top } = notice.getBoundingClientRect();
        return notice.contains(document.elementFromPoint(left + 4, top + 4));
      })()`);
    expect(caught).toBe(false);
  });

  test('a change is offered as a curl command, without the token', async () => {
    const { midofficeId } = await newAgency(bellhop.support, DEAD);
    const { page, go } = await open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await go(`/production/midoffices/${midofficeId}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Copy as curl: this action' }).click();
    const command = await page.evaluate('navigator.clipboard.readText()');
    expect(command).toBe(
      `curl -X PATCH '${bellhop.addresses.backOffice}/support/v1/production/midoffices/${midofficeId}' \\
  -H "Authorization: Bearer $BELLHOP_TOKEN" \\
  -H 'Content-Type: application/json' \\
  --data-raw '{"paused":true}'`,
    );
    expect(command).not.toContain(ADMIN_TOKEN);
  });

  test('an attempt can be copied as a curl command, without its signatures', async () => {
    const receiver = await startReceiver();
    const agency = await newAgency(bellhop.support, receiver.url);
    const [id] = await report(bellhop.support, agency, ['CU-1']);
    await allAre(bellhop.support, 'delivered', agency);
    const { page, go } = await open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await go(`/production/deliveries/${id}`);
    await page.getByRole('button', { name: 'Copy as curl: attempt 1' }).click();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(command).toContain(`curl -X POST '${receiver.url}'`);
    expect(command).toContain('"partner_order_id":"CU-1"');
    const sent = JSON.parse(receiver.received[0]?.body ?? '');
    expect(command).not.toContain(sent.signature.signature);
  });

  test('"?" shows the keys, and they do what it says', async () => {
    const { page } = await open({ to: '/production' });
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Go to Deliveries').waitFor();
    // A dialog keeps the keys to itself.
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).pathname).toBe('/production');
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
    await page.getByLabel('Order id').fill('g');
    await page.keyboard.type('m?jk/');
    await expect.poll(() => page.getByLabel('Order id').inputValue()).toBe('gm?jk/');
  });

  test('"j" and "k" walk through the rows, and Enter opens one', async () => {
    for (const partner of ['Row C', 'Row B', 'Row A']) {
      await newAgency(bellhop.support, DEAD, { partner });
    }
    const { page } = await open({ to: '/production/partners?name=Row' });
    await page.getByRole('link', { name: 'Row C' }).waitFor();
    const walked: string[] = [];
    for (const key of ['j', 'j', 'j', 'j', 'k', 'k', 'k', 'j']) {
      await page.keyboard.press(key);
      walked.push(await focused(page));
    }
    const [a, b, c] = ['Row A', 'Row B', 'Row C'];
    expect(walked).toEqual([a, b, c, c, b, a, a, b]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Row B' }).waitFor();
  });

  test('Tab leads to the skip link, then the menu, then the rest', async () => {
    const { page, go } = await open({ to: '/production/partners' });
    const stops: string[] = [];
    for (let stop = 0; stop < 6; stop++) {
      await page.keyboard.press('Tab');
      stops.push(await focused(page));
    }
    expect(stops).toEqual([
      'Skip to the content',
      'production',
      'sandbox',
      'Overview',
      'Deliveries',
      'Partners',
    ]);
    const skip = page.getByRole('link', { name: 'Skip to the content' });
    await skip.press('Enter');
    const partners = page.getByRole('main').getByRole('row').getByRole('link');
    await expect.poll(() => focused(page)).toBe(await partners.first().textContent());
    // Without a list, the content is next.
    await go('/production');
    await skip.press('Enter');
    await page.keyboard.press('Tab');
    expect(
      await page.evaluate('document.querySelector("main").contains(document.activeElement)'),
    ).toBe(true);
  });

  test('a phone shows a record in two lines', async () => {
    const agency = await newAgency(bellhop.support, DEAD, {
      partner: 'A partner with a very long name that does not fit into one line of a phone',
      midoffice: 'Its midoffice with a name that is just as long as that of the partner',
    });
    await report(bellhop.support, agency, ['PH-1', 'PH-2']);
    const { page, go } = await open();
    await page.setViewportSize(PHONE);
    for (const list of ['deliveries', 'partners', 'keys', 'midoffices', 'tokens']) {
      await go(`/production/${list}`);
      const heights: number[] = await page
        .locator('tbody tr')
        .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
      expect([list, heights.length > 0]).toEqual([list, true]);
      expect([list, Math.max(...heights)]).toEqual([list, heights[0]]);
      expect(heights[0]).toBeLessThan(64);
    }
  });

  test('what is good looks the same in both environments', async () => {
    const { page, go } = await open();
    const green = async (environment: string) => {
      await go(`/${environment}`);
      return page.evaluate(
        `['--good', '--good-soft', '--good-chart'].map((name) => getComputedStyle(document.documentElement).getPropertyValue(name))`,
      );
    };
    expect(await green('sandbox')).toEqual(await green('production'));
  });
});
