/** The operations of the portal, by tag. */
import { CallCodes } from '../resources/calls/calls.ts';
import { OwnCase } from '../resources/cases/case.ts';
import { pageOfSchema, pageQuery, query, wholeListOf } from '../resources/forms.ts';
import { Limit } from '../resources/grants/usage.ts';
import { ApiKeyInForce } from '../resources/keys/api-keys.ts';
import { KeyWithSecret } from '../resources/keys/key.ts';
import { Rotation } from '../resources/keys/rotate-key.ts';
import { NewLimitRequest, OwnLimitRequest } from '../resources/limit-requests/limit-request.ts';
import {
  ReceiverCertification,
  ReceiverToCertify,
} from '../resources/midoffices/certify-receiver.ts';
import { Recovered } from '../resources/midoffices/recover-midoffice.ts';
import {
  ABOUT_REHEARSALS,
  NewRehearsal,
  RehearsalReport,
} from '../resources/midoffices/rehearse.ts';
import { SentPending } from '../resources/midoffices/send-pending.ts';
import { Contacts, ContactToConfirm, NewContacts } from '../resources/notices/contacts.ts';
import { OwnNotice } from '../resources/notices/notices.ts';
import { PartnerActivity } from '../resources/portal/activity.ts';
import { EXAMPLE_OWN_ID } from '../resources/portal/delivery-ids.ts';
import {
  historyQuery,
  LimitTrial,
  limitTrialQuery,
  UsageHistory,
} from '../resources/usage-history/history.ts';
import { route } from './guard.ts';
import { Home } from './home.ts';
import { Me } from './me.ts';
import { OwnAttempt, OwnDelivery, OwnListedDelivery } from './own-attempts.ts';
import { OwnDeliveryCount, ownDeliveryCountQuery, ownDeliveryQuery } from './own-deliveries.ts';
import { OwnKey, OwnKeyChanges } from './own-keys.ts';
import {
  OwnMidoffice,
  OwnRecovery,
  ownSendPendingQuery,
  ReceiverChanges,
} from './own-midoffice.ts';
import { OwnRefusal, ownRefusalsQuery, refusalCodesQuery } from './own-refusals.ts';

const paced = ['too_many_portal_calls'] as const;

const session = [
  route(
    'getMe',
    'GET me',
    'Show who is signed in: the partner, what the session may do, and until when',
    { may: 'read', reply: Me },
    ({ view }) => view.me(),
  ),
  route(
    'getHome',
    'GET home',
    'Show how things are: your receiver, what could not be delivered, how much of your limits is used, and what was refused',
    {
      may: 'read',
      reply: Home,
      more: 'What the first page shows. Other calls return each part in full, and for other spans of time.',
    },
    ({ view }) => view.home(),
  ),
];

const KEY = 'keys/:key_id';
const noKey = ['key_not_found'] as const;

