/** The list of partners, each with the standing of the midoffice that receives its webhooks. */
import type { Static } from 'typebox';
import type { ShownCount } from '../count-queries.ts';
import type { SupportEnvironment } from '../environment.ts';
import * as forms from '../forms.ts';
import { type Health, withHealth } from '../midoffices/health.ts';
import { Midoffice, showMidoffice } from '../midoffices/midoffice.ts';
import { midoffices } from '../midoffices/queries.ts';
import type { Page } from '../page.ts';
import { type ListRequest, recordList } from '../record-list.ts';
import { Partner, partner, showPartner } from './partner.ts';

export const partnerList = recordList('partners', partner, {
  suspended: 'calls are refused until somebody lifts the suspension',
  uncertified: 'certification is not completed',
  without_midoffice: 'its events are kept, but go nowhere',
});

export const partnerFilter = {
  name: forms.filter('Part of the name.'),
  midoffice_id: forms.filter('The partners whose webhooks this midoffice receives.'),
};

interface PartnerSearch {
  name?: string | undefined;
  midoffice_id?: string | undefined;
}

const { name, health, paused, pending, exhausted } = Midoffice.properties;

export const ListedPartner = forms.reply(
  'ListedPartner',
  {
    ...Partner.properties,
    midoffice_name: forms.orNull(name),
    midoffice_health: forms.orNull(health),
    midoffice_paused: forms.orNull(paused),
    midoffice_pending: forms.orNull(pending),
    midoffice_exhausted: forms.orNull(exhausted),
  },
  {
    description:
      'A partner and its midoffice. What waits there and what was given up includes the orders of other partners that share it.',
  },
);
type ListedPartner = Static<typeof ListedPartner>;

const WITHOUT_MIDOFFICE = {
  midoffice_name: null,
  midoffice_health: null,
  midoffice_paused: null,
  midoffice_pending: null,
  midoffice_exhausted: null,
};

export async function listPartners(
  environment: SupportEnvironment,
  request: ListRequest<'partners'> & PartnerSearch,
): Promise<Page<ListedPartner>> {
  const { name, midoffice_id } = request;
  const page = await partnerList.page(environment, request, { name, midoffice_id }, showPartner);
  return { ...page, items: await withMidoffices(environment, page.items) };
}

export async function countListedPartners(
  environment: SupportEnvironment,
  { only, ...search }: PartnerSearch & Pick<ListRequest<'partners'>, 'only'>,
): Promise<ShownCount> {
  return partnerList.count(environment, search, only);
}

async function withMidoffices(
  { store: { db } }: SupportEnvironment,
  partners: readonly Partner[],
): Promise<ListedPartner[]> {
  const ids = [...new Set(partners.flatMap(({ midoffice_id }) => midoffice_id ?? []))];
  const rows = [...(await midoffices.readAll(db, ids)).values()];
  const judged = new Map(
    (await withHealth(db, rows.map(showMidoffice))).map((one) => [one.id, one]),
  );
  return partners.map((one) => {
    const its = judged.get(one.midoffice_id ?? '');
    return { ...one, ...(its ? standingOf(its) : WITHOUT_MIDOFFICE) };
  });
}

function standingOf(its: Pick<Midoffice, 'name' | 'paused'> & Health) {
  return {
    midoffice_name: its.name,
    midoffice_health: its.health,
    midoffice_paused: its.paused,
    midoffice_pending: its.pending,
    midoffice_exhausted: its.exhausted,
  };
}
