import Type from 'typebox';
import { certifyReceiver } from '../../support/certify-receiver.ts';
import { createMidoffice } from '../../support/create-midoffice.ts';
import { getMidoffice, listMidoffices } from '../../support/midoffices.ts';
import { recoverMidoffice } from '../../support/recover-midoffice.ts';
import { sendTestEvent } from '../../support/test-event.ts';
import { updateMidoffice } from '../../support/update-midoffice.ts';
import type { App, RouteParts } from '../app.ts';
import {
  Attempt,
  environmentParams,
  input,
  Midoffice,
  MidofficeChanges,
  MidofficeWithState,
  NewMidoffice,
  pageOfSchema,
  pageQuery,
  ReceiverCertification,
  ReceiverToCertify,
  Recovered,
  Recovery,
} from '../schemas.ts';
import { actorOf } from '../sign-in.ts';

const inEnvironment = Type.Object(environmentParams);
const oneMidoffice = Type.Object({ ...environmentParams, id: Type.String() });

export function midofficeRoutes(app: App, { signIn, deskOf }: RouteParts): void {
  const base = '/support/v1/:environment/midoffices';

  app.post(
    base,
    {
      onRequest: signIn.changes,
      schema: {
        tags: ['midoffices'],
        summary: 'Register a midoffice and its receiver',
        params: inEnvironment,
        body: NewMidoffice,
        response: { 201: Midoffice },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await createMidoffice(deskOf(request), actorOf(request), request.body)),
  );

  app.get(
    base,
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['midoffices'],
        summary: 'List midoffices, newest first',
        params: inEnvironment,
        querystring: input({
          ...pageQuery,
          name: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name.' })),
        }),
        response: { 200: pageOfSchema(Midoffice) },
      },
    },
    (request) => listMidoffices(deskOf(request), request.query),
  );

  app.get(
    `${base}/:id`,
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['midoffices'],
        summary: 'Show a midoffice, with what waits for it and its last attempt',
        params: oneMidoffice,
        response: { 200: MidofficeWithState },
      },
    },
    (request) => getMidoffice(deskOf(request), request.params.id),
  );

  app.patch(
    `${base}/:id`,
    {
      onRequest: signIn.changes,
      schema: {
        tags: ['midoffices'],
        summary: 'Change a midoffice; pause or resume it',
        params: oneMidoffice,
        body: MidofficeChanges,
        response: { 200: Midoffice },
      },
    },
    (request) =>
      updateMidoffice(deskOf(request), actorOf(request), request.params.id, request.body),
  );

  app.post(
    `${base}/:id/test-event`,
    {
      onRequest: signIn.changes,
      schema: {
        tags: ['midoffices'],
        summary: 'One signed attempt now',
        params: oneMidoffice,
        response: { 200: Attempt },
      },
    },
    (request) => sendTestEvent(deskOf(request), actorOf(request), request.params.id),
  );

  app.post(
    `${base}/:id/certify-receiver`,
    {
      onRequest: signIn.changes,
      schema: {
        tags: ['midoffices'],
        summary: 'Certify its receiver: some 40 requests, genuine and not, and a report',
        params: oneMidoffice,
        body: ReceiverToCertify,
        response: { 200: ReceiverCertification },
      },
    },
    (request) =>
      certifyReceiver(deskOf(request), actorOf(request), request.params.id, request.body),
  );

  app.post(
    `${base}/:id/recovery`,
    {
      onRequest: signIn.changes,
      schema: {
        tags: ['midoffices'],
        summary: 'Requeue what was given up, accepted in this time',
        params: oneMidoffice,
        body: Recovery,
        response: { 200: Recovered },
      },
    },
    (request) =>
      recoverMidoffice(deskOf(request), actorOf(request), request.params.id, request.body),
  );
}
