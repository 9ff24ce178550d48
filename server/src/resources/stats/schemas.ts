import Type from 'typebox';
import { AuditEntry } from '../audit/schemas.ts';
import { orNull, reply, time, words } from '../forms.ts';
import { MOST_UNROUTED, statsSpans } from './stats.ts';

export const StatsSpan = words(statsSpans, {
  title: 'StatsSpan',
  description: 'How far the buckets and the refused calls reach back; an hour if not given.',
});

export const Stats = reply('Stats', {
  span: StatsSpan,
  from: time,
  to: time,
  step_seconds: Type.Integer(),
  buckets: Type.Array(
    reply('StatsBucket', {
      at: time,
      delivered: Type.Integer(),
      failed_attempts: Type.Integer(),
      exhausted: Type.Integer(),
    }),
  ),
  pending: Type.Integer(),
  oldest_pending_at: orNull(time),
  in_flight: Type.Integer(),
  success_rate: orNull(
    Type.Number({ description: 'Share of the attempts in this span that delivered, 0 to 1.' }),
  ),
  failing_count: Type.Integer({ description: 'How many midoffices are failing, shown or not.' }),
  failing_midoffices: Type.Array(
    reply('FailingMidoffice', {
      id: Type.String(),
      name: Type.String(),
      failing_since: time,
      pending: Type.Integer(),
      last_error: orNull(Type.String()),
    }),
    { description: 'Those with the most pending deliveries, at most 20.' },
  ),
  paused_midoffices: Type.Array(
    reply('PausedMidoffice', {
      id: Type.String(),
      name: Type.String(),
      pending: Type.Integer(),
    }),
    { description: 'Those with the most pending deliveries, at most 20.' },
  ),
  unrouted: Type.Integer({
    description: `Events that no midoffice was known for, counted up to ${MOST_UNROUTED}.`,
  }),
  limited_keys: Type.Array(
    reply('LimitedKey', {
      key_id: Type.String(),
      label: orNull(Type.String()),
      partner_name: Type.String(),
      refused: Type.Integer({ description: 'In this span, by this process since it started.' }),
    }),
  ),
  recent_changes: Type.Array(AuditEntry),
});
