/** What the jobs are played on: a production with many partners, and those whose questions are answered. */
import { OVERVIEW } from '../../server/src/base/catalogue.ts';
import { basic, type TestBellhop } from '../../server/testing/bellhop.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { startReceiver, status } from '../../server/testing/webhook-receiver.ts';
import {
  type Agency,
  allAre,
  GIVES_UP_AT_ONCE,
  newAgency,
  newToken,
  report,
} from '../e2e/agency.ts';

export const PARTNERS = 3_000;
export const DELIVERIES = 12_000;
export const EXHAUSTED = 180;
export const PENDING = 40;
export const LOWERED_LIMIT = 2;
const AT_ONCE = 16;
const PRODUCTION = '/support/v1/production';
/** The first words of the partners' names; those of the jobs share some of them. */
const FIRST_WORDS = ['Blue', 'Nordlys', 'Meridian', 'Fernweh', 'Alpine', 'Coral', 'Atlas', 'Sable'];

export interface Stock {
  /** Its receiver was down until its deliveries were exhausted. */
  nordlys: Agency;
  /** Its deliveries wait for their second attempt. The receiver works again. */
  fernweh: Agency;
  /** Certified. It calls more often than its limit allows, which somebody has lowered. */
  blue: Agency;
  /** A receiver that works. */
  url: string;
  repairNordlys(): void;
  /** Calls with its first API key; resolves to the status. */
  callWith(agency: Agency): Promise<number>;
}

/** Starts Bellhop with these settings; its data stays from start to start. */
type Start = (settings: Record<string, string>) => Promise<TestBellhop>;

export async function stock(
  start: Start,
  atEnd: (end: () => unknown) => unknown,
): Promise<Stock & { bellhop: TestBellhop }> {
  const working = await startReceiver(status(200), { atEnd });
  const failing = await startReceiver(status(503, 'maintenance'), { atEnd });
  const late = await startReceiver(status(503, 'maintenance'), { atEnd });
  const first = await start(GIVES_UP_AT_ONCE);
  await fillUp(first, await agency(first, 'Everyone else', working.url));
  const nordlys = await agency(first, 'Nordlys Travel', failing.url);
  await report(first.support, nordlys, numbered('NT', EXHAUSTED));
  await allAre(first.support, 'exhausted', nordlys);
  await first.stop();

  const bellhop = await start({ ...GIVES_UP_AT_ONCE, BELLHOP_PRODUCTION_RETRY_SCHEDULE: '12h' });
  const fernweh = await agency(bellhop, 'Fernweh Reisen', late.url);
  await report(bellhop.support, fernweh, numbered('FR', PENDING));
  await allWait(bellhop, fernweh);
  late.answer = status(200);
  const blue = await agency(bellhop, 'Blue Horizon', working.url);
  const callWith = (agency: Agency) => callOverview(bellhop, agency);
  await exceedLimit(bellhop, blue);
  const repairNordlys = () => {
    failing.answer = status(200);
  };
  return { bellhop, nordlys, fernweh, blue, url: working.url, repairNordlys, callWith };
}

function agency({ support }: TestBellhop, partner: string, url: string): Promise<Agency> {
  return newAgency(support, url, { partner, midoffice: `${partner} midoffice` });
}

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${prefix}-${1_000 + n}`);
}

/** The partners that nobody asks about, and their deliveries, which arrive. */
async function fillUp({ support }: TestBellhop, { midofficeId }: Agency): Promise<void> {
  let made = 0;
  async function fillOne(n: number): Promise<void> {
    const { body } = await support('POST', `${PRODUCTION}/partners`, {
      name: `${FIRST_WORDS[n % FIRST_WORDS.length]} ${n}`,
      integration_started_on: '2025-11-01',
      is_new: false,
    });
    const orders = numbered(`P${n}`, DELIVERIES / PARTNERS);
    await report(support, { partnerId: body.id }, orders, { midoffice_id: midofficeId });
  }
  const fillNext = async () => {
    while (made < PARTNERS) await fillOne(made++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fillNext));
  await allAre(support, 'delivered', { midofficeId });
}

/** For their second attempt. */
async function allWait({ support }: TestBellhop, { midofficeId }: Agency): Promise<void> {
  await eventually(
    () => support('GET', `${PRODUCTION}/midoffices/${midofficeId}`),
    ({ body }) => body.waiting === PENDING,
  );
}

async function callOverview({ addresses }: TestBellhop, { keyId, apiKey }: Agency) {
  const headers = { authorization: basic(keyId, apiKey) };
  return (await fetch(`${addresses.production}/${OVERVIEW}`, { headers })).status;
}

async function exceedLimit(bellhop: TestBellhop, agency: Agency): Promise<void> {
  const { support } = bellhop;
  const { partnerId, keyId } = agency;
  const certification = `${PRODUCTION}/partners/${partnerId}/certification`;
  await support('POST', certification, { reference: 'CERT-1' });
  const lowered = { endpoint: OVERVIEW, requests_number: LOWERED_LIMIT };
  const token = await newToken(support, 'support', 'Ann');
  await support('PUT', `${PRODUCTION}/keys/${keyId}/endpoints`, lowered, token);
  const answers: number[] = [];
  while (answers.length < 2 * LOWERED_LIMIT) answers.push(await callOverview(bellhop, agency));
  if (!answers.includes(429)) throw new Error(`No call was refused: ${answers}.`);
}
