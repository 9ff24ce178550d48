/**
 * What it costs to record refused and failed calls, against the same Bellhop that records none: for calls that
 * succeed, for a flood that is refused, and for another partner beside that flood.
 */
import { OVERVIEW_PATH } from '../bellhop.ts';
import type { Bench } from '../bench.ts';
import { newlyStarted, type Setting, type Subject, TURNS } from '../newly-started.ts';
import { startNode } from '../processes.ts';
import { type About, type Comparison, inTurns, type Round } from '../side-by-side.ts';
import { type Load, measureCalls, runWrk } from '../wrk.ts';

const FORWARDED_PATH = '/api/b2b/v3/search/hp/';
const FLOOD_SECONDS = 3;
const BESIDE_SECONDS = 2;

export const recordedCalls: Bench = {
  name: 'recorded-calls',
  async run(session) {
    const upstream = await startNode(session, 'bench/servers/upstream.ts', []);
    const kept = (name: string, retention: string): Setting => ({
      name,
      env: {
        BELLHOP_SANDBOX_UPSTREAM_URL: upstream.ready,
        BELLHOP_SANDBOX_CALLS_RETENTION: retention,
      },
    });
    const recorded = newlyStarted(session, kept('recorded', '7d'));
    const notRecorded = newlyStarted(session, kept('not recorded', '0d'));
    const compared = (about: About, measure: (subject: Subject) => Promise<Round>): Comparison => ({
      ...about,
      measured: recorded(measure),
      against: notRecorded(measure),
    });
    const speed = (title: string, loadOf: (subject: Subject) => Load) =>
      compared({ title, unit: 'calls/s', bar: { atLeast: 0.95 } }, (one) =>
        measureCalls(one.bellhop, loadOf(one)),
      );
    return inTurns(
      session,
      [
        speed('overview/, calls recorded ÷ not', overview),
        speed('forwarding a GET, calls recorded ÷ not', forwarded),
        speed('calls over the limit, recorded ÷ not', flood),
        compared(
          {
            title: 'p99 of another partner beside such a flood, recorded ÷ not',
            unit: 'ms',
            bar: { atMost: 1.1 },
          },
          besideFlood,
        ),
      ],
      TURNS,
    );
  },
};

const overview = ({ bellhop, unlimited }: Subject): Load => ({
  url: bellhop.sandbox + OVERVIEW_PATH,
  authorizations: unlimited,
});

const forwarded = ({ bellhop, unlimited }: Subject): Load => ({
  url: bellhop.sandbox + FORWARDED_PATH,
  authorizations: unlimited,
});

const flood = ({ bellhop, refused }: Subject): Load => ({
  url: bellhop.sandbox + OVERVIEW_PATH,
  authorizations: refused,
  isRefused: true,
});

async function besideFlood(subject: Subject): Promise<Round> {
  const flooding = runWrk({ ...flood(subject), connections: 16 }, FLOOD_SECONDS);
  const { p99Ms } = await runWrk({ ...overview(subject), connections: 4 }, BESIDE_SECONDS);
  await flooding;
  return { figure: p99Ms };
}
