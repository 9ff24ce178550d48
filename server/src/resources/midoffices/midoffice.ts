/** A midoffice: its fields, what callers send and are shown of it, and how to find one. */

import { LONGEST_URL } from '@bellhop/partner/receiver-check';
import type { Static } from 'typebox';
import { midofficesWithExhausted } from '../../store/queue/backlog.ts';
import type { Midoffice as QueuedFor } from '../../store/queue/verbs.ts';
import type { MidofficeRow } from '../../store/schema.ts';
import {
  flag,
  hiddenOrNull,
  imported,
  initially,
  moment,
  narrowing,
  number,
  orNull,
  ownId,
  reference,
  textOf,
  word,
} from '../columns.ts';
import { BodyForm } from '../deliveries/attempts.ts';
import { MOST_EXHAUSTED, MOST_PENDING } from '../deliveries/backlog.ts';
import type { SupportEnvironment } from '../environment.ts';
import { story } from '../examples.ts';
import * as forms from '../forms.ts';
import { Problem } from '../problem.ts';
import { givenOf, optionalOf, record, show, shownOf } from '../record.ts';
import { recordList } from '../record-list.ts';
import { Type } from '../type.ts';
import { certificateField } from './client-certificate.ts';
import { headersField } from './headers.ts';
import { type Health, midofficeHealths } from './health.ts';
import { midoffices } from './queries.ts';

const receiverUrl = Type.String({
  minLength: 1,
  maxLength: LONGEST_URL,
  format: 'uri',
  description: 'Where webhooks are POSTed.',
});

const DeliveryOrder = forms.words(['any', 'per_order'], {
  title: 'DeliveryOrder',
  description:
    '`per_order`: the events of one order go out one after another, in the order in which they were accepted.',
});

const PACES = {
  minimum: 1,
  maximum: 10_000,
  description:
    'How many attempts may begin in any second, 1 to 10,000; null: as many as `max_in_flight` allows.',
};

/** As health.ts judges it. Somebody sends each test event, so those that failed are few. */
const FAILING = [
  'failing_since is not null',
  `failing_since is null and id in (
     select midoffice_id from test_event where outcome = 'failed' and not exists (
       select 1 from last_attempt where last_attempt.midoffice_id = test_event.midoffice_id))`,
] as const;

export const midoffice = record<MidofficeRow>()('midoffice', 'id', {
  id: narrowing({ with_exhausted: { readIds: midofficesWithExhausted } }, ownId(story.midofficeId)),
  name: imported(textOf(forms.name(1, 200), story.midoffice)),
  url: imported(textOf(receiverUrl, story.url)),
  signing_key_id: reference('key', textOf(forms.idOf('the key whose API key signs'), story.keyId)),
  body_form: imported(word(BodyForm, 'data')),
  delivery_order: imported(word(DeliveryOrder, 'any')),
  max_in_flight: imported(initially(number({ minimum: 1, maximum: 256 }), 16)),
  max_per_second: imported(orNull(number(PACES))),
  headers: imported(headersField),
  client_certificate: imported(certificateField),
  paused: narrowing({ paused: 'paused = 1' }, imported(flag())),
  failing_since: narrowing({ failing: FAILING }, orNull(moment())),
  alerted_at: hiddenOrNull('bigint'),
  worked_key: hiddenOrNull('text'),
  alert_claimed_at: hiddenOrNull('bigint'),
  created_at: moment(),
});

const { created_at, ...shown } = shownOf(midoffice);

export const Midoffice = forms.reply('Midoffice', {
  ...shown,
  health: forms.words(midofficeHealths, {
    title: 'MidofficeHealth',
    description:
      'Whether its receiver answers. `untested`: neither a webhook nor a test event was ever sent to it.',
  }),
  pending: Type.Integer({
    description: `Deliveries that are neither delivered nor given up, counted up to ${MOST_PENDING.toLocaleString('en')}.`,
  }),
  exhausted: Type.Integer({
    description: `Exhausted deliveries that nobody has recovered or acknowledged, counted up to ${MOST_EXHAUSTED.ofMidoffice.toLocaleString('en')}.`,
  }),
  created_at,
  warnings: forms.Warnings,
});
export type Midoffice = Static<typeof Midoffice>;

const CHOICES = [
  'body_form',
  'delivery_order',
  'max_in_flight',
  'max_per_second',
  'headers',
  'client_certificate',
] as const;

export const NewMidoffice = forms.input('NewMidoffice', {
  ...givenOf(midoffice, ['name', 'url', 'signing_key_id']),
  ...optionalOf(midoffice, CHOICES),
});
export type NewMidoffice = Static<typeof NewMidoffice>;

export const MidofficeChanges = forms.input(
  'MidofficeChanges',
  optionalOf(midoffice, ['name', 'url', 'signing_key_id', ...CHOICES, 'paused']),
  { minProperties: 1 },
);
export type MidofficeChanges = Static<typeof MidofficeChanges>;

export function showMidoffice(row: MidofficeRow): Omit<Midoffice, keyof Health> {
  return show(midoffice, row);
}

export const findMidoffice = midoffices.find;

export const midofficeList = recordList('midoffices', midoffice, {
  failing: 'its receiver does not answer, or not as it should',
  paused: 'nothing is sent until somebody resumes it',
  with_exhausted: 'has exhausted deliveries that nobody has recovered or acknowledged',
});

/** The midoffice as the queue sees it. */
export function queuedFor(row: Pick<MidofficeRow, 'id' | 'delivery_order'>): QueuedFor {
  return { id: row.id, ordered: row.delivery_order === 'per_order' };
}

/** Throws a field error if the receiver guard refuses the URL. */
export async function checkedUrl({ webhooks }: SupportEnvironment, url: string): Promise<string> {
  const checked = await webhooks.checkUrl(url);
  if (checked.ok) return checked.url;
  throw new Problem('receiver_refused', checked.detail, [
    { field: '/url', detail: checked.detail },
  ]);
}