const keys = [
  route(
    'listKeys',
    'GET keys',
    'List your keys, newest first',
    { may: 'read', query: query(pageQuery), reply: pageOfSchema(OwnKey) },
    ({ view, query }) => view.keys.list(query),
  ),
  route(
    'getKey',
    `GET ${KEY}`,
    'Show a key',
    { may: 'read', reply: OwnKey, problems: noKey },
    ({ view, params }) => view.keys.get(params.key_id),
  ),
  route(
    'listApiKeys',
    `GET ${KEY}/api-keys`,
    'List the API keys that a key works with now, and which of them are used',
    { may: 'read', reply: wholeListOf(ApiKeyInForce), problems: noKey },
    async ({ view, params }) => ({
      items: await view.keys.apiKeys(params.key_id),
      next_cursor: null,
    }),
  ),
  route(
    'getLimits',
    `GET ${KEY}/limits`,
    'Show what a key may call, how often, and how much of it is used',
    {
      may: 'read',
      reply: wholeListOf(Limit),
      problems: noKey,
      more: 'The numbers that are enforced. Reading them does not count as a call.',
    },
    async ({ view, params }) => ({
      items: await view.keys.limits(params.key_id),
      next_cursor: null,
    }),
  ),
  route(
    'getKeyHistory',
    `GET ${KEY}/history`,
    'Show how a key was used, by hour or by day',
    { may: 'read', query: historyQuery, reply: UsageHistory, problems: noKey },
    async ({ view, params, query }) => ({ items: await view.keys.history(params.key_id, query) }),
  ),
  route(
    'tryLimit',
    `GET ${KEY}/limit-trial`,
    'Tell how many calls of the last 7 days another limit would have refused',
    {
      may: 'read',
      query: limitTrialQuery,
      reply: LimitTrial,
      problems: noKey,
      more: 'A range, because calls are counted by the hour. Changes nothing.',
    },
    ({ view, params, query }) => view.keys.tryLimit(params.key_id, query),
  ),
  route(
    'listLimitRequests',
    'GET limit-requests',
    'List the limits that you asked for, newest first, with the answers',
    { may: 'read', query: query(pageQuery), reply: pageOfSchema(OwnLimitRequest) },
    ({ view, query }) => view.limitRequests.list(query),
  ),
  route(
    'askForLimit',
    'POST limit-requests',
    'Ask API support for another limit',
    {
      may: 'keys',
      body: NewLimitRequest,
      reply: OwnLimitRequest,
      status: 201,
      problems: [...noKey, ...paced, 'key_revoked', 'limit_request_open'],
      more: 'The answer comes as a notice. One request can be open for a key and endpoint.',
    },
    ({ view, body }) => view.limitRequests.ask(body),
  ),
  route(
    'rotateKey',
    `POST ${KEY}/rotation`,
    'Replace the API key of a key; the new one is shown only this once',
    {
      may: 'keys',
      body: Rotation,
      reply: KeyWithSecret,
      problems: [...noKey, ...paced, 'key_revoked', 'too_many_overlaps'],
    },
    ({ view, params, body }) => view.keys.rotate(params.key_id, body),
  ),
  route(
    'updateKey',
    `PATCH ${KEY}`,
    "Change a key's label or allow-list",
    {
      may: 'keys',
      body: OwnKeyChanges,
      reply: OwnKey,
      problems: [...noKey, ...paced, 'key_revoked', 'own_address_excluded'],
    },
    ({ view, params, body }) => view.keys.change(params.key_id, body),
  ),
  route(
    'listRefusals',
    'GET refusals',
    'List calls that were refused or failed, newest first, and what to do about them',
    {
      may: 'read',
      query: ownRefusalsQuery,
      reply: pageOfSchema(OwnRefusal),
      problems: noKey,
      more: 'In a flood, one line stands for many calls: `sampled_from` says for how many.',
    },
    ({ view, query }) => view.refusals.list(query),
  ),
  route(
    'countRefusals',
    'GET refusals/codes',
    'Count the calls that were refused or failed by the reply that they got',
    { may: 'read', query: refusalCodesQuery, reply: CallCodes, problems: noKey },
    ({ view, query }) => view.refusals.codes(query),
  ),
];

const none = ['midoffice_not_found'] as const;
const sending = [...none, ...paced, 'midoffice_not_own'] as const;

const midoffice = [
  route(
    'getMidoffice',
    'GET midoffice',
    'Show where your webhooks go, and how the receiver does',
    { may: 'read', reply: OwnMidoffice, problems: none },
    ({ view }) => view.midoffice.get(),
  ),
  route(
    'updateMidoffice',
    'PATCH midoffice',
    'Change where and how your webhooks are sent',
    {
      may: 'receiver',
      body: ReceiverChanges,
      reply: OwnMidoffice,
      problems: [...sending, 'receiver_refused', 'receiver_test_failed', 'changed_meanwhile'],
      more: 'A new URL takes effect only when a signed test webhook to it was answered with 2xx; until then the old one stays. Deliveries that are pending then go to the new one.',
    },
    ({ view, body }) => view.midoffice.change(body),
  ),
  route(
    'sendTestEvent',
    'POST midoffice/test-event',
    'Send a signed test event to your receiver now',
    { may: 'redeliver', reply: OwnAttempt, problems: sending },
    ({ view }) => view.midoffice.sendTestEvent(),
  ),
  route(
    'checkReceiver',
    'POST midoffice/receiver-check',
    'Certify your receiver: send it about 40 requests, valid and invalid, and report',
    {
      may: 'receiver',
      body: ReceiverToCertify,
      reply: ReceiverCertification,
      problems: sending,
    },
    ({ view, body }) => view.midoffice.check(body),
  ),
  route(
    'rehearse',
    'POST midoffice/rehearsals',
    'Send earlier webhooks of your orders to a receiver as a rehearsal, and report',
    {
      may: 'receiver',
      body: NewRehearsal,
      reply: RehearsalReport,
      problems: [...sending, 'delivery_not_found', 'receiver_refused'],
      more: ABOUT_REHEARSALS,
    },
    ({ view, body }) => view.midoffice.rehearse(body),
  ),
  route(
    'recoverDeliveries',
    'POST midoffice/recovery',
    'Send again what was given up in a span of time; with `dry_run`, only count it',
    {
      may: 'redeliver',
      body: OwnRecovery,
      reply: Recovered,
      problems: [...sending, 'count_changed'],
      more: 'Exhausted, cancelled and unrouted deliveries of your orders.',
    },
    ({ view, body }) => view.midoffice.recover(body),
  ),
  route(
    'sendPending',
    'POST midoffice/send-pending',
    'Make every webhook of your orders that waits due now',
    { may: 'redeliver', query: ownSendPendingQuery, reply: SentPending, problems: sending },
    ({ view, query }) => view.midoffice.sendPending(query),
  ),
];

