import Type from 'typebox';
import { filter, idOf, input, orNull, reason, reply, text, time, words } from '../forms.ts';
import { activityKinds, troubledStates } from './activity.ts';
import { onboardingSteps } from './onboarding.ts';

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
    reason: Type.Optional(reason),
  },
  { minProperties: 1, dependentRequired: { reason: ['suspended'] } },
);

export const partnerFilter = {
  name: filter('Part of the name.'),
};

export const Onboarding = reply('Onboarding', {
  key_id: orNull(Type.String({ description: 'The newest key that works.' })),
  midoffice_id: orNull(Type.String()),
  steps: Type.Array(
    reply('OnboardingStep', {
      name: words(onboardingSteps, { title: 'OnboardingStepName' }),
      done: Type.Boolean(),
      at: orNull(time),
      detail: orNull(Type.String({ description: 'What was found, or why the step is not done.' })),
    }),
  ),
});

export const Activity = reply('Activity', {
  id: Type.String(),
  at: time,
  kind: words(activityKinds, {
    title: 'ActivityKind',
    description:
      '`change`: an entry of the audit. `note`: a note. `webhooks`: webhooks of one hour that did not arrive.',
  }),
  subject: Type.String({ description: 'The id of what it is about.' }),
  actor: orNull(Type.String()),
  action: orNull(Type.String()),
  before: Type.Unknown(),
  after: Type.Unknown(),
  text: orNull(Type.String({ description: 'Of a note.' })),
  state: orNull(words(troubledStates, { title: 'TroubledState' })),
  count: orNull(
    Type.Integer({ description: 'How many webhooks, among the newest 1,000 of the partner.' }),
  ),
});

export const Certification = input('Certification', { reference: text(1, 200) });
