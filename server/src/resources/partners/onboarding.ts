/** How far a partner is: from its first key to its recorded certification. */
import type { Static } from 'typebox';
import type { ApiKeyRow, AuditRow, Database, MidofficeRow } from '../../store/schema.ts';
import { newestAudit } from '../audit/queries.ts';
import { isoOrNull, type SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { orNull, reply, time, words } from '../forms.ts';
import { newestKeys } from '../keys/queries.ts';
import { midoffices } from '../midoffices/queries.ts';
import { Type } from '../type.ts';
import { findPartner } from './partner.ts';

const onboardingSteps = [
  'key',
  'receiver',
  'test_webhook',
  'receiver_certified',
  'certification',
] as const;

export const Onboarding = reply('Onboarding', {
  key_id: orNull(like(story.keyId, 'The newest key that works.')),
  midoffice_id: orNull(like(story.midofficeId)),
  steps: Type.Array(
    reply('OnboardingStep', {
      name: words(onboardingSteps, { title: 'OnboardingStepName' }),
      done: Type.Boolean(),
      at: orNull(time),
      detail: orNull(like(story.key, 'What was found, or why the step is not done.')),
    }),
  ),
});

/** The newest of each that are looked at. */
const KEYS_READ = 50;
const CHANGES_READ = 200;

interface Step {
  isDone: boolean;
  atMs?: number | null;
  /** What was found, or why the step is not done. */
  detail?: string | null;
}

export async function getOnboarding(
  { store: { db }, clock }: SupportEnvironment,
  id: string,
): Promise<Static<typeof Onboarding>> {
  const partner = await findPartner(db, id);
  const keys = await newestKeys(db, { limit: KEYS_READ }, { partnerId: id });
  const key = keys.find((one) => isUsable(one, clock.now()));
  const midoffice =
    partner.midoffice_id === null ? undefined : await midoffices.read(db, partner.midoffice_id);
  const receiver = midoffice && (await factsOf(db, midoffice));
  const steps: Record<(typeof onboardingSteps)[number], Step> = {
    key: key
      ? { isDone: true, atMs: key.created_at, detail: key.label ?? key.key_id }
      : { isDone: false, detail: keys.length > 0 ? 'No key works at the moment.' : null },
    receiver: midoffice
      ? { isDone: true, atMs: midoffice.created_at, detail: midoffice.name }
      : { isDone: false },
    test_webhook: receiver?.test ?? { isDone: false },
    receiver_certified: receiver?.certified ?? { isDone: false },
    certification: {
      isDone: partner.certified_at !== null,
      atMs: partner.certified_at,
      detail: partner.certification_reference,
    },
  };
  return {
    key_id: key?.key_id ?? null,
    midoffice_id: midoffice?.id ?? null,
    steps: onboardingSteps.map((name) => {
      const { isDone, atMs = null, detail = null } = steps[name];
      return { name, done: isDone, at: isoOrNull(atMs), detail };
    }),
  };
}

function isUsable({ disabled, revoked_at, expires_at }: ApiKeyRow, nowMs: number): boolean {
  return disabled === 0 && revoked_at === null && (expires_at === null || expires_at > nowMs);
}

async function factsOf(
  db: Database,
  midoffice: MidofficeRow,
): Promise<{ test: Step; certified: Step }> {
  const changes = await newestAudit(db, { limit: CHANGES_READ }, { subject: midoffice.id });
  const moved = changes.findIndex(changesUrl);
  // What was found out about another URL says nothing about this one.
  const current = moved < 0 ? changes : changes.slice(0, moved);
  const test = lastResult(
    current,
    'midoffice.test_event',
    ({ outcome }) => outcome === 'delivered',
  );
  return {
    // A webhook about a real order proves as much as a test.
    test: !test.isDone && moved < 0 && midoffice.worked_key !== null ? { isDone: true } : test,
    certified: lastResult(
      current,
      'midoffice.certify_receiver',
      ({ verdict }) => verdict === 'passed',
    ),
  };
}

/** The last time that it went well, or the last time that it did not. */
function lastResult(
  changes: readonly AuditRow[],
  action: string,
  isGood: (after: Recorded) => boolean,
): Step {
  const tries = changes
    .filter((change) => change.action === action)
    .map(({ at, after }) => ({ at, after: JSON.parse(after ?? '{}') as Recorded }));
  const good = tries.find(({ after }) => isGood(after));
  if (good) return { isDone: true, atMs: good.at };
  const last = tries[0];
  return last ? { isDone: false, atMs: last.at, detail: inWords(last.after) } : { isDone: false };
}

/** What the audit keeps of a test event or of a receiver's certification. */
interface Recorded {
  outcome?: string;
  error?: string | null;
  verdict?: string;
  failed?: number;
}

function inWords({ error, failed }: Recorded): string | null {
  if (error) return error;
  return failed === undefined ? null : `${failed} ${failed === 1 ? 'check' : 'checks'} failed.`;
}

function changesUrl({ action, before, after }: AuditRow): boolean {
  if (action !== 'midoffice.update' || before === null || after === null) return false;
  return JSON.parse(before).url !== JSON.parse(after).url;
}
