import { readFile } from 'node:fs/promises';
import { OVERVIEW_PATH, startBellhop } from '../bellhop.ts';
import type { Bench } from '../bench.ts';
import { unlimitedKey } from '../keys.ts';
import { startNode } from '../processes.ts';
import { sideBySide } from '../side-by-side.ts';
import { callsPerSecond, warmUp } from '../wrk.ts';

export const overviewUnlimited: Bench = {
  name: 'overview-unlimited',
  async run(session) {
    const folder = await session.folder();
    const bellhop = await startBellhop(session, folder);
    const authorizations = await unlimitedKey(bellhop, folder);
    const ours = { url: bellhop.sandbox + OVERVIEW_PATH, authorizations };
    const authorization = (await readFile(authorizations, 'utf8')).trim();
    const bare = await startNode(session, 'bench/servers/bare-http.ts', [ours.url, authorization]);
    const theirs = { url: bare.ready + OVERVIEW_PATH, authorizations };
    session.progress('warming up');
    await warmUp(ours, theirs);
    return [
      await sideBySide(
        session,
        { title: 'overview/, unlimited key', unit: 'calls/s', bar: { atLeast: 0.85 } },
        callsPerSecond('Bellhop', bellhop, ours),
        callsPerSecond('bare node:http', bare, theirs),
      ),
    ];
  },
};
