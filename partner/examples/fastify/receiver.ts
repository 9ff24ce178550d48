/** A webhook receiver on Fastify 5: `API_KEY=… PORT=3000 node receiver.ts`. */
import { createFastifyPlugin, memoryTokenStore, type ReceivedEvent } from '@bellhop/partner';
import Fastify from 'fastify';

const { API_KEY, PORT = '3000' } = process.env;
// Both keys, separated by a comma, while a rotation overlaps.
if (!API_KEY) throw new Error('Set API_KEY to the API key that signs your webhooks.');

/** Stands for a table of your database. The webhook id is its key: a repeated event changes nothing. */
const events = new Map<string, ReceivedEvent>();

const app = Fastify();

// The plugin keeps the raw body of its own route only. Other routes still get parsed JSON.
await app.register(
  createFastifyPlugin({
    path: '/webhook',
    apiKey: API_KEY.split(','),
    // If you run several processes, share the tokens: see redis-token-store.ts.
    tokenStore: memoryTokenStore(),
    requireHeaders: true,
    // Return after the event is stored, and do the work that it causes later: the service waits 10 s.
    async onEvent(event, { webhookId = '' }) {
      if (!events.has(webhookId)) events.set(webhookId, event);
    },
    onRefused: (reason, message) => console.warn(`refused: ${reason} (${message})`),
    onError: (error) => console.error(error),
  }),
);

app.get('/health', async () => ({ events: events.size }));

await app.listen({ port: Number(PORT) });
console.log(`listening on http://127.0.0.1:${PORT}/webhook`);
