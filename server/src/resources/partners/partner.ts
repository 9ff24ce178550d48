/** A partner: its fields, what callers send and are shown of it, and how to find one. */
import type { Static } from 'typebox';
import type { PartnerRow } from '../../store/schema.ts';
import {
  day,
  flag,
  imported,
  moment,
  narrowing,
  orNull,
  ownId,
  reference,
  textOf,
} from '../columns.ts';
import type { SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import * as forms from '../forms.ts';
import { givenOf, optionalOf, record, show, shownOf } from '../record.ts';
import { Type } from '../type.ts';
import { partners } from './queries.ts';

export const partner = record<PartnerRow>()('partner', 'id', {
  id: ownId(story.partnerId),
  name: imported(textOf(forms.name(1, 200), story.partner)),
  integration_started_on: imported(day()),
  is_new: imported(flag('Whether the partner is new to the API.')),
  suspended: narrowing({ suspended: 'suspended = 1' }, imported(flag())),
  certified_at: narrowing({ uncertified: 'certified_at is null' }, imported(orNull(moment()))),
  certification_reference: imported(orNull(textOf(forms.text(1, 200), story.certification))),
  midoffice_id: narrowing(
    { without_midoffice: 'midoffice_id is null' },
    reference(
      'midoffice',
      orNull(textOf(forms.idOf('the midoffice that receives its webhooks'), story.midofficeId)),
    ),
  ),
  created_at: moment(),
});

export const Partner = forms.reply('Partner', shownOf(partner));
export type Partner = Static<typeof Partner>;

export const PartnerWithWarnings = forms.reply('PartnerWithWarnings', {
  ...Partner.properties,
  warnings: Type.Optional({
    ...forms.Warnings,
    description: 'About the midoffice; not there if there are none.',
  }),
});

export const NewPartner = forms.input(
  'NewPartner',
  givenOf(partner, ['name', 'integration_started_on', 'is_new']),
);
export type NewPartner = Static<typeof NewPartner>;

export const PartnerChanges = forms.input(
  'PartnerChanges',
  {
    ...optionalOf(partner, ['name', 'suspended', 'midoffice_id']),
    reason: Type.Optional(forms.reason),
  },
  { minProperties: 1, dependentRequired: { reason: ['suspended'] } },
);
export type PartnerChanges = Static<typeof PartnerChanges>;

export const Certification = forms.input('Certification', {
  reference: like(story.certification, forms.text(1, 200)),
});
export type Certification = Static<typeof Certification>;

export function showPartner(row: PartnerRow): Partner {
  return show(partner, row);
}

export async function getPartner({ store }: SupportEnvironment, id: string): Promise<Partner> {
  return showPartner(await findPartner(store.db, id));
}

export const findPartner = partners.find;
