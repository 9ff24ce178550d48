/** The other 42 endpoints, against a proxy on the same libraries that checks nothing. */
import { startBellhop } from '../bellhop.ts';
import type { Bench } from '../bench.ts';
import { unlimitedKey } from '../keys.ts';
import { startNode } from '../processes.ts';
import { type Comparison, inTurns } from '../side-by-side.ts';
import { callsPerSecond, type Load, warmUp } from '../wrk.ts';

const PATH = '/api/b2b/v3/search/hp/';
const SMALL_BODY = JSON.stringify({
  checkin: '2026-10-22',
  checkout: '2026-10-25',
  guests: [{ adults: 2, children: [] }],
  hid: 8_473_727,
});

export const forward: Bench = {
  name: 'forward',
  async run(session) {
    const folder = await session.folder();
    const upstream = await startNode(session, 'bench/servers/upstream.ts', []);
    const bellhop = await startBellhop(session, folder, {
      BELLHOP_SANDBOX_UPSTREAM_URL: upstream.ready,
    });
    const authorizations = await unlimitedKey(bellhop, folder);
    const bare = await startNode(session, 'bench/servers/bare-proxy.ts', [upstream.ready]);

    const calls: [string, number, Pick<Load, 'method' | 'body'>][] = [
      ['forwarding a GET', 0.88, { method: 'GET' }],
      ['forwarding a small POST', 0.95, { method: 'POST', body: SMALL_BODY }],
    ];
    const comparisons: Comparison[] = [];
    for (const [title, atLeast, call] of calls) {
      const ours = { url: bellhop.sandbox + PATH, authorizations, ...call };
      const theirs = { url: bare.ready + PATH, authorizations, ...call };
      session.progress('warming up');
      await warmUp(ours, theirs);
      comparisons.push({
        title,
        unit: 'calls/s',
        bar: { atLeast },
        measured: callsPerSecond('Bellhop', bellhop, ours),
        against: callsPerSecond('bare undici proxy', bare, theirs),
      });
    }
    return inTurns(session, comparisons);
  },
};
