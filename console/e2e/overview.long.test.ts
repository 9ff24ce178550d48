import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { startReceiver, status } from '../../server/testing/webhook-receiver.ts';
import { allAre, GIVES_UP_AT_ONCE, newAgency, report } from './agency.ts';
import { describeConsole } from './browser.ts';

const bellhop = sharedBellhop(() => ({
  ...GIVES_UP_AT_ONCE,
  BELLHOP_PRODUCTION_RETRY_SCHEDULE: '1h',
}));
const STATS = '/support/v1/production/stats';

describeConsole('the first page', bellhop, (open) => {
  test('of an empty environment offers the first steps in place of charts', async () => {
    const { page } = await open({ to: '/sandbox' });
    const steps = page.getByRole('region', { name: 'First steps in sandbox' });
    await expect
      .poll(() => steps.getByRole('listitem').allTextContents())
      .toEqual([
        expect.stringMatching(/^1Create a partner, not done yet.*New partner$/),
        expect.stringMatching(/^2Give it a key, not done yet/),
        expect.stringMatching(/^3Create its midoffice, and send a test event, not done yet/),
      ]);
    await expect.poll(() => page.getByRole('figure').count()).toBe(0);
    await steps.getByRole('button', { name: 'New partner' }).click();
    await page.getByRole('dialog', { name: 'New partner' }).waitFor();
  });

  test('says what fails and what waits, leads to the worst, and recovers with it', async () => {
    const small = await startReceiver(status(500));
    const large = await startReceiver(status(404));
    const one = await newAgency(bellhop.support, small.url, { midoffice: 'One waits' });
    const two = await newAgency(bellhop.support, large.url, { midoffice: 'Two wait' });
    await report(bellhop.support, one, ['A-1']);
    const waiting = await report(bellhop.support, two, ['B-1', 'B-2']);
    await eventually(
      async () => (await bellhop.support('GET', STATS)).body.unstable_count,
      (unstable) => unstable === 2,
    );
    const { page } = await open({ to: '/production' });
    const verdict = page.getByRole('region', { name: 'Verdict' });
    await verdict
      .getByText(/^2 midoffices unstable, 3 webhooks waiting, oldest \d+ s\.$/)
      .waitFor();
    const failing = page.getByRole('region', { name: 'Failing midoffices' });
    await expect
      .poll(() => failing.getByRole('listitem').allTextContents())
      .toEqual([expect.stringContaining('Two wait'), expect.stringContaining('One waits')]);

    large.answer = status(200);
    await verdict.getByRole('link', { name: 'Two wait' }).click();
    await page.getByRole('heading', { level: 1, name: 'Two wait' }).waitFor();
    for (const id of waiting) {
      await bellhop.support('POST', `/support/v1/production/deliveries/${id}/retry`);
    }
    await allAre(bellhop.support, 'delivered', two);
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await verdict.getByText(/^1 midoffice unstable, 1 webhook waiting/).waitFor();
  });

  test('its figures follow the span, and its charts count deliveries and attempts apart', async () => {
    const receiver = await startReceiver(status(500));
    const agency = await newAgency(bellhop.support, receiver.url);
    const [id] = await report(bellhop.support, agency, ['C-1']);
    await receiver.came(1);
    receiver.answer = status(200);
    await bellhop.support('POST', `/support/v1/production/deliveries/${id}/retry`);
    await allAre(bellhop.support, 'delivered', agency);
    await eventually(
      async () => (await bellhop.support('GET', STATS)).body.success_rate,
      (rate) => rate > 0 && rate < 1,
    );
    const { page } = await open({ to: '/production' });
    await page.getByText('No call was refused in the last hour.').waitFor();
    const chart = page.getByRole('img', { name: /^Deliveries settled per minute/ });
    // The chart stays where it is under the pointer, and a bar opens what was accepted then.
    const box = await chart.boundingBox();
    await chart.hover();
    await page.getByText('click to open the deliveries accepted then').waitFor();
    expect(await chart.boundingBox()).toEqual(box);
    await chart.click();
    await page.waitForURL(/deliveries\?since=.*&until=/);
    const span = new URL(page.url()).searchParams;
    const [since = 0, until = 0] = ['since', 'until'].map((end) => Date.parse(span.get(end) ?? ''));
    expect(until - since).toBe(60_000);
    await page.goBack();
    await page.getByRole('button', { name: 'Week' }).click();
    await page.getByRole('img', { name: /^Deliveries settled per 2 hours/ }).waitFor();
    await page.getByText(/^No call was refused in the last week/).waitFor();
    await expect.poll(() => page.getByText('in the last hour').count()).toBe(0);
    // A delivery that was retried is one delivery and several attempts.
    const { buckets } = (await bellhop.support('GET', `${STATS}?span=week`)).body;
    const count = (field: string) =>
      buckets.reduce((sum: number, one: Record<string, number>) => sum + (one[field] ?? 0), 0);
    expect(count('failed_attempts')).toBeGreaterThan(0);
    const described = (title: RegExp) =>
      page.getByRole('img', { name: title }).locator('desc').textContent();
    await expect
      .poll(() => described(/^Attempts per 2 hours/))
      .toBe(
        `In the last week: ${count('delivered')} succeeded, ${count('failed_attempts')} failed.`,
      );
    await expect
      .poll(() => described(/^Deliveries settled/))
      .toBe(`In the last week: ${count('delivered')} delivered, 0 exhausted.`);
  });

  test('a new midoffice is untested, and keeps what its test event sent', async () => {
    const receiver = await startReceiver(status(200, 'thank you'));
    const { midofficeId } = await newAgency(bellhop.support, receiver.url, {
      midoffice: 'Brand new',
    });
    const { page, go } = await open({ to: '/production/midoffices?name=Brand' });
    await page
      .getByRole('row', { name: /Brand new/ })
      .getByText('untested')
      .waitFor();
    await go(`/production/midoffices/${midofficeId}`);
    const title = page.locator('[data-page-title]');
    await title.getByText('untested').waitFor();
    await page.getByRole('button', { name: 'Send test event' }).click();
    await title.getByText('healthy').waitFor();

    await go(`/production/midoffices/${midofficeId}`);
    const kept = page.getByRole('region', { name: 'Last test event' });
    await kept.getByText('Request and reply').click();
    const sent = JSON.parse(receiver.received[0]?.body ?? '');
    const body = kept.getByRole('group', { name: 'Body sent' });
    await expect.poll(() => body.textContent()).toContain(sent.signature.token);
    await expect.poll(() => body.textContent()).not.toContain(sent.signature.signature);
    const headers = kept.getByRole('group', { name: 'Headers sent' });
    await expect
      .poll(() => headers.textContent())
      .toContain(receiver.received[0]?.headers['webhook-id']);
    await kept.getByText('thank you').waitFor();
  });
});
