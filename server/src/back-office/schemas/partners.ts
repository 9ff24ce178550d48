import Type from 'typebox';
import { environmentParams, idOf, input, orNull, reply, text, time } from './forms.ts';

export const onePartner = Type.Object({ ...environmentParams, id: Type.String() });

export const Partner = reply('Partner', {
  id: Type.String(),
  name: Type.String(),
  integration_started_on: Type.String({ format: 'date' }),
  is_new: Type.Boolean(),
  suspended: Type.Boolean(),
  certified_at: orNull(time),
  certification_reference: orNull(Type.String()),
  midoffice_id: orNull(Type.String()),
  created_at: time,
});

export const NewPartner = input('NewPartner', {
  name: text(1, 200),
  integration_started_on: Type.String({ format: 'date' }),
  is_new: Type.Boolean({ description: 'Whether the partner is new to the API.' }),
});

export const PartnerChanges = input(
  'PartnerChanges',
  {
    name: Type.Optional(text(1, 200)),
    suspended: Type.Optional(Type.Boolean()),
    midoffice_id: Type.Optional(orNull(idOf('the midoffice that receives its webhooks'))),
  },
  { minProperties: 1 },
);

export const Certification = input('Certification', { reference: text(1, 200) });
