/** The cost of many keys: those that call, and those that are only stored. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Bellhop, OVERVIEW_PATH, startBellhop } from '../bellhop.ts';
import type { Bench, Session } from '../bench.ts';
import { storeKeys } from '../keys.ts';
import { inTurns } from '../side-by-side.ts';
import { callsPerSecond, type Load, warmUp } from '../wrk.ts';

const MANY = 1_000_000;
const CALLING = 10_000;
const FEW = 10;

export const overviewMillionKeys: Bench = {
  name: 'overview-million-keys',
  async run(session) {
    const many = await bellhopWith(session, MANY);
    const few = await bellhopWith(session, FEW);
    const calling = await many.load('calling', many.keys.slice(0, CALLING));
    const all = { ...(await many.load('all', many.keys)), pick: 'at random' as const };
    const ten = await few.load('all', few.keys);
    session.progress('warming up');
    await warmUp(calling, ten);

    const both = { unit: 'calls/s', against: callsPerSecond('10 keys', few.bellhop, ten) };
    return inTurns(session, [
      {
        ...both,
        title: 'overview/, a million keys stored, 10,000 of them calling',
        bar: { atLeast: 0.9 },
        measured: callsPerSecond('1,000,000 keys', many.bellhop, calling),
      },
      {
        ...both,
        title: 'overview/, a million keys stored, all of them calling',
        measured: callsPerSecond('1,000,000 keys', many.bellhop, all),
      },
    ]);
  },
};

async function bellhopWith(
  session: Session,
  count: number,
): Promise<{
  bellhop: Bellhop;
  keys: string[];
  load(name: string, keys: string[]): Promise<Load>;
}> {
  const folder = await session.folder();
  session.progress(`storing ${count.toLocaleString('en')} keys`);
  const keys = await storeKeys(folder, count, (grant) => ({ ...grant, is_limited: false }));
  const bellhop = await startBellhop(session, folder);
  return {
    bellhop,
    keys,
    async load(name, keys) {
      const authorizations = join(folder, `${name}.authorizations`);
      await writeFile(authorizations, `${keys.join('\n')}\n`);
      return { url: bellhop.sandbox + OVERVIEW_PATH, authorizations };
    },
  };
}
