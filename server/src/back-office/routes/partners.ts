import Type from 'typebox';
import { listAudit } from '../../support/audit.ts';
import { certifyPartner } from '../../support/certify-partner.ts';
import { createKey } from '../../support/create-key.ts';
import { createPartner } from '../../support/create-partner.ts';
import { getPartner, listPartners } from '../../support/partners.ts';
import { updatePartner } from '../../support/update-partner.ts';
import type { App, RouteParts } from '../app.ts';
import {
  AuditEntry,
  Certification,
  environmentParams,
  input,
  KeyWithSecret,
  NewKey,
  NewPartner,
  Partner,
  PartnerChanges,
  pageOfSchema,
  pageQuery,
  time,
} from '../schemas.ts';
import { actorOf } from '../sign-in.ts';

const inEnvironment = Type.Object(environmentParams);
const onePartner = Type.Object({ ...environmentParams, id: Type.String() });

export function partnerRoutes(app: App, { signIn, deskOf, tokenStore }: RouteParts): void {
  const base = '/support/v1/:environment';

  app.post(
    `${base}/partners`,
    {
      onRequest: signIn.changes,
      schema: {
        tags: ['partners'],
        summary: 'Create a partner',
        params: inEnvironment,
        body: NewPartner,
        response: { 201: Partner },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await createPartner(deskOf(request), actorOf(request), request.body)),
  );

  app.get(
    `${base}/partners`,
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['partners'],
        summary: 'List partners, newest first',
        params: inEnvironment,
        querystring: input({
          ...pageQuery,
          name: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name.' })),
        }),
        response: { 200: pageOfSchema(Partner) },
      },
    },
    (request) => listPartners(deskOf(request), request.query),
  );

  app.get(
    `${base}/partners/:id`,
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['partners'],
        summary: 'Show a partner',
        params: onePartner,
        response: { 200: Partner },
      },
    },
    (request) => getPartner(deskOf(request), request.params.id),
  );

  app.patch(
    `${base}/partners/:id`,
    {
      onRequest: signIn.changes,
      schema: {
        tags: ['partners'],
        summary: 'Rename, suspend or unsuspend a partner',
        params: onePartner,
        body: PartnerChanges,
        response: { 200: Partner },
      },
    },
    (request) => updatePartner(deskOf(request), actorOf(request), request.params.id, request.body),
  );

  app.post(
    `${base}/partners/:id/certification`,
    {
      onRequest: signIn.changes,
      schema: {
        tags: ['partners'],
        summary: 'Record that certification is completed',
        params: onePartner,
        body: Certification,
        response: { 200: Partner },
      },
    },
    (request) => certifyPartner(deskOf(request), actorOf(request), request.params.id, request.body),
  );

  app.post(
    `${base}/partners/:id/keys`,
    {
      onRequest: signIn.changes,
      schema: {
        tags: ['keys'],
        summary: 'Make a key; the API key is shown this once',
        params: onePartner,
        body: NewKey,
        response: { 201: KeyWithSecret },
      },
    },
    async (request, reply) =>
      reply
        .code(201)
        .send(await createKey(deskOf(request), actorOf(request), request.params.id, request.body)),
  );

  app.get(
    `${base}/audit`,
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['audit'],
        summary: 'List changes, newest first',
        params: inEnvironment,
        querystring: input({
          ...pageQuery,
          subject: Type.Optional(Type.String({ description: 'Id of what was changed.' })),
          actor: Type.Optional(
            Type.String({ description: 'The name, or name and token as entries have them.' }),
          ),
          action: Type.Optional(Type.String({ description: 'Such as key.rotate.' })),
          since: Type.Optional(time),
          until: Type.Optional(time),
        }),
        response: { 200: pageOfSchema(AuditEntry) },
      },
    },
    (request) => listAudit(deskOf(request), tokenStore, request.query),
  );
}
