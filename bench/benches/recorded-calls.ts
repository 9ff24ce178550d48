/**
 * What it costs to record refused and failed calls, against the same Bellhop that records none: for calls that
 * succeed, for a flood that is refused, and for another partner beside that flood.
 */
import { type Bellhop, OVERVIEW_PATH, startBellhop } from '../bellhop.ts';
import type { Bench, Session } from '../bench.ts';
import { refusedKey, unlimitedKey } from '../keys.ts';
import { startNode } from '../processes.ts';
import { type Side, sideBySide } from '../side-by-side.ts';
import { callsPerSecond, type Load, runWrk } from '../wrk.ts';

const FORWARDED_PATH = '/api/b2b/v3/search/hp/';
const FLOOD_SECONDS = 4;
const BESIDE_SECONDS = 2;

interface Subject {
  name: string;
  bellhop: Bellhop;
  good: string;
  refused: string;
}

export const recordedCalls: Bench = {
  name: 'recorded-calls',
  async run(session) {
    const upstream = await startNode(session, 'bench/servers/upstream.ts', []);
    const start = (name: string, retention: string) =>
      startSubject(session, name, {
        BELLHOP_SANDBOX_UPSTREAM_URL: upstream.ready,
        BELLHOP_SANDBOX_CALLS_RETENTION: retention,
      });
    const recording = await start('recorded', '7d');
    const silent = await start('not recorded', '0d');
    const compare = (title: string, loadOf: (subject: Subject) => Load) =>
      sideBySide(
        session,
        { title, unit: 'calls/s', bar: { atLeast: 0.95 } },
        ...both((one) => callsPerSecond(one.name, one.bellhop, loadOf(one))),
      );
    const both = (side: (subject: Subject) => Side): [Side, Side] => [
      side(recording),
      side(silent),
    ];
    for (const one of [recording, silent]) {
      for (const load of [overview(one), forwarded(one), flood(one)]) await runWrk(load);
    }
    return [
      await compare('overview/, calls recorded ÷ not', overview),
      await compare('forwarding a GET, calls recorded ÷ not', forwarded),
      await compare('calls over the limit, recorded ÷ not', flood),
      await sideBySide(
        session,
        {
          title: 'p99 of another partner beside such a flood, recorded ÷ not',
          unit: 'ms',
          bar: { atMost: 1.1 },
        },
        ...both(besideFlood),
      ),
    ];
  },
};

const overview = ({ bellhop, good }: Subject): Load => ({
  url: bellhop.sandbox + OVERVIEW_PATH,
  authorizations: good,
});

const forwarded = ({ bellhop, good }: Subject): Load => ({
  url: bellhop.sandbox + FORWARDED_PATH,
  authorizations: good,
});

const flood = ({ bellhop, refused }: Subject): Load => ({
  url: bellhop.sandbox + OVERVIEW_PATH,
  authorizations: refused,
  isRefused: true,
});

function besideFlood(subject: Subject): Side {
  return {
    name: subject.name,
    async measure() {
      const flooding = runWrk({ ...flood(subject), connections: 16 }, FLOOD_SECONDS);
      const { p99Ms } = await runWrk({ ...overview(subject), connections: 4 }, BESIDE_SECONDS);
      await flooding;
      return { figure: p99Ms };
    },
  };
}

async function startSubject(
  session: Session,
  name: string,
  env: Record<string, string>,
): Promise<Subject> {
  const folder = await session.folder();
  const bellhop = await startBellhop(session, folder, env);
  return {
    name,
    bellhop,
    good: await unlimitedKey(bellhop, folder),
    refused: await refusedKey(bellhop, folder),
  };
}
