import { expect, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { DatabaseAway } from '../../database-errors.ts';
import type { StoredKey } from '../../partner-api/keys.ts';
import { KnownKeys } from './known-keys.ts';

const away = async () => {
  throw new DatabaseAway('away');
};

test('what a late node tells does not replace what is newer', async () => {
  const keys = new KnownKeys({ find: away, grants: away }, systemClock, async () => true);
  const tell = (readAtMs: number, revokedAt: number | null) => {
    keys.forget(['1']);
    keys.learn({ readAtMs, keys: [{ keyId: '1', revokedAt } as StoredKey], grants: {} });
  };
  tell(10, null);
  expect(await keys.find('1')).toMatchObject({ revokedAt: null });
  tell(30, 25);
  expect(await keys.find('1')).toMatchObject({ revokedAt: 25 });
  // Read before the key was revoked, told after it: better no answer than that one.
  tell(20, null);
  await expect(keys.find('1')).rejects.toThrow(DatabaseAway);
  tell(40, 25);
  expect(await keys.find('1')).toMatchObject({ revokedAt: 25 });
});
