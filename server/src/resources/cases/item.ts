/** What happened once: an item of a case. */
import type { Static } from 'typebox';
import { givenUpStates } from '../../delivery/states.ts';
import { like, story } from '../examples.ts';
import { orNull, reply, time, words } from '../forms.ts';
import { Type } from '../type.ts';

const caseKinds = [
  'accepted',
  'routed',
  'unrouted',
  'attempt',
  'delivered',
  ...givenUpStates,
  'action',
  'change',
  'note',
  'refused',
  'notice',
] as const;

export const CaseItem = reply('CaseItem', {
  at: time,
  kind: words(caseKinds, {
    title: 'CaseKind',
    description:
      '`action`: what somebody did to deliveries. `change`: of the partner, a key or the midoffice. `refused`: a call that was refused or failed.',
  }),
  sentence: like('Attempt 1 failed: The receiver answered 503.'),
  subject: orNull(
    like(story.deliveryId, 'The id of what it is about: a delivery, key, midoffice or partner.'),
  ),
  by: orNull(like(story.person, 'Who did it; for partners `API support` or `your side`.')),
  request_id: orNull(like(story.requestId, 'Of a call.')),
  attempt: orNull(like(1, Type.Integer())),
  url: orNull(like(story.url, 'Where the attempt was sent to.')),
  status_code: orNull(
    like(503, Type.Integer({ description: 'What the receiver answered, or the call got.' })),
  ),
  answer: orNull(like('OK', 'The first 200 characters of what the receiver answered.')),
});

/** As it is found, before it is put in order. */
export type Item = Pick<Static<typeof CaseItem>, 'kind' | 'sentence'> &
  Partial<Static<typeof CaseItem>> & { atMs: number };

export interface Items {
  items: Item[];
  /** False if something was left out. */
  isComplete: boolean;
}

export interface Span {
  sinceMs: number;
  untilMs: number;
}