const deliveries = [
  route(
    'listDeliveries',
    'GET deliveries',
    'Find the webhooks of your orders, newest first',
    {
      may: 'read',
      query: ownDeliveryQuery,
      reply: pageOfSchema(OwnListedDelivery, EXAMPLE_OWN_ID),
    },
    ({ view, query }) => view.deliveries.list(query),
  ),
  route(
    'countDeliveries',
    'GET deliveries/count',
    'Count the webhooks of your orders that a filter finds',
    { may: 'read', query: ownDeliveryCountQuery, reply: OwnDeliveryCount },
    ({ view, query }) => view.deliveries.count(query),
  ),
  route(
    'getDelivery',
    'GET deliveries/:id',
    'Show a delivery with its attempts',
    { may: 'read', reply: OwnDelivery, problems: ['delivery_not_found'] },
    ({ view, params }) => view.deliveries.get(params.id),
  ),
  route(
    'retryDelivery',
    'POST deliveries/:id/retry',
    'Attempt a delivery now; sends a settled one again',
    {
      may: 'redeliver',
      reply: OwnListedDelivery,
      problems: [...paced, 'delivery_not_found', 'no_midoffice', 'midoffice_not_own'],
    },
    ({ view, params }) => view.deliveries.retry(params.id),
  ),
  route(
    'getCase',
    'GET cases/:id',
    'Show everything that happened to an order of yours, or around a refused call, in order of time',
    {
      may: 'read',
      reply: OwnCase,
      problems: ['case_not_found'],
      more: 'The id is that of an order, an event or a webhook, or the `X-Request-Id` of a call of your keys that was refused or failed; in any case of letters.',
    },
    ({ view, params }) => view.cases(params.id),
  ),
];

const contacts = [
  route(
    'getContacts',
    'GET contacts',
    'Show who gets notices by mail',
    { may: 'read', reply: Contacts },
    ({ view }) => view.contacts.get(),
  ),
  route(
    'putContacts',
    'PUT contacts',
    'Replace the list of who gets notices by mail',
    {
      may: 'contacts',
      body: NewContacts,
      reply: Contacts,
      problems: [...paced, 'too_many_confirmations'],
      more: 'A new address gets a mail with a link, and nothing else until somebody has used it.',
    },
    ({ view, body }) => view.contacts.put(body),
  ),
  route(
    'confirmContactAgain',
    'POST contacts/confirmation',
    'Send the mail that confirms an address once more',
    {
      may: 'contacts',
      body: ContactToConfirm,
      reply: Contacts,
      problems: [...paced, 'contact_not_found', 'too_many_confirmations'],
    },
    ({ view, body }) => view.contacts.confirmAgain(body),
  ),
  route(
    'listNotices',
    'GET notices',
    'List what you were told, newest first',
    {
      may: 'read',
      query: query(pageQuery),
      reply: pageOfSchema(OwnNotice),
      more: 'Notices are kept for 90 days, also where no mail is sent.',
    },
    ({ view, query }) => view.contacts.notices(query),
  ),
];

const activity = [
  route(
    'listActivity',
    'GET activity',
    'List what was done to your keys and your midoffice, and by your people here, newest first',
    { may: 'read', query: query(pageQuery), reply: pageOfSchema(PartnerActivity) },
    ({ view, query }) => view.activity(query),
  ),
];

export const portalRoutes = { session, keys, midoffice, deliveries, contacts, activity };
