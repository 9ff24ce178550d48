import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import {
  MOST_PREVIOUS_KEYS,
  type PreviousKey,
  previousKeysOf,
  toPreviousKeyColumns,
} from '../../base/sealing/previous-keys.ts';
import { newNotice } from '../../notices/kinds.ts';
import { insertNotices } from '../../store/notices.ts';
import { byWhom } from '../../store/portal-actor.ts';
import type { ApiKeyRow } from '../../store/schema.ts';
import type { SupportEnvironment } from '../environment.ts';
import { input } from '../forms.ts';
import { endSessionsWithApiKeys } from '../portal/sessions.ts';
import { Problem } from '../problem.ts';
import { Type } from '../type.ts';
import { forgetEndedUses, noteReplaced } from './api-keys.ts';
import { type KeyWithSecret, keyToChange, showKey, showSecret } from './key.ts';
import { keys } from './queries.ts';

/** By default, the partner has a day to install the new API key on all its machines. */
const DEFAULT_OVERLAP_SECONDS = 86_400;
const LONGEST_OVERLAP_SECONDS = 30 * 86_400;

export const Rotation = input('Rotation', {
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LONGEST_OVERLAP_SECONDS,
      description: `How long the API key that is replaced keeps working; one day if not given. Earlier ones keep working until their own overlap ends. At most ${MOST_PREVIOUS_KEYS} work beside the new one.`,
    }),
  ),
  end_overlaps: Type.Optional(
    Type.Boolean({
      description:
        'Ends the overlaps of earlier rotations now, for example because an API key has leaked.',
    }),
  ),
});
export type Rotation = Static<typeof Rotation>;

/** The key id stays the same, and with it the grants, the limits and the calls counted so far. */
export async function rotateKey(
  { store, vault }: SupportEnvironment,
  actor: string,
  keyId: string,
  input: Rotation,
): Promise<KeyWithSecret> {
  const apiKey = randomUUID();
  return store.change(actor, async (change) => {
    const { db, now, audit, invalidate } = change;
    const before = await keyToChange(db, keyId);
    const columns = {
      sealed_key: vault.seal(keyId, apiKey),
      digest: vault.digest(keyId, apiKey),
      ...toPreviousKeyColumns(previousKeysAfter(before, input, now)),
    };
    await keys.patch(db, keyId, columns);
    await invalidate([keyId]);
    const after = { ...before, ...columns };
    await forgetEndedUses(db, { before, after, nowMs: now });
    await noteReplaced(db, { before, after, by: actor, nowMs: now });
    // Whoever has the API key that stops working may also have signed in to the portal with it.
    await endSessionsWithApiKeys(change, after);
    await audit('key.rotate', keyId, showKey(before), showKey(after));
    const facts = { key_id: keyId, by: byWhom(actor, before.partner_id) };
    await insertNotices(db, [newNotice(before.partner_id, 'key_rotated', facts, now)]);
    return showSecret(after, apiKey);
  });
}

/**
 * A promised overlap lasts to its end, even if the key is rotated again in the meantime. If there are too
 * many, the rotation is refused: it never cuts an overlap short.
 */
function previousKeysAfter(
  before: ApiKeyRow,
  { overlap_seconds = DEFAULT_OVERLAP_SECONDS, end_overlaps = false }: Rotation,
  now: number,
): PreviousKey[] {
  const inForce = previousKeysOf(before).filter(({ untilMs }) => untilMs > now);
  const kept = end_overlaps ? [] : inForce;
  if (overlap_seconds === 0) return kept;
  const replaced = {
    digest: before.digest,
    sealed: before.sealed_key,
    untilMs: now + overlap_seconds * 1_000,
  };
  if (kept.length >= MOST_PREVIOUS_KEYS) throw new Problem('too_many_overlaps');
  return [replaced, ...kept];
}
