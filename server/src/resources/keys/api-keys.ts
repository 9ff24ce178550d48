/** The API keys that a key works with now: one, or several while rotations overlap. */
import type { Static } from 'typebox';
import { previousKeysOf } from '../../base/sealing/previous-keys.ts';
import { fingerprintOf, fingerprintOfDigest } from '../../base/sealing/sealed-key.ts';
import type { ApiKeyRow, Database } from '../../store/schema.ts';
import { deleteOtherApiKeyUses, readApiKeyUses } from '../../store/usage-history.ts';
import { isoOrNull, type SupportEnvironment } from '../environment.ts';
import { orNull, reply } from '../forms.ts';
import { Type } from '../type.ts';
import { findKey } from './key.ts';
import { endReplaced, insertReplaced } from './queries.ts';

export const ApiKeyInForce = reply('ApiKeyInForce', {
  is_current: Type.Boolean({ description: 'It is that of the last rotation.' }),
  works_until: orNull(
    Type.String({
      format: 'date-time',
      description: 'The end of its overlap or of the key, whichever comes first; null if neither.',
    }),
  ),
  last_used_at: orNull(
    Type.String({
      format: 'date-time',
      description:
        'Its last call since several API keys of this key work, at most 10 seconds late; null if there was none, or if it is the only one that works.',
    }),
  ),
});
export type ApiKeyInForce = Static<typeof ApiKeyInForce>;

/** That of the last rotation first. None if the key is revoked or expired. */
export async function listApiKeys(
  { store, clock }: Pick<SupportEnvironment, 'store' | 'clock'>,
  keyId: string,
): Promise<ApiKeyInForce[]> {
  const row = await findKey(store.db, keyId);
  const inForce = apiKeysInForce(row, clock.now());
  const usedAt =
    inForce.length > 1 ? await readApiKeyUses(store.db, keyId) : new Map<string, number>();
  return inForce.map(({ fingerprint, untilMs, isCurrent }) => ({
    is_current: isCurrent,
    works_until: isoOrNull(untilMs),
    last_used_at: isoOrNull(usedAt.get(fingerprint) ?? null),
  }));
}

/**
 * Part of a rotation. What was noted in an overlap that is over would look as if an API key had not been used since, so
 * only an overlap that goes on keeps what was noted.
 */
export async function forgetEndedUses(
  db: Database,
  { before, after, nowMs }: { before: ApiKeyRow; after: ApiKeyRow; nowMs: number },
): Promise<void> {
  const wasOverlap = apiKeysInForce(before, nowMs).length > 1;
  const kept = wasOverlap ? apiKeysInForce(after, nowMs) : [];
  await deleteOtherApiKeyUses(
    db,
    after.key_id,
    kept.map(({ fingerprint }) => fingerprint),
  );
}

/** Part of a rotation: which API key it replaced, and which overlaps it ended. */
export async function noteReplaced(
  db: Database,
  { before, after, by, nowMs }: { before: ApiKeyRow; after: ApiKeyRow; by: string; nowMs: number },
): Promise<void> {
  const fingerprint = fingerprintOfDigest(before.digest);
  const untilMs = new Map(
    apiKeysInForce(after, nowMs).map((one) => [fingerprintOfDigest(one.digest), one.untilMs]),
  );
  await endReplaced(db, { keyId: after.key_id, working: [...untilMs.keys()], nowMs });
  await insertReplaced(db, {
    key_id: after.key_id,
    fingerprint,
    replaced_at: nowMs,
    replaced_by: by,
    works_until: untilMs.get(fingerprint) ?? nowMs,
  });
}

interface InForce {
  digest: string;
  fingerprint: string;
  untilMs: number | null;
  isCurrent: boolean;
}

/** That of the last rotation first. */
export function apiKeysInForce(row: ApiKeyRow, nowMs: number): InForce[] {
  const { sealed_key: sealed, digest, expires_at } = row;
  const endMs = expires_at ?? Number.POSITIVE_INFINITY;
  if (row.revoked_at !== null || endMs <= nowMs) return [];
  const previous = previousKeysOf(row).filter(({ untilMs }) => untilMs > nowMs);
  return [
    { digest, fingerprint: fingerprintOf(sealed, digest), untilMs: expires_at, isCurrent: true },
    ...previous.map((one) => ({
      digest: one.digest,
      fingerprint: fingerprintOf(one.sealed, one.digest),
      untilMs: Math.min(one.untilMs, endMs),
      isCurrent: false,
    })),
  ];
}
