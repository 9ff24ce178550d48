/**
 * Power cuts, without cutting the power: one run under load, recorded write by write, from which many
 * images are built as a disk may have them at a random moment. Killing a process shows less, because the
 * operating system still writes what the process had handed over.
 */
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { Random } from '../random.ts';
import { checkImage } from './check.ts';
import { type Cut, imageAt } from './image.ts';
import { Load } from './load.ts';
import { noPromises, type Promises } from './promises.ts';
import { type Recording, readRecording } from './recording.ts';
import { hasStrace, startReceiver, startServer } from './server.ts';

/** How many of the writes after the last sync survive: none, some, most, all. */
const LUCK = [0, 0.3, 0.8, 1] as const;

export interface PowerCutOptions {
  images: number;
  seconds: number;
  seed: string;
}

export interface PowerCutResult {
  writes: number;
  syncs: number;
  promises: Record<'events' | 'admissions' | 'changes' | 'tokens', number>;
  /** Promises that were looked for, over all images. */
  checked: number;
  unconfirmed: number;
  lost: number;
  /** Sentences; empty if every promise was kept. */
  broken: string[];
  /** Kept if a promise was broken; otherwise null. */
  folder: string | null;
}

export async function cutPower(
  { images, seconds, seed }: PowerCutOptions,
  tell: (stage: string) => void,
): Promise<PowerCutResult> {
  if (!hasStrace()) throw new Error('Power cuts need strace; install it (apt install strace).');
  const random = new Random(seed);
  const folder = mkdtempSync(join(tmpdir(), 'bellhop-power-cut-'));
  const dataDir = join(folder, 'data');
  const promises = noPromises();
  tell('recording');
  const recordedFrom = await record(folder, dataDir, promises, seconds, random.fork('load'));
  tell('reading the recording');
  const recording = await readRecording(join(folder, 'recording'));
  const result = summary(recording, promises);
  for (let i = 1; i <= images; i++) {
    tell(`image ${i} of ${images}`);
    const chance = random.fork(`image ${i}`);
    const cut = chooseCut(recording, promises, recordedFrom, chance);
    const image = imageAt(recording, cut, chance);
    const target = join(folder, `image-${i}`);
    writeImage(dataDir, target, image.files);
    const masterKey = Buffer.from(readFileSync(join(dataDir, 'master.key'), 'utf8'), 'base64');
    const cutAtMs = recording.timesMs[cut.at] as number;
    const { promised, broken } = await checkImage(target, masterKey, promises, cutAtMs);
    result.checked += promised;
    result.unconfirmed += image.unconfirmed;
    result.lost += image.lost;
    const which = `image ${i}, cut at ${cut.at} of ${recording.timesMs.length}, luck ${cut.luck}`;
    result.broken.push(...broken.map((sentence) => `${which}: ${sentence}`));
    if (broken.length === 0) rmSync(target, { recursive: true });
  }
  if (result.broken.length > 0) return { ...result, folder };
  rmSync(folder, { recursive: true });
  return result;
}

/** Resolves to the time from which on the power may be cut. */
async function record(
  folder: string,
  dataDir: string,
  promises: Promises,
  seconds: number,
  random: Random,
): Promise<number> {
  const token = randomBytes(24).toString('hex');
  const receiver = await startReceiver(promises);
  try {
    const server = await startServer(dataDir, token, join(folder, 'recording'));
    try {
      const load = new Load({ server, receiver, token, promises, random });
      await load.prepare();
      const readyAtMs = Date.now();
      await load.run(seconds);
      return readyAtMs;
    } finally {
      await server.kill();
    }
  } finally {
    await receiver.close();
  }
}

/** Half of the cuts come right after a reply, when it is most likely that something is not on the disk. */
function chooseCut(
  { timesMs }: Recording,
  { events, admissions, changes, tokens }: Promises,
  fromMs: number,
  random: Random,
): Cut {
  const luck = random.pick(LUCK);
  if (random.chance(0.5)) {
    const { atMs } = random.pick<{ atMs: number }>(
      random.pick<readonly { atMs: number }[]>([events, admissions, changes, tokens]),
    );
    const at = timesMs.findIndex((timeMs) => timeMs >= atMs);
    if (at >= 0) return { at, luck };
  }
  const first = timesMs.findIndex((timeMs) => timeMs >= fromMs);
  return { at: random.between(first, timesMs.length - 1), luck };
}

function writeImage(dataDir: string, target: string, files: ReadonlyMap<string, Buffer>): void {
  mkdirSync(target);
  cpSync(join(dataDir, 'master.key'), join(target, 'master.key'));
  for (const [file, bytes] of files) {
    const copy = join(target, relative(dataDir, file));
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, bytes);
  }
}

function summary({ calls }: Recording, promises: Promises): PowerCutResult {
  const count = (kind: string) => calls.filter((call) => call.kind === kind).length;
  const { events, admissions, changes, tokens } = promises;
  const made = { events, admissions, changes, tokens };
  const [writes, syncs] = [count('write'), count('sync')];
  for (const [name, some] of Object.entries(made)) {
    if (some.length === 0) throw new Error(`Nothing was tried: Bellhop has promised no ${name}.`);
  }
  if (writes === 0 || syncs === 0) throw new Error('strace has recorded no writes or no syncs.');
  return {
    writes,
    syncs,
    promises: {
      events: events.length,
      admissions: admissions.length,
      changes: changes.length,
      tokens: tokens.length,
    },
    checked: 0,
    unconfirmed: 0,
    lost: 0,
    broken: [],
    folder: null,
  };
}
