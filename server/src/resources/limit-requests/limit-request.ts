/** What partners ask for in the portal: another limit. Support answers; granting changes the limit with the answer. */
import type { Static } from 'typebox';
import { newId } from '../../base/ids.ts';
import { newNotice } from '../../notices/kinds.ts';
import { insertNotices } from '../../store/notices.ts';
import type { LimitRequestRow } from '../../store/schema.ts';
import { isoOrNull, type SupportEnvironment } from '../environment.ts';
import { exampleId, like, story } from '../examples.ts';
import { anyText, filter, input, orNull, pageQuery, query, reply, time, words } from '../forms.ts';
import { approvalReference, endpoint, Grant, readEndpoint } from '../grants/grant.ts';
import { changeGrant } from '../grants/grants.ts';
import { keyId, keyToChange } from '../keys/key.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { Problem } from '../problem.ts';
import { Type } from '../type.ts';
import {
  findLimitRequestToAnswer,
  hasOpenLimitRequest,
  insertLimitRequest,
  newestLimitRequests,
  patchLimitRequest,
} from './queries.ts';

const LONGEST_TEXT = 2_000;
export const limitRequestStates = ['open', 'granted', 'refused'] as const;

const { requests_number, seconds_number } = Grant.properties;

export const NewLimitRequest = input('NewLimitRequest', {
  key_id: keyId('One of your keys.'),
  endpoint,
  requests_number,
  seconds_number,
  reason: like('We start in two more countries in March.', anyText(1, LONGEST_TEXT)),
});

const id = like(exampleId('lrq', 'd9'));
const own = {
  id,
  at: time,
  key_id: like(story.keyId),
  endpoint: like(story.endpoint),
  requests_number,
  seconds_number,
  reason: like('We start in two more countries in March.'),
  state: words(limitRequestStates, { title: 'LimitRequestState' }),
  text: orNull(like('Granted for the launch.', "API support's answer.")),
  answered_at: orNull(time),
};

/** As its partner sees it. */
export const OwnLimitRequest = reply('OwnLimitRequest', own);
export const LimitRequest = reply('LimitRequest', {
  ...own,
  partner_id: like(story.partnerId),
  asked_by: like(story.partner, 'As the audit has the actor.'),
  answered_by: orNull(like(story.actor)),
  approval_reference: orNull(like('TICKET-2931')),
});
export type LimitRequest = Static<typeof LimitRequest>;

export const limitRequestQuery = query({
  ...pageQuery,
  state: Type.Optional(words(limitRequestStates)),
  partner_id: filter(),
});

export const LimitAnswer = input('LimitAnswer', {
  granted: Type.Boolean(),
  approval_reference: Type.Optional(approvalReference),
  text: Type.Optional(
    like('Granted for the launch.', anyText(1, LONGEST_TEXT, 'What the partner reads.')),
  ),
});

/** The key must be the partner's. One request is open for a key and endpoint at a time. */
export async function askForLimit(
  { store }: SupportEnvironment,
  actor: string,
  partnerId: string,
  asked: Static<typeof NewLimitRequest>,
): Promise<LimitRequest> {
  const endpoint = readEndpoint(asked.endpoint, '/endpoint');
  return store.change(actor, async ({ db, now, audit }) => {
    const key = await keyToChange(db, asked.key_id);
    if (key.partner_id !== partnerId) throw new Problem('key_not_found');
    if (await hasOpenLimitRequest(db, key.key_id, endpoint))
      throw new Problem('limit_request_open');
    const row: LimitRequestRow = {
      ...asked,
      endpoint,
      id: newId('lrq', now),
      partner_id: partnerId,
      asked_by: actor,
      at: now,
      state: 'open',
      answered_at: null,
      answered_by: null,
      answer: null,
      approval_reference: null,
    };
    await insertLimitRequest(db, row);
    await audit('limit_request.create', key.key_id, null, { ...asked, endpoint });
    return showLimitRequest(row);
  });
}

/** Granting obeys the rules of a changed grant, in one transaction with the answer. */
export async function answerLimitRequest(
  { name, store }: SupportEnvironment,
  actor: string,
  requestId: string,
  { granted, text, approval_reference }: Static<typeof LimitAnswer>,
): Promise<LimitRequest> {
  return store.change(actor, async (change) => {
    const { db, now } = change;
    const row = await findLimitRequestToAnswer(db, requestId);
    if (row.state !== 'open') throw new Problem('limit_request_answered');
    if (granted) {
      const { key_id, endpoint, requests_number, seconds_number } = row;
      const fields = { endpoint, is_limited: true, requests_number, seconds_number };
      await changeGrant(change, name, key_id, { ...fields, approval_reference });
    }
    const answered = {
      state: granted ? ('granted' as const) : ('refused' as const),
      answered_at: now,
      answered_by: actor,
      answer: text ?? null,
      approval_reference: (granted && approval_reference) || null,
    };
    await patchLimitRequest(db, requestId, answered);
    await change.audit('limit_request.answer', row.key_id, null, {
      endpoint: row.endpoint,
      granted,
      ...(text !== undefined && { text }),
    });
    const facts = { request_id: row.id, key_id: row.key_id, endpoint: row.endpoint, granted };
    await insertNotices(db, [newNotice(row.partner_id, 'limit_answered', facts, now)]);
    return showLimitRequest({ ...row, ...answered });
  });
}

export async function listLimitRequests(
  { store }: SupportEnvironment,
  request: Static<typeof limitRequestQuery>,
): Promise<Page<LimitRequest>> {
  const { state, partner_id: partnerId } = request;
  return pageOf(request, {
    read: (slice) => newestLimitRequests(store.db, slice, { state, partnerId }),
    positionOf: ({ at, id }) => [at, id],
    show: showLimitRequest,
  });
}

export async function listOwnLimitRequests(
  environment: SupportEnvironment,
  partnerId: string,
  request: PageRequest,
): Promise<Page<Static<typeof OwnLimitRequest>>> {
  const page = await listLimitRequests(environment, { ...request, partner_id: partnerId });
  return { ...page, items: page.items.map(toOwn) };
}

/** Without the names of support. */
export function toOwn({
  partner_id,
  asked_by,
  answered_by,
  approval_reference,
  ...own
}: LimitRequest): Static<typeof OwnLimitRequest> {
  return own;
}

function showLimitRequest({ at, answered_at, answer, ...row }: LimitRequestRow): LimitRequest {
  return {
    ...row,
    at: new Date(at).toISOString(),
    text: answer,
    answered_at: isoOrNull(answered_at),
  };
}
