/**
 * What it costs to record refused and failed calls, against the same Bellhop that records none: for calls that
 * succeed, for a flood that is refused, and for another partner beside that flood.
 */
import { OVERVIEW_PATH } from '../bellhop.ts';
import type { Bench } from '../bench.ts';
import { startNode } from '../processes.ts';
import { type Side, sideBySide } from '../side-by-side.ts';
import { meanCallsPerSecond, meanOfBoth, type Subject, startTwoSettings } from '../two-settings.ts';
import { type Load, runWrk } from '../wrk.ts';

const FORWARDED_PATH = '/api/b2b/v3/search/hp/';
const FLOOD_SECONDS = 4;
const BESIDE_SECONDS = 2;

export const recordedCalls: Bench = {
  name: 'recorded-calls',
  async run(session) {
    const upstream = await startNode(session, 'bench/servers/upstream.ts', []);
    const withRetention = (retention: string) => ({
      BELLHOP_SANDBOX_UPSTREAM_URL: upstream.ready,
      BELLHOP_SANDBOX_CALLS_RETENTION: retention,
    });
    const [recording, silent] = await startTwoSettings(
      session,
      { name: 'recorded', env: withRetention('7d') },
      { name: 'not recorded', env: withRetention('0d') },
    );
    const compare = (title: string, loadOf: (subject: Subject) => Load) =>
      sideBySide(
        session,
        { title, unit: 'calls/s', bar: { atLeast: 0.95 } },
        meanCallsPerSecond(recording, loadOf),
        meanCallsPerSecond(silent, loadOf),
      );
    for (const one of [...recording.subjects, ...silent.subjects]) {
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
        meanOfBoth(recording, besideFlood),
        meanOfBoth(silent, besideFlood),
      ),
    ];
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

function besideFlood(subject: Subject): Side {
  return {
    name: 'beside the flood',
    async measure() {
      const flooding = runWrk({ ...flood(subject), connections: 16 }, FLOOD_SECONDS);
      const { p99Ms } = await runWrk({ ...overview(subject), connections: 4 }, BESIDE_SECONDS);
      await flooding;
      return { figure: p99Ms };
    },
  };
}
