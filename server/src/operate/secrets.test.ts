import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support.ts';
import { keepAdminToken, keptAdminToken } from './secrets.ts';

test('the admin token is stored for the command line', async () => {
  const dataDir = join(await temporaryFolder(), 'data');
  expect(keptAdminToken(dataDir, false)).toBeUndefined();
  const file = keepAdminToken(dataDir, 'bh_token', false) as string;
  expect(readFileSync(file, 'utf8')).toBe('bh_token\n');
  expect(keptAdminToken(dataDir, false)?.token).toBe('bh_token');
});

test('a token that cannot be stored does not prevent the start, which prints it', async () => {
  const dataDir = await temporaryFolder();
  mkdirSync(join(dataDir, 'admin.token'));
  expect(keepAdminToken(dataDir, 'bh_token', false)).toBeUndefined();
});
