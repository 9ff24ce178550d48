/**
 * The pacer's promise: with 50 callers that never stop calling a real Bellhop for a minute, no call is
 * refused, and nearly the whole limit is used.
 */
import { createClient, createPacer } from '@bellhop/partner';
import { startBellhop, support } from '../bellhop.ts';
import type { Bench, Line } from '../bench.ts';
import { startNode } from '../processes.ts';

const CALLERS = 50;
const SECONDS = 60;
const LIMITS = [
  { endpoint: 'api/b2b/v3/search/hotelsort/', requests_number: 100, seconds_number: 10 },
  { endpoint: 'api/b2b/v3/search/serp/hotels/', requests_number: 75, seconds_number: 30 },
  { endpoint: 'api/b2b/v3/search/hp/', requests_number: 50, seconds_number: 1 },
];

export const pacer: Bench = {
  name: 'pacer',
  async run(session) {
    const upstream = await startNode(session, 'bench/servers/upstream.ts', []);
    const bellhop = await startBellhop(session, await session.folder(), {
      BELLHOP_SANDBOX_UPSTREAM_URL: upstream.ready,
    });
    const partner = await support<{ id: string }>(bellhop, 'POST', '/partners', {
      name: 'Bench',
      integration_started_on: '2025-10-01',
      is_new: true,
    });
    const path = `/partners/${partner.id}/keys`;
    const key = await support<{ key_id: string; api_key: string }>(bellhop, 'POST', path, {});
    for (const limit of LIMITS) {
      await support(bellhop, 'PUT', `/keys/${key.key_id}/endpoints`, limit);
    }

    const statuses: Record<string, number> = {};
    const client = createClient({
      baseUrl: bellhop.sandbox,
      keyId: key.key_id,
      apiKey: key.api_key,
      async fetch(url, init) {
        const reply = await fetch(url, init);
        statuses[reply.status] = (statuses[reply.status] ?? 0) + 1;
        return reply;
      },
    });
    const paced = createPacer({ client });
    await paced.limits();
    const over = AbortSignal.timeout(SECONDS * 1_000);
    session.progress(`${CALLERS} callers for ${SECONDS} s`);
    const used = await Promise.all(
      LIMITS.map(({ endpoint }) => callUntil(over, () => paced.call(endpoint, { signal: over }))),
    );

    const lines: Line[] = LIMITS.map(({ endpoint, requests_number, seconds_number }, i) => {
      const calls = used[i] as number;
      const allowed = (requests_number * SECONDS) / seconds_number;
      const limit = `${requests_number} in ${seconds_number} s`;
      return {
        title: `pacer, ${CALLERS} callers, ${SECONDS} s, ${endpoint} ${limit}`,
        unit: 'calls',
        measured: { name: 'used', median: calls, rounds: [calls] },
        against: { name: 'allowed', median: allowed, rounds: [allowed] },
        result: calls / allowed,
        bar: { atLeast: 0.95 },
      };
    });
    const refused = statuses[429] ?? 0;
    const replies = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    lines.push({
      title: `pacer, refusals among ${replies} replies`,
      unit: 'refusals',
      measured: { name: '429', median: refused, rounds: [refused], details: statuses },
      result: refused,
      bar: { atMost: 0 },
    });
    return lines;
  },
};

/** How many calls were answered by then. Every caller calls again as soon as it has its reply. */
async function callUntil(over: AbortSignal, call: () => Promise<Response>): Promise<number> {
  let calls = 0;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!over.aborted) {
      try {
        const reply = await call();
        await reply.arrayBuffer();
        calls++;
      } catch (error) {
        if (!over.aborted) throw error;
      }
    }
  });
  await Promise.all(callers);
  return calls;
}
