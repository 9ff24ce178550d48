import { listActivity } from '../../support/partners/activity.ts';
import { certifyPartner } from '../../support/partners/certify-partner.ts';
import { createPartner } from '../../support/partners/create-partner.ts';
import { getPartner } from '../../support/partners/get-partner.ts';
import {
  countListedPartners,
  listPartners,
  partnerSorts,
} from '../../support/partners/list-partners.ts';
import { getOnboarding } from '../../support/partners/onboarding.ts';
import { updatePartner } from '../../support/partners/update-partner.ts';
import type { App, RouteParts } from '../app.ts';
import {
  Count,
  inEnvironment,
  pageOfSchema,
  pageQuery,
  pageQueryWith,
  query,
  sortBy,
} from '../schemas/forms.ts';
import {
  Activity,
  Certification,
  NewPartner,
  Onboarding,
  onePartner,
  Partner,
  PartnerChanges,
  partnerFilter,
} from '../schemas/partners.ts';
import { actorOf } from '../sign-in.ts';

export function partnerRoutes(app: App, { signIn, environmentOf }: RouteParts): void {
  const base = '/support/v1/:environment';

  app.post(
    `${base}/partners`,
    {
      onRequest: signIn.changes,
      config: { problems: ['sandbox_not_offered'] },
      schema: {
        tags: ['partners'],
        operationId: 'createPartner',
        summary: 'Create a partner',
        params: inEnvironment,
        body: NewPartner,
        response: { 201: Partner },
      },
    },
    async (request, reply) =>
      reply
        .code(201)
        .send(await createPartner(environmentOf(request), actorOf(request), request.body)),
  );

  app.get(
    `${base}/partners`,
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['partners'],
        operationId: 'listPartners',
        summary: 'List partners',
        params: inEnvironment,
        querystring: query({
          ...pageQueryWith('cursor-of-partners'),
          ...partnerFilter,
          ...sortBy(partnerSorts),
        }),
        response: { 200: pageOfSchema(Partner) },
      },
    },
    (request) => listPartners(environmentOf(request), request.query),
  );

  app.get(
    `${base}/partners/count`,
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['partners'],
        operationId: 'countPartners',
        summary: 'Count partners',
        params: inEnvironment,
        querystring: query(partnerFilter),
        response: { 200: Count },
      },
    },
    (request) => countListedPartners(environmentOf(request), request.query),
  );

  app.get(
    `${base}/partners/:id`,
    {
      onRequest: signIn.reads,
      config: { problems: ['partner_not_found'] },
      schema: {
        tags: ['partners'],
        operationId: 'getPartner',
        summary: 'Show a partner',
        params: onePartner,
        response: { 200: Partner },
      },
    },
    (request) => getPartner(environmentOf(request), request.params.id),
  );

  app.patch(
    `${base}/partners/:id`,
    {
      onRequest: signIn.changes,
      config: { problems: ['partner_not_found', 'midoffice_not_found'] },
      schema: {
        tags: ['partners'],
        operationId: 'updatePartner',
        summary: 'Rename, suspend or resume a partner, or choose its midoffice',
        params: onePartner,
        body: PartnerChanges,
        response: { 200: Partner },
      },
    },
    (request) =>
      updatePartner(environmentOf(request), actorOf(request), request.params.id, request.body),
  );

  app.get(
    `${base}/partners/:id/onboarding`,
    {
      onRequest: signIn.reads,
      config: { problems: ['partner_not_found'] },
      schema: {
        tags: ['partners'],
        operationId: 'getOnboarding',
        summary: 'Show how far a partner is: key, receiver, test webhook, certifications',
        params: onePartner,
        response: { 200: Onboarding },
      },
    },
    (request) => getOnboarding(environmentOf(request), request.params.id),
  );

  app.get(
    `${base}/partners/:id/activity`,
    {
      onRequest: signIn.reads,
      config: { problems: ['partner_not_found'] },
      schema: {
        tags: ['partners'],
        operationId: 'listActivity',
        summary: 'List what happened to a partner, its keys and its midoffice, newest first',
        description:
          'Changes and notes of the partner, its midoffice and its 20 newest keys, and webhooks that did not arrive.',
        params: onePartner,
        querystring: query(pageQuery),
        response: { 200: pageOfSchema(Activity) },
      },
    },
    (request) => listActivity(environmentOf(request), request.params.id, request.query),
  );

  app.post(
    `${base}/partners/:id/certification`,
    {
      onRequest: signIn.changes,
      config: { problems: ['partner_not_found'] },
      schema: {
        tags: ['partners'],
        operationId: 'certifyPartner',
        summary: 'Record that certification is completed',
        params: onePartner,
        body: Certification,
        response: { 200: Partner },
      },
    },
    (request) =>
      certifyPartner(environmentOf(request), actorOf(request), request.params.id, request.body),
  );
}
