import { randomUUID } from 'node:crypto';
import { defaultGrants } from '../../grants.ts';
import { newKeyId } from '../../ids.ts';
import { toPreviousKeyColumns } from '../../previous-keys.ts';
import type { ApiKeyRow, Database } from '../../store/schema.ts';
import type { EnvironmentData } from '../environment.ts';
import { keepGrantSet } from '../grants/queries.ts';
import { invalidField, readExpiry } from '../input.ts';
import { findPartner } from '../partners/partners.ts';
import { Problem } from '../problem.ts';
import { readAllowedIps, readEndpoint } from './key-fields.ts';
import { type ShownKey, showKey } from './keys.ts';
import { insertKey, readKey } from './queries.ts';

export interface NewKey {
  label?: string | null;
  expires_at?: string | null;
  allowed_ips?: string[] | null;
  endpoints?: string[] | null;
  /** With `api_key`: takes over a key that partners use already. */
  key_id?: string;
  api_key?: string;
}

export async function createKey(
  { store, vault }: EnvironmentData,
  actor: string,
  partnerId: string,
  input: NewKey,
): Promise<ShownKey & { api_key: string }> {
  const grants = defaultGrants(
    input.endpoints?.map((text, index) => readEndpoint(text, `/endpoints/${index}`)),
  );
  const { key_id: takenOver, api_key: apiKey = randomUUID() } = input;
  checkTakeover(input);
  return store.change(actor, async ({ db, now, audit }) => {
    const partner = await findPartner(db, partnerId);
    const keyId = takenOver ?? (await freeKeyId(db));
    const row: ApiKeyRow = {
      key_id: keyId,
      partner_id: partner.id,
      label: input.label ?? null,
      sealed_key: vault.seal(keyId, apiKey),
      digest: vault.digest(keyId, apiKey),
      ...toPreviousKeyColumns([]),
      allowed_ips: readAllowedIps(input.allowed_ips),
      disabled: 0,
      expires_at: readExpiry(input.expires_at, now, 'key'),
      revoked_at: null,
      grant_set: await keepGrantSet(db, grants),
      created_at: now,
    };
    if (!(await insertKey(db, row))) throw new Problem('key_id_taken');
    const after = {
      ...showKey(row),
      endpoints: grants.grants.map((grant) => grant.endpoint),
      ...(takenOver !== undefined && { taken_over: true }),
    };
    await audit('key.create', keyId, null, after);
    const { key_id, ...rest } = showKey(row);
    return { key_id, api_key: apiKey, ...rest };
  });
}

function checkTakeover({ key_id, api_key }: NewKey): void {
  if ((key_id === undefined) === (api_key === undefined)) return;
  const missing = key_id === undefined ? '/key_id' : '/api_key';
  throw invalidField(missing, 'must be given, because key_id and api_key only go together');
}

async function freeKeyId(db: Database): Promise<string> {
  for (;;) {
    const keyId = newKeyId();
    if (!(await readKey(db, keyId))) return keyId;
  }
}
