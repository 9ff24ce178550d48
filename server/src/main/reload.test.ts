import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support.ts';
import { newMasterKey } from '../../testing/settings.ts';
import { readSecretFiles } from '../base/config/config.ts';
import { createLogger } from '../base/logging/logger.ts';
import { isSameServer, readVariablesAgain } from './reload.ts';

test('names each secret that needs a restart, and files with which the next start would fail', async () => {
  const folder = await temporaryFolder();
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
  const [masterKey, other] = [newMasterKey(), newMasterKey()];
  write('key', masterKey);
  write('url', 'postgres://bellhop:one@db/production');
  const given = {
    BELLHOP_MASTER_KEY_FILE: join(folder, 'key'),
    BELLHOP_PRODUCTION_DATABASE_URL_FILE: join(folder, 'url'),
    BELLHOP_ADMIN_TOKEN: 'a-token-of-some-length',
  };
  const inUse = readSecretFiles(given);
  const lines: string[] = [];
  const log = createLogger('info', (line) => lines.push(JSON.parse(line).msg));
  const again = () => {
    lines.length = 0;
    return readVariablesAgain(given, inUse, log);
  };
  expect(again()).toEqual(inUse);
  expect(lines).toEqual([]);

  write('url', 'postgres://bellhop:two@db/production');
  expect(again()?.BELLHOP_PRODUCTION_DATABASE_URL).toContain('two');
  expect(lines).toEqual([]);

  write('url', 'postgres://bellhop:two@elsewhere/production');
  write('key', other);
  again();
  expect(lines).toEqual([
    'BELLHOP_MASTER_KEY has changed; restart Bellhop to use it.',
    'BELLHOP_PRODUCTION_DATABASE_URL has changed; restart Bellhop to use it.',
  ]);

  write('key', '');
  expect(again()).toBeUndefined();
  expect(lines).toEqual([
    expect.stringMatching(
      /^BELLHOP_MASTER_KEY_FILE must .* is empty\. Bellhop would not start again/,
    ),
  ]);
});

test.each([
  ['postgres://a:b@db/x', 'postgres://c:d@db/x', true],
  ['postgres://a:b@db/x', 'postgres://db/x ', true],
  ['postgres://a:b@db/x', 'postgres://a:b@db/y', false],
  ['postgres://a:b@db/x', 'postgres://a:b@db:6432/x', false],
  ['postgres://a:b@db/x', 'postgres://a:b@db/x?sslmode=require', false],
  ['redis://:a@cache', 'redis://b:c@cache:6379/0', true],
  ['redis://:a@cache', 'redis://:a@cache/1', false],
  ['redis+sentinel://:a@one,two/x', 'redis+sentinel://one,two/x?sentinel_password=b', true],
  ['redis+sentinel://one,two/x', 'redis+sentinel://one,two/y', false],
  ['redis+cluster://a:b@one,two', 'redis+cluster://c:d@one,two', true],
  ['a-token-of-some-length', 'a-token-of-some-length', false],
  [undefined, 'postgres://a:b@db/x', false],
  [undefined, undefined, false],
])('%s and %s are the same server: %s', (one, other, same) => {
  expect(isSameServer(one, other)).toBe(same);
});
