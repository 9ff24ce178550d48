/**
 * The default limit of overview/, 100 a day, which is on disk before each reply. There are enough keys
 * for the whole run, because a refusal is cheaper than an answer and would flatter the figure.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OVERVIEW_PATH, startBellhop } from '../bellhop.ts';
import type { Bench } from '../bench.ts';
import { storeKeys } from '../keys.ts';
import { startNode } from '../processes.ts';
import { sideBySide } from '../side-by-side.ts';
import { callsPerSecond, warmUp } from '../wrk.ts';

const KEYS = 20_000;
/** A reply waits for the disk; with few callers, the figure would measure the disk and not Bellhop. */
const CALLERS = 256;

export const overviewDurable: Bench = {
  name: 'overview-durable',
  async run(session) {
    const folder = await session.folder();
    session.progress(`storing ${KEYS} keys`);
    const keys = await storeKeys(folder, KEYS);
    const authorizations = join(folder, 'authorizations');
    await writeFile(authorizations, `${keys.join('\n')}\n`);
    const bellhop = await startBellhop(session, folder);
    const ours = { url: bellhop.sandbox + OVERVIEW_PATH, authorizations, connections: CALLERS };
    const authorization = keys[0] as string;
    const bare = await startNode(session, 'bench/servers/bare-http.ts', [ours.url, authorization]);
    const theirs = { ...ours, url: bare.ready + OVERVIEW_PATH };
    session.progress('warming up');
    await warmUp(ours, theirs);
    return [
      await sideBySide(
        session,
        {
          title: `overview/, 100 a day on disk, ${KEYS.toLocaleString('en')} keys`,
          unit: 'calls/s',
          bar: { atLeast: 0.65 },
        },
        callsPerSecond('Bellhop', bellhop, ours),
        callsPerSecond('bare node:http', bare, theirs),
      ),
    ];
  },
};
