import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support.ts';
import { helpersOf, settingsForTest } from '../../testing/bellhop.ts';
import { storageTroubles } from '../store/storage-trouble.ts';
import { start } from './main.ts';

const OVERVIEW = '/api/b2b/v3/overview/';
/** Less than an hour, so its counts are saved only by an orderly stop. */
const SHORT_WINDOW = { endpoint: OVERVIEW, requests_number: 2, seconds_number: 3_000 };

test.each([
  ['sandbox', 'production'],
  ['production', 'sandbox'],
] as const)('a stop saves %s even if the data of %s is gone', async (kept, lost) => {
  const dataDir = join(await temporaryFolder(), 'data');
  const settings = await settingsForTest({ BELLHOP_DATA_DIR: dataDir });
  const running = await start(settings, () => {});
  const bellhop = helpersOf(running);
  const { keyId, authorization } = await bellhop.newKey(kept);
  const endpoints = `/support/v1/${kept}/keys/${keyId}/endpoints`;
  expect(await bellhop.support('PUT', endpoints, SHORT_WINDOW)).toMatchObject({ status: 200 });
  const call = await fetch(`${running.addresses[kept]}${OVERVIEW}`, { headers: { authorization } });
  expect(call.headers.get('x-ratelimit-remaining')).toBe('1');
  rmSync(join(dataDir, lost), { recursive: true });
  const failure = await running.stop().catch((error) => error);
  expect(failure).toBeInstanceOf(AggregateError);
  expect(failure.message).toBe(storageTroubles.storage_gone);

  const again = await start(settings, () => {});
  try {
    const reply = await fetch(`${again.addresses[kept]}${OVERVIEW}`, {
      headers: { authorization },
    });
    expect(reply.headers.get('x-ratelimit-remaining')).toBe('0');
  } finally {
    await again.stop();
  }
});
