/** The keys that were refused most because of their limits. */
import type { Static } from 'typebox';
import { isTooSlow } from '../../base/database-errors.ts';
import { startOfStep } from '../../gateway/usage-history/counts.ts';
import { mostRefusedKeys } from '../../store/usage-history.ts';
import type { SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { orNull, reply } from '../forms.ts';
import { readNamedKeys } from '../keys/queries.ts';
import { Type } from '../type.ts';
import { type StatsSpan, startOfSpan } from './chart.ts';

const MOST_SHOWN = 20;

const LimitedKey = reply('LimitedKey', {
  key_id: like(story.keyId),
  label: orNull(like(story.key)),
  partner_name: like(story.partner),
  refused: Type.Integer({
    description:
      'In this span, by all nodes, from the usage history: from the whole hour in which the span began, of a week from the whole day. It lags by some seconds.',
  }),
});

export const LimitedKeys = orNull(
  Type.Array(LimitedKey, {
    description: `Those that were refused most, at most ${MOST_SHOWN}. Null if reading them took too long.`,
  }),
);
type LimitedKeys = Static<typeof LimitedKeys>;

/**
 * By all nodes, in whole steps of the usage history: of a week, in days, of which there are fewer rows. An index of refused
 * calls would make each of their counts a costly write, so a long history may take too long to read.
 */
export async function readLimitedKeys(
  { store: { db }, clock }: SupportEnvironment,
  span: StatsSpan,
): Promise<LimitedKeys> {
  const step = span === 'week' ? 'day' : 'hour';
  const sinceMs = startOfStep(startOfSpan(span, clock.now()), step);
  try {
    const refused = await mostRefusedKeys(db, { step, sinceMs, limit: MOST_SHOWN });
    const keyIds = refused.map(({ key_id }) => key_id);
    const named = new Map((await readNamedKeys(db, keyIds)).map((row) => [row.key_id, row]));
    return refused.flatMap(({ key_id, refused }) => {
      const row = named.get(key_id);
      return row ? [{ key_id, label: row.label, partner_name: row.partner_name, refused }] : [];
    });
  } catch (error) {
    if (!isTooSlow(error)) throw error;
    return null;
  }
}
