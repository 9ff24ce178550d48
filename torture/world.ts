/**
 * The participants: in each environment one midoffice of every kind, each with its own partner, key and
 * receiver, and one partner without a midoffice. The two environments share only the event ids, which are
 * the same on purpose.
 */
import type { BodyForm } from '@bellhop/partner';
import { type EnvironmentName, environments } from '../kit/bellhop.ts';
import type { BackOffice } from './back-office.ts';
import type { Reply } from './replies.ts';

/** They differ, so that a delivery on the wrong schedule is noticed. */
export const SCHEDULES_MS: Record<EnvironmentName, readonly number[]> = {
  production: [150, 250, 400, 600, 900, 900, 900],
  sandbox: [200, 300, 500, 1_000, 1_000, 1_000, 1_000, 1_000],
};
export const RECEIVER_TIMEOUT_MS = 1_000;

interface Character {
  replies: Partial<Record<Reply, number>>;
  ordered?: true;
  bodyForm?: BodyForm;
  maxInFlight?: number;
  /** The most events of one order; 5 by default. */
  longestOrder?: number;
  /** The weight with which it is chosen for an order; 1 by default. */
  share?: number;
  /** Keeps failing when the others are healed at the end. */
  incurable?: true;
}

export const characters: Record<string, Character> = {
  steady: { replies: { ok: 6, created: 1, noContent: 1 }, share: 3 },
  flaky: { replies: { ok: 6, error: 2, busy: 1, gone: 1 }, bodyForm: 'flat' },
  slow: { replies: { late: 4, ok: 4 }, bodyForm: 'both' },
  hanging: { replies: { ok: 8, hang: 1, drip: 1 }, maxInFlight: 12 },
  resetting: { replies: { ok: 5, reset: 2, resetInReply: 1 } },
  lying: {
    replies: { ok: 5, closeInReply: 2, shorterThanSaid: 1, longerThanSaid: 2, notHttp: 1 },
    bodyForm: 'flat',
  },
  talkative: { replies: { huge: 1, ok: 3, redirect: 1 } },
  dead: { replies: { error: 5, reset: 1, gone: 1 }, share: 0.5, incurable: true },
  narrow: { replies: { ok: 4, late: 2, error: 1 }, maxInFlight: 2, share: 0.4 },
  'in order': { replies: { ok: 6, late: 2 }, ordered: true, share: 2 },
  'in order, flaky': {
    replies: { ok: 8, error: 2, late: 2, reset: 1, closeInReply: 1, hang: 0.3 },
    ordered: true,
    bodyForm: 'both',
    share: 2,
  },
  'in order, dead': {
    replies: { error: 1 },
    ordered: true,
    share: 0.3,
    incurable: true,
    // Each event waits until the previous one is exhausted.
    longestOrder: 2,
  },
};

export interface Office {
  environment: EnvironmentName;
  character: string;
  id: string;
  partnerId: string;
  apiKey: string;
  bodyForm: BodyForm;
  ordered: boolean;
  maxInFlight: number;
  replies: Partial<Record<Reply, number>>;
  longestOrder: number;
  share: number;
  incurable: boolean;
}

export interface World {
  offices: Office[];
  /** A partner of each environment that has no midoffice. */
  alone: Record<EnvironmentName, string>;
}

const DEFAULT_IN_FLIGHT = 16;
const DEFAULT_LONGEST_ORDER = 5;

export async function createWorld(
  backOffice: BackOffice,
  receiverUrl: (environment: EnvironmentName, character: string) => string,
): Promise<World> {
  const creating = environments.flatMap((environment) =>
    Object.entries(characters).map(([character, traits]) =>
      createOffice(backOffice, environment, character, traits, receiverUrl(environment, character)),
    ),
  );
  const [production, sandbox] = await Promise.all(
    environments.map((name) => createPartner(backOffice, name, 'without a midoffice')),
  );
  const alone = { production, sandbox } as World['alone'];
  return { offices: await Promise.all(creating), alone };
}

async function createOffice(
  backOffice: BackOffice,
  environment: EnvironmentName,
  character: string,
  traits: Character,
  url: string,
): Promise<Office> {
  const { bodyForm = 'data', ordered = false, maxInFlight = DEFAULT_IN_FLIGHT } = traits;
  const partnerId = await createPartner(backOffice, environment, character);
  const { key_id, api_key } = await backOffice.support('createKey', { environment, id: partnerId });
  const { id } = await backOffice.support('createMidoffice', {
    environment,
    body: {
      name: character,
      url,
      signing_key_id: key_id,
      body_form: bodyForm,
      delivery_order: ordered ? 'per_order' : 'any',
      max_in_flight: maxInFlight,
    },
  });
  const body = { midoffice_id: id };
  await backOffice.support('updatePartner', { environment, id: partnerId, body });
  return {
    environment,
    character,
    id,
    partnerId,
    apiKey: api_key,
    bodyForm,
    ordered,
    maxInFlight,
    replies: traits.replies,
    longestOrder: traits.longestOrder ?? DEFAULT_LONGEST_ORDER,
    share: traits.share ?? 1,
    incurable: traits.incurable ?? false,
  };
}

async function createPartner(
  backOffice: BackOffice,
  environment: EnvironmentName,
  name: string,
): Promise<string> {
  const body = { name, integration_started_on: '2025-11-01', is_new: true };
  const { id } = await backOffice.support('createPartner', { environment, body });
  return id;
}
