import { beforeAll, expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { basic, type TestKey } from '../../server/testing/bellhop.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { describeConsole } from './browser.ts';

const bellhop = sharedBellhop();

describeConsole('refused and failed calls', bellhop, (open) => {
  let key: TestKey;
  let wrongId = '';
  beforeAll(async () => {
    key = await bellhop.newKey('sandbox');
    const ask = async (path: string, authorization: string) => {
      const url = `${bellhop.addresses.sandbox}/api/b2b/v3/${path}`;
      const reply = await fetch(url, { headers: { authorization } });
      await reply.arrayBuffer();
      return reply.headers.get('x-request-id') ?? '';
    };
    wrongId = await ask('overview/', basic(key.keyId, 'wrong'));
    await ask('hotel/info/', key.authorization);
    await eventually(
      () => bellhop.support('GET', `/support/v1/sandbox/keys/${key.keyId}/calls`),
      ({ body }) => body.items.length === 2,
    );
  });

  test('the console opens where there is something to see, until someone chooses', async () => {
    const { page, go } = await open({ to: '/' });
    await page.waitForURL('**/sandbox');
    await page.getByRole('navigation', { name: 'Environment' }).getByText('production').click();
    await page.waitForURL('**/production');
    await go('/');
    await page.waitForURL('**/production');
  });

  test('the search box finds one by its request id', async () => {
    const { page } = await open({ to: '/sandbox' });
    await page.keyboard.press('/');
    await page.keyboard.type(wrongId);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
    await page.getByText('401 wrong credentials').waitFor();
    await expect.poll(() => page.getByText(wrongId).count()).toBe(1);
    await expect.poll(() => page.getByRole('link', { name: key.keyId }).count()).toBe(1);
  });

  const paths: [string, () => string][] = [
    ['a key', () => `keys/${key.keyId}`],
    ['a partner', () => `partners/${key.partnerId}`],
  ];
  test.each(paths)('are on the page of %s, with what to do', async (_, path) => {
    const { page } = await open({ to: `/sandbox/${path()}` });
    const calls = page.getByRole('region', { name: 'Calls' });
    await calls.getByText('501 no booking core').waitFor();
    await calls.getByText('Not every environment has one: ask API support.').waitFor();
    await calls.getByText('401 wrong credentials').waitFor();
    await calls.getByRole('link', { name: 'All refused and failed calls' }).click();
    await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
    await page.getByLabel('Answer').selectOption('wrong credentials');
    await page.getByText('401 wrong credentials').waitFor();
    await page.getByText('501 no booking core').waitFor({ state: 'detached' });
    const href = await page.getByRole('link', { name: 'CSV' }).getAttribute('href');
    expect(href).toContain('code=incorrect_credentials');
    await page.getByLabel('Answer').selectOption('Any');
    await page.getByLabel('Endpoint').fill('hotel/info');
    await page.getByText('501 no booking core').waitFor();
    await page.getByText('401 wrong credentials').waitFor({ state: 'detached' });
    await expect
      .poll(() => page.getByLabel('Endpoint').inputValue())
      .toBe('api/b2b/v3/hotel/info/');
    await page.getByLabel('Address').fill('192.0.2.9');
    await page.getByText('No call matches these filters.').waitFor();
  });
});
