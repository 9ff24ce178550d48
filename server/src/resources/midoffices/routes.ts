import { AttemptWithRequest } from '../deliveries/attempts.ts';
import { story } from '../examples.ts';
import { Count, pageOfSchema, pageQueryWith, query } from '../forms.ts';
import { route } from '../route.ts';
import {
  certifyReceiver,
  ReceiverCertification,
  ReceiverCheck,
  ReceiverToCertify,
  ReceiverToCheck,
} from './certify-receiver.ts';
import { createMidoffice, updateMidoffice } from './change-midoffice.ts';
import { Midoffice, MidofficeChanges, midofficeList, NewMidoffice } from './midoffice.ts';
import { Recovered, Recovery, recoverMidoffice } from './recover-midoffice.ts';
import { ABOUT_REHEARSALS, NewRehearsal, RehearsalReport, rehearse } from './rehearse.ts';
import { SentPending, sendPending, sendPendingQuery } from './send-pending.ts';
import {
  countListedMidoffices,
  getMidoffice,
  listMidoffices,
  MidofficeWithState,
  midofficeFilter,
} from './show-midoffices.ts';
import { sendTestEvent } from './test-event.ts';

const ONE = 'midoffices/:id';
const problems = ['midoffice_not_found'] as const;
const midofficeQuery = query({
  ...pageQueryWith('cursor-of-records'),
  ...midofficeFilter,
  ...midofficeList.query,
});
const badFields = ['key_not_found', 'key_revoked', 'receiver_refused'] as const;

export const midofficeRoutes = [
  route(
    'createMidoffice',
    'POST midoffices',
    'Register a midoffice and its receiver',
    { may: 'change', body: NewMidoffice, reply: Midoffice, status: 201, problems: badFields },
    ({ environment, actor, body }) => createMidoffice(environment, actor, body),
  ),
  route(
    'listMidoffices',
    'GET midoffices',
    'List midoffices',
    {
      may: 'read',
      query: midofficeQuery,
      reply: pageOfSchema(Midoffice, `${story.atMs}-${story.midofficeId}`),
    },
    ({ environment, query }) => listMidoffices(environment, query),
  ),
  route(
    'countMidoffices',
    'GET midoffices/count',
    'Count midoffices',
    {
      may: 'read',
      query: query({ ...midofficeFilter, ...midofficeList.countQuery }),
      reply: Count,
    },
    ({ environment, query }) => countListedMidoffices(environment, query),
  ),
  route(
    'getMidoffice',
    `GET ${ONE}`,
    'Show a midoffice, with what waits for it, its last attempt and its last test event',
    { may: 'read', reply: MidofficeWithState, problems },
    ({ environment, params }) => getMidoffice(environment, params.id),
  ),
  route(
    'updateMidoffice',
    `PATCH ${ONE}`,
    'Change a midoffice; pause or resume it',
    {
      may: 'change',
      body: MidofficeChanges,
      reply: Midoffice,
      problems: [...problems, ...badFields],
    },
    ({ environment, actor, params, body }) => updateMidoffice(environment, actor, params.id, body),
  ),
  route(
    'sendTestEvent',
    `POST ${ONE}/test-event`,
    'Send a signed test event now',
    { may: 'change', reply: AttemptWithRequest, problems },
    ({ environment, actor, params }) => sendTestEvent(environment, actor, params.id),
  ),
  route(
    'sendPending',
    `POST ${ONE}/send-pending`,
    'Make everything that waits for a midoffice due now',
    {
      may: 'change',
      query: sendPendingQuery,
      reply: SentPending,
      problems,
      more: 'The attempts use no step of the schedule. At most `max_in_flight` of them are in flight at a time, and at most `max_per_second` begin in a second. While the midoffice is paused, they wait until it is resumed. An event that waits for an earlier event of its order follows that one, and is not counted. A large backlog is changed in batches, which share one audit entry.',
    },
    ({ environment, actor, params, query }) => sendPending(environment, actor, params.id, query),
  ),
  route(
    'recoverMidoffice',
    `POST ${ONE}/recovery`,
    'Requeue exhausted, cancelled and unrouted deliveries of a time span',
    { may: 'change', body: Recovery, reply: Recovered, problems },
    ({ environment, actor, params, body }) => recoverMidoffice(environment, actor, params.id, body),
  ),
  route(
    'checkReceiver',
    'POST receiver-check',
    'Check whether a URL can be registered as a receiver; changes nothing',
    // Not for viewers: it reveals what names resolve to inside the network.
    { may: 'change', body: ReceiverToCheck, reply: ReceiverCheck },
    ({ environment, body }) => environment.webhooks.checkUrl(body.url),
  ),
  route(
    'certifyReceiver',
    `POST ${ONE}/certify-receiver`,
    'Check a receiver: send it about 40 requests, valid and invalid, and report',
    { may: 'change', body: ReceiverToCertify, reply: ReceiverCertification, problems },
    ({ environment, actor, params, body }) => certifyReceiver(environment, actor, params.id, body),
  ),
  route(
    'rehearse',
    `POST ${ONE}/rehearsals`,
    'Send earlier webhooks of a midoffice to a receiver as a rehearsal, and report',
    {
      may: 'change',
      body: NewRehearsal,
      reply: RehearsalReport,
      problems: [...problems, 'delivery_not_found', 'receiver_refused'],
      more: ABOUT_REHEARSALS,
    },
    ({ environment, actor, params, body }) => rehearse(environment, actor, params.id, body),
  ),
];
