/** Refused and failed calls: "I get 429", "401 since yesterday", "what is request id …?" */
import type { Static } from 'typebox';
import { failures, type RecordedCall } from '../../gateway/recorded-calls/recorded-call.ts';
import { type RefusalKind, refusals } from '../../gateway/refusal.ts';
import { type CallFilter, countByCode, readCalls } from '../../store/recorded-calls.ts';
import type { Database } from '../../store/schema.ts';
import { MOST_COUNTED } from '../count-queries.ts';
import { like, story } from '../examples.ts';
import {
  Environment,
  filter,
  givenTime,
  orNull,
  pageQuery,
  query,
  reply,
  time,
  words,
} from '../forms.ts';
import { endpoint, readEndpoint } from '../grants/grant.ts';
import { findKey } from '../keys/key.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { invalidField, readTime } from '../problem.ts';
import type { SupportContext } from '../route.ts';
import { Type } from '../type.ts';
import { type Judgement, type Judging, judgeCalls } from './judge-calls.ts';
import { type VerdictCode, verdicts } from './verdicts.ts';

type Explanation = Pick<RefusalKind, 'code' | 'meaning' | 'advice'>;

const kinds: readonly RefusalKind[] = Object.values(refusals);
const explanations: readonly Explanation[] = [...kinds, ...Object.values(failures)];

const callCodes: readonly string[] = [...new Set(explanations.map(({ code }) => code))];

const CallLimit = reply('CallLimit', {
  requests_number: like(story.requests, Type.Integer()),
  seconds_number: like(story.seconds, Type.Integer()),
  remaining: Type.Integer({ description: 'Calls that were left when this one was answered.' }),
  resets_at: time,
});

const VerdictFacts = reply('VerdictFacts', {
  api_key: Type.Optional(
    like('5f0c2b9a71de', 'The fingerprint of the API key that came with the call.'),
  ),
  replaced_at: Type.Optional(time),
  replaced_by: Type.Optional(like(story.person)),
  overlap_ended_at: Type.Optional(time),
  since: Type.Optional(time),
  by: Type.Optional(like(story.person, 'For partners: `API support` or `your side`.')),
  given_key_id: Type.Optional(like(story.keyId, 'The key id that came with the call.')),
  environment: Type.Optional(Environment),
  address: Type.Optional(like(story.caller)),
  addresses_allowed: Type.Optional(
    Type.Integer({ description: 'How many addresses and networks the allow-list has now.' }),
  ),
  is_over: Type.Optional(Type.Boolean({ description: 'It is different now.' })),
  share_of_other_addresses: Type.Optional(
    like(
      0.4,
      Type.Number({
        description:
          'Of the calls of this key to this endpoint that the limit refused in the same hour.',
      }),
    ),
  ),
});

const Verdict = reply(
  'Verdict',
  {
    code: words(Object.keys(verdicts) as VerdictCode[], { title: 'VerdictCode' }),
    sentence: Type.String(),
    facts: VerdictFacts,
  },
  { description: 'What Bellhop knows of the call beyond its code.' },
);

export const Call = reply('Call', {
  at: Type.String({ format: 'date-time', description: 'When the call ended.' }),
  request_id: Type.String({ description: 'The `X-Request-Id` that the caller got.' }),
  key_id: orNull(
    like(
      story.keyId,
      'The key whose id was given, even if the API key was wrong; null if there is no such key.',
    ),
  ),
  partner_id: orNull(like(story.partnerId)),
  endpoint: orNull(like(story.endpoint, 'Null if the path is not an endpoint.')),
  path: orNull(
    Type.String({ description: 'The first 200 characters of a path that is not an endpoint.' }),
  ),
  method: orNull(Type.String({ description: 'Null if the request was not valid HTTP.' })),
  code: Type.String({
    description:
      'A code of the partner API, or `upstream_error`, `upstream_broke_off` or `caller_gone`.',
  }),
  status: Type.Integer({ description: 'The status of the reply; 499 if none was sent.' }),
  meaning: Type.String(),
  advice: Type.String({ description: 'What the partner should do.' }),
  limit: orNull(CallLimit),
  address: like(story.caller, 'Where the call came from.'),
  upstream_status: orNull(
    Type.Integer({
      description: 'What the booking core answered; null if it was not asked, or did not answer.',
    }),
  ),
  upstream_ms: orNull(
    Type.Number({ description: 'How long the booking core took to begin its reply.' }),
  ),
  duration_ms: like(184, Type.Number()),
  sampled_from: Type.Integer({
    minimum: 1,
    description: 'How many calls of the same kind this one stands for, itself included.',
  }),
  verdict: Verdict,
});

export type Call = Static<typeof Call>;

const filters = {
  request_id: filter('The `X-Request-Id` of the call.'),
  code: Type.Optional(words(callCodes, { title: 'CallCode' })),
  endpoint: Type.Optional(endpoint),
  address: filter('The address that the call came from.'),
  since: Type.Optional(givenTime()),
  until: Type.Optional(givenTime()),
};

export const keyCallsQuery = query({ ...pageQuery, ...filters });
export const callsQuery = query({ ...pageQuery, ...filters, partner_id: filter() });
const { code: _, ...countedFilters } = filters;
export const callCodesQuery = query({ ...countedFilters, partner_id: filter() });

