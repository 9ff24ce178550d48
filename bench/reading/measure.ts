/** Reads over and over, and posts events meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { ADMIN_TOKEN, type Bellhop } from '../bellhop.ts';
import { type Midoffices, postEvents } from '../midoffices.ts';
import { portalUrl } from '../portal-visit.ts';
import type { Reading } from './requests.ts';

const POST_EVERY_MS = 15;
/** A download is cut off here: what it costs does not change with its length. */
const MOST_BYTES = 20_000_000;

/** How long each event waited to be accepted. */
export function postDelaysMs(
  bellhop: Bellhop,
  midoffices: Midoffices,
  goesOn: () => boolean,
): Promise<number[]> {
  return repeated(goesOn, async () => {
    const startedMs = performance.now();
    await postEvents(bellhop, midoffices, midoffices.ids.slice(0, 1), 1);
    const tookMs = performance.now() - startedMs;
    await sleep(POST_EVERY_MS);
    return tookMs;
  });
}

export async function repeated(
  goesOn: () => boolean,
  work: () => Promise<number>,
): Promise<number[]> {
  const results: number[] = [];
  do results.push(await work());
  while (goesOn());
  return results;
}

export async function read(bellhop: Bellhop, { path, cookie, accept }: Reading): Promise<number> {
  const startedMs = performance.now();
  const url = cookie ? portalUrl(bellhop, path) : `${bellhop.backOffice}/support/v1/sandbox${path}`;
  const reply = await request(url, {
    headers: {
      ...(cookie ? { cookie } : { authorization: `Bearer ${ADMIN_TOKEN}` }),
      ...(accept && { accept }),
    },
  });
  let bytes = 0;
  let text = '';
  for await (const chunk of reply.body) {
    bytes += chunk.length;
    if (reply.statusCode !== 200) text += chunk;
    if (bytes > MOST_BYTES) break;
  }
  if (reply.statusCode !== 200) throw new Error(`${path}: ${reply.statusCode} ${text}`);
  return performance.now() - startedMs;
}
