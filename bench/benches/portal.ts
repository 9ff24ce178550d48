/**
 * What the portal costs partners who call the API: when nobody has it open, against the same Bellhop without it; and
 * when 100 people have its first page open.
 */
import { readFile } from 'node:fs/promises';
import { type Bellhop, OVERVIEW_PATH, support } from '../bellhop.ts';
import type { Bench, Session } from '../bench.ts';
import { createMidoffices, postEvents } from '../midoffices.ts';
import { newlyStarted, type Subject, startSubject, TURNS } from '../newly-started.ts';
import { openPortal, portalUrl } from '../portal-visit.ts';
import { startNode } from '../processes.ts';
import type { Person } from '../servers/portal-pollers.ts';
import { type Comparison, inTurns, type Side } from '../side-by-side.ts';
import { measureCalls } from '../wrk.ts';

const FORWARDED_PATH = '/api/b2b/v3/search/hp/';
const WITHOUT = 'partner-api,delivery,back-office';
const PEOPLE = 100;
const PARTNERS = 10;
/** Of each partner. */
const WEBHOOKS = 500;
/** In each turn, a quarter of the people ask once; a turn is short so that both sides meet the same disturbances. */
const SHORT_TURNS = 5;
const SECONDS = 4;

export const portal: Bench = {
  name: 'portal',
  async run(session) {
    const upstream = await startNode(session, 'bench/servers/upstream.ts', []);
    const env = {
      BELLHOP_SANDBOX_UPSTREAM_URL: upstream.ready,
      BELLHOP_SANDBOX_RECEIVER_ALLOW: '127.0.0.0/8',
    };
    const on = { name: 'portal on', env };
    const off = { name: 'portal off', env: { ...env, BELLHOP_ROLES: WITHOUT } };
    const withPortal = newlyStarted(session, on);
    const withoutPortal = newlyStarted(session, off);
    const compared = (title: string, path: string): Comparison => {
      const measure = ({ bellhop, unlimited }: Subject) =>
        measureCalls(bellhop, { url: bellhop.sandbox + path, authorizations: unlimited });
      const [measured, against] = [withPortal(measure), withoutPortal(measure)];
      return { title, unit: 'calls/s', bar: { atLeast: 0.95 }, measured, against };
    };
    const calls = [
      compared('overview/, portal on ÷ off', OVERVIEW_PATH),
      compared('forwarding a GET, portal on ÷ off', FORWARDED_PATH),
    ];
    return [
      ...(await inTurns(session, calls, TURNS)),
      ...(await besidePeople(session, await startSubject(session, on))),
    ];
  },
};

async function besidePeople(session: Session, { bellhop, unlimited }: Subject) {
  session.progress(`signing ${PEOPLE} people in`);
  const receiver = await startNode(session, 'bench/servers/receiver.ts', []);
  const people = await signIn(bellhop, `${receiver.ready}/hook`);
  const authorization = (await readFile(unlimited, 'utf8')).trim();
  const overview = [bellhop.sandbox + OVERVIEW_PATH, authorization];
  const caller = await startNode(session, 'bench/servers/paced-caller.ts', overview);
  const bare = await startNode(session, 'bench/servers/bare-http.ts', overview);
  const elsewhere = people.map(({ cookie }) => ({ cookie, url: bare.ready }));
  const quiet: Side = { name: 'nobody', measure: () => latencies(caller.ready) };
  const atPortal = await besidePollers(session, 'people at the portal', people, caller.ready);
  const atBare = await besidePollers(session, 'people elsewhere', elsewhere, caller.ready);
  session.progress('warming up');
  for (const side of [atPortal, atBare]) await side.measure();
  const title = `overview/ p99 while ${PEOPLE} people`;
  const against = { unit: 'ms', against: quiet };
  const open = `${title} have the portal open ÷ nobody`;
  // What the people cost the machine, whatever they call.
  const elsewhereAs = `${title} call a bare server as often ÷ nobody`;
  return inTurns(
    session,
    [
      { ...against, title: open, bar: { atMost: 1.3 }, measured: atPortal },
      { ...against, title: elsewhereAs, measured: atBare },
    ],
    SHORT_TURNS,
  );
}

async function besidePollers(
  session: Session,
  name: string,
  people: readonly Person[],
  caller: string,
): Promise<Side> {
  const pollers = await startNode(
    session,
    'bench/servers/portal-pollers.ts',
    people.map((one) => JSON.stringify(one)),
  );
  return {
    name,
    async measure() {
      await said(`${pollers.ready}/start`);
      const { figure, details } = await latencies(caller);
      const polls = Number(await said(`${pollers.ready}/stop`));
      return { figure, details: { ...details, polls } };
    },
  };
}

/** Partners with a key, a midoffice and webhooks; several people of each. */
async function signIn(bellhop: Bellhop, receiver: string): Promise<Person[]> {
  const people: Person[] = [];
  for (let n = 0; n < PARTNERS; n++) {
    const midoffices = await createMidoffices(bellhop, [receiver]);
    const { partnerId, ids } = midoffices;
    await support(bellhop, 'PATCH', `/partners/${partnerId}`, { midoffice_id: ids[0] });
    await postEvents(bellhop, midoffices, ids, WEBHOOKS);
    const url = portalUrl(bellhop, '/home');
    for (let one = 0; one < PEOPLE / PARTNERS; one++) {
      people.push({ cookie: await openPortal(bellhop, partnerId), url });
    }
  }
  return people;
}

async function latencies(caller: string) {
  const times = JSON.parse(await said(`${caller}/run?seconds=${SECONDS}`)) as number[];
  const at = (share: number) => times[Math.floor(times.length * share)] as number;
  return { figure: at(0.99), details: { p50: at(0.5), calls: times.length } };
}

async function said(url: string): Promise<string> {
  const reply = await fetch(url);
  const text = await reply.text();
  if (!reply.ok) throw new Error(text);
  return text;
}
