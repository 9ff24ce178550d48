import { randomUUID } from 'node:crypto';
import { defaultGrants } from '../../base/grants.ts';
import { newKeyId } from '../../base/ids.ts';
import type { Database } from '../../store/schema.ts';
import type { EnvironmentData } from '../environment.ts';
import { readEndpoint } from '../grants/grant.ts';
import { keepGrantSet } from '../grants/queries.ts';
import { findPartner } from '../partners/partner.ts';
import { checkExpiry, Problem } from '../problem.ts';
import { columnsOf, newRow } from '../record.ts';
import { type KeyWithSecret, key, type NewKey, showKey, showSecret } from './key.ts';
import { insertKey, keys } from './queries.ts';

export async function createKey(
  { store, vault }: EnvironmentData,
  actor: string,
  partnerId: string,
  input: NewKey,
): Promise<KeyWithSecret> {
  const grants = defaultGrants(
    input.endpoints?.map((text, index) => readEndpoint(text, `/endpoints/${index}`)),
  );
  const { key_id: takenOver, api_key: apiKey = randomUUID() } = input;
  return store.change(actor, async ({ db, now, audit }) => {
    const partner = await findPartner(db, partnerId);
    const keyId = takenOver ?? (await freeKeyId(db));
    const columns = columnsOf(key, input);
    checkExpiry(columns.expires_at, now, 'key');
    const row = newRow(key, {
      ...columns,
      key_id: keyId,
      partner_id: partner.id,
      sealed_key: vault.seal(keyId, apiKey),
      digest: vault.digest(keyId, apiKey),
      grant_set: await keepGrantSet(db, grants),
      created_at: now,
    });
    if (!(await insertKey(db, row))) throw new Problem('key_id_taken');
    const after = {
      ...showKey(row),
      endpoints: grants.grants.map((grant) => grant.endpoint),
      ...(takenOver !== undefined && { taken_over: true }),
    };
    await audit('key.create', keyId, null, after);
    return showSecret(row, apiKey);
  });
}

async function freeKeyId(db: Database): Promise<string> {
  for (;;) {
    const keyId = newKeyId();
    if (!(await keys.read(db, keyId))) return keyId;
  }
}
