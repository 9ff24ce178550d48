/** Sends a batch to Bellhop, and says what its answer means for the batch. */
import type { OrderEvent } from './outbox.ts';

export type Answer =
  | { kind: 'accepted'; outcomes: Record<string, number> }
  /** Nothing was stored. These events, by their index in the batch, are the reason. */
  | { kind: 'refused'; refusals: Map<number, string> }
  /** Nothing was stored. The body had this many bytes: send fewer events at a time. */
  | { kind: 'too large'; bytes: number; reason: string }
  /** Nothing was stored, or nobody knows: send the same batch again. */
  | { kind: 'later'; reason: string; waitSeconds: number | null };

export interface Destination {
  /** As in https://bellhop.internal/orders/v1/production/events */
  eventsUrl: string;
  /** A back-office token with the role "orders". */
  token: string;
}

interface Problem {
  code?: string;
  title?: string;
  detail?: string;
  errors?: { field: string; detail: string }[];
}

/**
 * Of one request. Bellhop takes 32 MiB, but many proxies only 1 MiB. An event that Bellhop would accept has
 * less than 40 KiB.
 */
export const MOST_BODY_BYTES = 1_048_576;
const TIMEOUT_MS = 30_000;

export async function postEvents(
  { eventsUrl, token }: Destination,
  events: OrderEvent[],
): Promise<Answer> {
  const body = JSON.stringify({ events });
  const bytes = Buffer.byteLength(body);
  if (bytes > MOST_BODY_BYTES) {
    // Not even sent: a server may close the connection before it answers, which would look like a failure to repeat.
    return tooLarge(events, bytes, `A request of ${bytes} bytes is more than ${MOST_BODY_BYTES}.`);
  }
  try {
    const reply = await fetch(eventsUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (reply.status === 413) {
      await reply.body?.cancel();
      return tooLarge(events, bytes, `Bellhop answered 413 to a request of ${bytes} bytes.`);
    }
    return await readAnswer(reply);
  } catch (error) {
    const { message, cause } = error as Error;
    const detail = cause instanceof Error ? cause.message || cause.name : message;
    return { kind: 'later', reason: `Bellhop does not answer: ${detail}`, waitSeconds: null };
  }
}

function tooLarge(events: OrderEvent[], bytes: number, reason: string): Answer {
  if (events.length > 1) return { kind: 'too large', bytes, reason };
  return { kind: 'refused', refusals: new Map([[0, `too_large: ${reason}`]]) };
}

async function readAnswer(reply: Response): Promise<Answer> {
  const text = await reply.text();
  if (reply.status === 202) {
    const { results } = JSON.parse(text) as { results: { outcome: string }[] };
    return { kind: 'accepted', outcomes: countBy(results.map(({ outcome }) => outcome)) };
  }
  const problem = readProblem(text);
  if (reply.status === 422 || problem.code === 'event_id_reused') {
    const refusals = refusalsByIndex(problem);
    if (refusals.size > 0) return { kind: 'refused', refusals };
  }
  // Among them 401, 403 and 404, which someone has to correct. The events are right, so they wait.
  const what = problem.detail ?? problem.title ?? text.slice(0, 200);
  const waitSeconds = Number(reply.headers.get('retry-after')) || null;
  return { kind: 'later', reason: `Bellhop answered ${reply.status}: ${what}`, waitSeconds };
}

/** A proxy in between may answer something other than a problem. */
function readProblem(text: string): Problem {
  try {
    return (JSON.parse(text) as Problem | null) ?? {};
  } catch {
    return {};
  }
}

function refusalsByIndex({ code, errors = [] }: Problem): Map<number, string> {
  const refusals = new Map<number, string>();
  for (const { field, detail } of errors) {
    const [, index, name] = /^\/events\/(\d+)\/?(.*)$/.exec(field) ?? [];
    if (index !== undefined) refusals.set(Number(index), `${code}: ${name} ${detail}`);
  }
  return refusals;
}

function countBy(words: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
