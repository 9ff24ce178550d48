import { createMidoffice } from '../../support/midoffices/create-midoffice.ts';
import { getMidoffice } from '../../support/midoffices/get-midoffice.ts';
import { listMidoffices } from '../../support/midoffices/list-midoffices.ts';
import { recoverMidoffice } from '../../support/midoffices/recover-midoffice.ts';
import { sendPending } from '../../support/midoffices/send-pending.ts';
import { sendTestEvent } from '../../support/midoffices/test-event.ts';
import { updateMidoffice } from '../../support/midoffices/update-midoffice.ts';
import type { App, RouteParts } from '../app.ts';
import { AttemptWithRequest } from '../schemas/attempts.ts';
import { filter, inEnvironment, pageOfSchema, pageQuery, query } from '../schemas/forms.ts';
import {
  Midoffice,
  MidofficeChanges,
  MidofficeWithState,
  NewMidoffice,
  oneMidoffice,
  Recovered,
  Recovery,
  SentPending,
} from '../schemas/midoffices.ts';
import { actorOf } from '../sign-in.ts';

export function midofficeRoutes(app: App, { signIn, environmentOf }: RouteParts): void {
  const base = '/support/v1/:environment/midoffices';

  app.post(
    base,
    {
      onRequest: signIn.changes,
      config: { problems: ['key_not_found', 'key_revoked', 'receiver_refused'] },
      schema: {
        tags: ['midoffices'],
        operationId: 'createMidoffice',
        summary: 'Register a midoffice and its receiver',
        params: inEnvironment,
        body: NewMidoffice,
        response: { 201: Midoffice },
      },
    },
    async (request, reply) =>
      reply
        .code(201)
        .send(await createMidoffice(environmentOf(request), actorOf(request), request.body)),
  );

  app.get(
    base,
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['midoffices'],
        operationId: 'listMidoffices',
        summary: 'List midoffices, newest first',
        params: inEnvironment,
        querystring: query({
          ...pageQuery,
          name: filter('Part of the name.'),
        }),
        response: { 200: pageOfSchema(Midoffice) },
      },
    },
    (request) => listMidoffices(environmentOf(request), request.query),
  );

  app.get(
    `${base}/:id`,
    {
      onRequest: signIn.reads,
      config: { problems: ['midoffice_not_found'] },
      schema: {
        tags: ['midoffices'],
        operationId: 'getMidoffice',
        summary:
          'Show a midoffice, with what waits for it, its last attempt and its last test event',
        params: oneMidoffice,
        response: { 200: MidofficeWithState },
      },
    },
    (request) => getMidoffice(environmentOf(request), request.params.id),
  );

  app.patch(
    `${base}/:id`,
    {
      onRequest: signIn.changes,
      config: {
        problems: ['midoffice_not_found', 'key_not_found', 'key_revoked', 'receiver_refused'],
      },
      schema: {
        tags: ['midoffices'],
        operationId: 'updateMidoffice',
        summary: 'Change a midoffice; pause or resume it',
        params: oneMidoffice,
        body: MidofficeChanges,
        response: { 200: Midoffice },
      },
    },
    (request) =>
      updateMidoffice(environmentOf(request), actorOf(request), request.params.id, request.body),
  );

  app.post(
    `${base}/:id/test-event`,
    {
      onRequest: signIn.changes,
      config: { problems: ['midoffice_not_found'] },
      schema: {
        tags: ['midoffices'],
        operationId: 'sendTestEvent',
        summary: 'Send a signed test event now',
        params: oneMidoffice,
        response: { 200: AttemptWithRequest },
      },
    },
    (request) => sendTestEvent(environmentOf(request), actorOf(request), request.params.id),
  );

  app.post(
    `${base}/:id/send-pending`,
    {
      onRequest: signIn.changes,
      config: { problems: ['midoffice_not_found'] },
      schema: {
        tags: ['midoffices'],
        operationId: 'sendPending',
        summary: 'Make everything that waits for a midoffice due now',
        description:
          'The attempts use no step of the schedule. At most `max_in_flight` of them are in flight at a time. While the midoffice is paused, they wait until it is resumed. An event that waits for an earlier event of its order follows that one, and is not counted. A large backlog is changed in batches, which share one audit entry.',
        params: oneMidoffice,
        response: { 200: SentPending },
      },
    },
    (request) => sendPending(environmentOf(request), actorOf(request), request.params.id),
  );

  app.post(
    `${base}/:id/recovery`,
    {
      onRequest: signIn.changes,
      config: { problems: ['midoffice_not_found'] },
      schema: {
        tags: ['midoffices'],
        operationId: 'recoverMidoffice',
        summary: 'Requeue exhausted, cancelled and unrouted deliveries of a time span',
        params: oneMidoffice,
        body: Recovery,
        response: { 200: Recovered },
      },
    },
    (request) =>
      recoverMidoffice(environmentOf(request), actorOf(request), request.params.id, request.body),
  );
}
