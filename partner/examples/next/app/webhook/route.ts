/** A webhook receiver as a route handler of Next.js: the address is /webhook, the key is in API_KEY. */
import { createFetchHandler, memoryTokenStore, type ReceivedEvent } from '@bellhop/partner';

export const runtime = 'nodejs';

/** Stands for a table of your database. The webhook id is its key: a repeated event changes nothing. */
const events = new Map<string, ReceivedEvent>();

// Created by the first webhook, because Next.js also loads this file while it builds, without the key.
let receive: ReturnType<typeof createReceiver> | undefined;

export async function POST(request: Request): Promise<Response> {
  receive ??= createReceiver();
  return receive(request);
}

function createReceiver() {
  const { API_KEY } = process.env;
  if (!API_KEY) throw new Error('Set API_KEY to the API key that signs your webhooks.');
  return createFetchHandler({
    // Both keys, separated by a comma, while a rotation overlaps.
    apiKey: API_KEY.split(','),
    // If several servers or functions answer, share the tokens: see redis-token-store.ts.
    tokenStore: memoryTokenStore(),
    requireHeaders: true,
    // Return after the event is stored, and do the work that it causes later: the service waits 10 s.
    async onEvent(event, { webhookId = '' }) {
      if (!events.has(webhookId)) events.set(webhookId, event);
    },
    onRefused: (reason, message) => console.warn(`refused: ${reason} (${message})`),
    onError: (error) => console.error(error),
  });
}
