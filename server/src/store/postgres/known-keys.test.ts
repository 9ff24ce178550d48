import { expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { DatabaseAway } from '../../base/database-errors.ts';
import type { KeyLookup, StoredKey } from '../../gateway/keys.ts';
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

/** A key that is read while something changes, and then asked for without a database. */
async function readDuring(change: (keys: KnownKeys) => void): Promise<StoredKey | undefined> {
  const reading = Promise.withResolvers<StoredKey>();
  let find: KeyLookup['find'] = () => reading.promise;
  const lookup = { find: (keyId: string) => find(keyId), grants: away };
  const keys = new KnownKeys(lookup, systemClock, async () => true);
  const read = keys.find('1');
  change(keys);
  reading.resolve({ keyId: '1', revokedAt: null } as StoredKey);
  await read;
  find = away;
  return keys.find('1');
}

test('a key that was read while another one changed is known', async () => {
  const learned = { readAtMs: 10, keys: [{ keyId: '2' } as StoredKey], grants: {} };
  expect(await readDuring((keys) => keys.forget(['2']))).toMatchObject({ keyId: '1' });
  expect(await readDuring((keys) => keys.learn(learned))).toMatchObject({ keyId: '1' });
});

test('a key that changed while it was read is not known, unless another node told what it is now', async () => {
  await expect(readDuring((keys) => keys.forget(['1']))).rejects.toThrow(DatabaseAway);
  await expect(readDuring((keys) => void keys.forgetAll())).rejects.toThrow(DatabaseAway);
  const told = await readDuring((keys) => {
    keys.forget(['1']);
    keys.learn({ readAtMs: 10, keys: [{ keyId: '1', revokedAt: 5 } as StoredKey], grants: {} });
  });
  expect(told).toMatchObject({ revokedAt: 5 });
});

test('a read that fails in the moment in which all keys are forgotten, as in a failover, is tried once more', async () => {
  const first = Promise.withResolvers<StoredKey>();
  const answers = [first.promise, Promise.resolve({ keyId: '1' } as StoredKey)];
  const lookup = { find: () => answers.shift() as Promise<StoredKey>, grants: away };
  const keys = new KnownKeys(lookup, systemClock, async () => true);
  const read = keys.find('1');
  keys.forgetAll();
  first.reject(new DatabaseAway('the connection was ended'));
  expect(await read).toMatchObject({ keyId: '1' });
});
