import { createServer, type IncomingMessage } from 'node:http';
import { createNodeHandler, memoryTokenStore } from '@bellhop/partner';
import { linesFor } from '@bellhop/partner/receiver-check';
import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { startReceiver, status } from '../../server/testing/webhook-receiver.ts';
import { listening } from '../../test/support.ts';
import { GIVES_UP_AT_ONCE, newAgency, newToken } from './agency.ts';
import { axeFindings } from './axe.ts';
import { describeConsole } from './browser.ts';

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);
const ALL = linesFor('both').length;

/** A receiver of the partner package, which is handed requests from `handle` on. */
async function newReceiver() {
  const receiver = createServer();
  const url = `${(await listening(receiver)).url}/hook`;
  const { midofficeId, apiKey } = await newAgency(bellhop.support, url);
  return {
    url,
    midofficeId,
    handle(change: (request: IncomingMessage) => void = () => {}) {
      const answer = createNodeHandler({ apiKey, tokenStore: memoryTokenStore(), onEvent() {} });
      receiver.on('request', (request, response) => {
        change(request);
        answer(request, response);
      });
    },
  };
}

describeConsole('Check receiver', bellhop, (open) => {
  test('certifies a receiver of the partner package, line by line', async () => {
    const { midofficeId, handle } = await newReceiver();
    handle();
    const { page } = await open({ to: `/production/midoffices/${midofficeId}` });
    await page.getByRole('button', { name: 'Check receiver' }).click();
    const report = page.getByRole('region', { name: 'Receiver check' });
    await report.getByText(`Passed: all ${ALL} lines passed.`).waitFor();
    await expect.poll(() => report.getByRole('listitem').count()).toBe(ALL);
    await report.getByText('refuses a repeated token').click();
    await report.getByText('A genuine webhook, then exactly the same bytes again.').waitFor();
  });

  test('certifies a receiver that does not see the headers, with a warning that is open', async () => {
    const { url, midofficeId, handle } = await newReceiver();
    handle((request) => {
      for (const name of ['id', 'timestamp', 'signature']) {
        delete request.headers[`webhook-${name}`];
      }
    });
    const { page } = await open({ to: `/production/midoffices/${midofficeId}` });
    await page.getByRole('button', { name: 'Check receiver' }).click();
    const report = page.getByRole('region', { name: 'Receiver check' });
    const words = `Passed with a warning: ${ALL - 1} of ${ALL} lines passed, 1 warned.`;
    await report.getByText(words).waitFor();
    const line = report.getByRole('listitem').filter({ hasText: 'changed-payload' });
    await line.getByText(/does not verify the headers/).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const { body } = await bellhop.support(
      'GET',
      `/support/v1/production/audit?subject=${midofficeId}&limit=1`,
    );
    expect(body.items[0].after).toMatchObject({
      url,
      verdict: 'passed',
      warned: 1,
      warned_lines: ['changed-payload'],
    });
  });

  test('opens failed lines with the remedy, and shows replies as text', async () => {
    const receiver = await startReceiver(status(500, '<b id="injected">no</b>'));
    const { midofficeId } = await newAgency(bellhop.support, receiver.url);
    const { page } = await open({ to: `/production/midoffices/${midofficeId}` });
    await page.getByRole('button', { name: 'Check receiver' }).click();
    const report = page.getByRole('region', { name: 'Receiver check' });
    await report.getByText(/^Not passed: \d+ of \d+ lines failed/).waitFor();
    const line = report.getByRole('listitem').filter({ hasText: 'data-form' });
    await line.getByText(/^500 .*<b id="injected">no<\/b>$/).waitFor();
    await line.getByText('How to fix it').waitFor();
    await expect.poll(() => page.locator('#injected').count()).toBe(0);
  });

  test('viewers do not see the button', async () => {
    const { midofficeId } = await newAgency(bellhop.support, 'http://127.0.0.1:9/hook');
    const token = await newToken(bellhop.support, 'viewer');
    const { page } = await open({ to: `/production/midoffices/${midofficeId}`, token });
    await page.getByRole('heading', { name: 'Receiver', exact: true }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Check receiver' }).count()).toBe(0);
  });
});
