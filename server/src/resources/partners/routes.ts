import { effectsOnPartner, withoutEffect } from '../dry-run.ts';
import { Count, pageOfSchema, pageQuery, pageQueryWith, query } from '../forms.ts';
import { route } from '../route.ts';
import { Activity, listActivity } from './activity.ts';
import { certifyPartner, createPartner, updatePartner } from './change-partner.ts';
import {
  countListedPartners,
  ListedPartner,
  listPartners,
  partnerFilter,
  partnerList,
} from './list-partners.ts';
import { getOnboarding, Onboarding } from './onboarding.ts';
import {
  Certification,
  getPartner,
  NewPartner,
  Partner,
  PartnerChanges,
  PartnerWithWarnings,
} from './partner.ts';
import { getSandboxOffer, SandboxOffer } from './sandbox-offer.ts';

const ONE = 'partners/:id';
const problems = ['partner_not_found'] as const;
const partnerQuery = query({
  ...pageQueryWith('cursor-of-records'),
  ...partnerFilter,
  ...partnerList.query,
});

export const partnerRoutes = [
  route(
    'createPartner',
    'POST partners',
    'Create a partner',
    {
      may: 'change',
      body: NewPartner,
      reply: Partner,
      status: 201,
      problems: ['sandbox_not_offered'],
    },
    ({ environment, actor, body }) => createPartner(environment, actor, body),
  ),
  route(
    'listPartners',
    'GET partners',
    'List partners',
    { may: 'read', query: partnerQuery, reply: pageOfSchema(ListedPartner) },
    ({ environment, query }) => listPartners(environment, query),
  ),
  route(
    'countPartners',
    'GET partners/count',
    'Count partners',
    { may: 'read', query: query({ ...partnerFilter, ...partnerList.countQuery }), reply: Count },
    ({ environment, query }) => countListedPartners(environment, query),
  ),
  route(
    'getSandboxOffer',
    'GET sandbox-offer',
    'Show when an integration must start for a sandbox partner to be created',
    {
      may: 'read',
      reply: SandboxOffer,
      problems: ['sandbox_only'],
      more: 'Both days are included. In production: 409 `sandbox_only`.',
    },
    ({ environment }) => getSandboxOffer(environment),
  ),
  route(
    'getPartner',
    `GET ${ONE}`,
    'Show a partner',
    { may: 'read', reply: Partner, problems },
    ({ environment, params }) => getPartner(environment, params.id),
  ),
  route(
    'updatePartner',
    `PATCH ${ONE}`,
    'Rename, suspend or resume a partner, or choose its midoffice',
    {
      may: 'change',
      body: PartnerChanges,
      reply: PartnerWithWarnings,
      problems: ['partner_not_found', 'midoffice_not_found'],
    },
    ({ environment, actor, params, body }) => updatePartner(environment, actor, params.id, body),
    async ({ environment, actor, params: { id }, body }) => {
      const before = await getPartner(environment, id);
      const after = await updatePartner(withoutEffect(environment), actor, id, body);
      return effectsOnPartner(environment, before, after);
    },
  ),
  route(
    'getOnboarding',
    `GET ${ONE}/onboarding`,
    'Show how far a partner is: key, receiver, test webhook, certifications',
    { may: 'read', reply: Onboarding, problems },
    ({ environment, params }) => getOnboarding(environment, params.id),
  ),
  route(
    'listActivity',
    `GET ${ONE}/activity`,
    'List what happened to a partner, its keys and its midoffice, newest first',
    {
      may: 'read',
      query: query(pageQuery),
      reply: pageOfSchema(Activity),
      problems,
      more: 'Changes and notes of the partner, its midoffice and its 20 newest keys, and webhooks that did not arrive.',
    },
    ({ environment, params, query }) => listActivity(environment, params.id, query),
  ),
  route(
    'certifyPartner',
    `POST ${ONE}/certification`,
    'Record that certification is completed',
    { may: 'change', body: Certification, reply: Partner, problems },
    ({ environment, actor, params, body }) => certifyPartner(environment, actor, params.id, body),
  ),
];