type Asked = Static<typeof keyCallsQuery>;

/** Newest first. The calls of a revoked key can still be read. */
export async function listKeyCalls(
  support: ReadBySupport,
  keyId: string,
  asked: Asked,
): Promise<Page<Call>> {
  const filter = { ...filterOf(asked), keyId };
  await findKey(support.environment.store.db, keyId);
  return pageOfCalls(judgingFor(support), filter, asked);
}

export async function listCalls(
  support: ReadBySupport,
  asked: Static<typeof callsQuery>,
): Promise<Page<Call>> {
  const filter = { ...filterOf(asked), partnerId: asked.partner_id };
  return pageOfCalls(judgingFor(support), filter, asked);
}

export type ReadBySupport = Pick<SupportContext, 'environment' | 'environments'>;

export function judgingFor({ environment, environments }: ReadBySupport): Judging {
  const { store, name } = environment;
  const others = environments
    .filter((other) => other.name !== name)
    .map((other) => ({ name: other.name, db: other.store.db }));
  return { db: store.db, reader: 'support', others };
}

export async function pageOfCalls(
  judging: Judging,
  filter: CallFilter,
  request: PageRequest,
): Promise<Page<Call>> {
  const page = await pageOf(request, {
    read: (slice) => readCalls(judging.db, filter, slice),
    positionOf: ({ at, request_id }) => [at, request_id],
    show: (call) => call,
  });
  const judgements = await judgeCalls(page.items, judging);
  const items = page.items.map((call, n) => showCall(call, judgements[n] as Judgement));
  return { ...page, items };
}

export const CallCodes = reply('CallCodes', {
  items: Type.Array(
    reply('CallCodeCount', {
      ...Type.Pick(Call, ['code', 'status', 'meaning', 'advice']).properties,
      calls: Type.Integer({ description: 'How many calls got this reply.' }),
    }),
    { description: 'The most frequent first.' },
  ),
  is_exact: Type.Boolean({
    description: `False if there may be more: only the newest ${MOST_COUNTED.toLocaleString('en')} lines are counted.`,
  }),
});
export type CallCodes = Static<typeof CallCodes>;

export function countListedCalls(
  { environment }: Pick<ReadBySupport, 'environment'>,
  asked: Static<typeof callCodesQuery>,
): Promise<CallCodes> {
  return countCalls(environment.store.db, { ...filterOf(asked), partnerId: asked.partner_id });
}

/** By the reply that they got. */
export async function countCalls(db: Database, filter: CallFilter): Promise<CallCodes> {
  const counts = await countByCode(db, filter, MOST_COUNTED);
  const items = counts.map(({ code, status, calls }) => ({
    code,
    status,
    ...explain(code, status),
    calls,
  }));
  const lines = counts.reduce((sum, one) => sum + one.lines, 0);
  return { items, is_exact: lines < MOST_COUNTED };
}

/** Without whose calls they are. */
export function filterOf(asked: Asked): Omit<CallFilter, 'keyId' | 'partnerId'> {
  const { request_id: requestId, code, endpoint, address, since, until } = asked;
  const sinceMs = since === undefined ? undefined : readTime(since, 'since');
  const untilMs = until === undefined ? undefined : readTime(until, 'until');
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs > untilMs) {
    throw invalidField('since', 'must not be after until');
  }
  return {
    requestId: requestId?.toLowerCase(),
    code,
    endpoint: endpoint === undefined ? undefined : readEndpoint(endpoint, 'endpoint'),
    address,
    sinceMs,
    untilMs,
  };
}

function showCall(call: RecordedCall, { code: found, facts }: Judgement): Call {
  const { code, status } = call;
  const { meaning, advice } = explain(code, status);
  return {
    at: new Date(call.at).toISOString(),
    request_id: call.request_id,
    key_id: call.key_id || null,
    partner_id: call.partner_id || null,
    endpoint: call.endpoint,
    path: call.path,
    method: call.method,
    code,
    status,
    meaning,
    advice,
    limit: limitOf(call),
    address: call.address,
    upstream_status: call.upstream_status,
    upstream_ms: call.upstream_ms,
    duration_ms: call.duration_ms,
    sampled_from: call.sampled_from,
    verdict: { code: found, sentence: verdicts[found].sentence(facts) || meaning, facts },
  };
}

function limitOf(call: RecordedCall): Call['limit'] {
  const { requests_number, seconds_number, remaining, resets_at } = call;
  if (
    requests_number === null ||
    seconds_number === null ||
    remaining === null ||
    resets_at === null
  ) {
    return null;
  }
  return {
    requests_number,
    seconds_number,
    remaining,
    resets_at: new Date(resets_at).toISOString(),
  };
}

/** What to do about a call. Two codes have two meanings each, which their status tells apart. */
function explain(code: string, status: number): Pick<Explanation, 'meaning' | 'advice'> {
  const known =
    kinds.find((kind) => kind.code === code && kind.status === status) ??
    explanations.find((one) => one.code === code);
  // A later release may no longer know a code.
  return { meaning: known?.meaning ?? '', advice: known?.advice ?? '' };
}
