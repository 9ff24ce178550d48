/** A webhook receiver on Express 5: `API_KEY=… PORT=3000 node receiver.ts`. */
import { createNodeHandler, memoryTokenStore, type ReceivedEvent } from '@bellhop/partner';
import express from 'express';

const { API_KEY, PORT = '3000' } = process.env;
// Both keys, separated by a comma, while a rotation overlaps.
if (!API_KEY) throw new Error('Set API_KEY to the API key that signs your webhooks.');

/** Stands for a table of your database. The webhook id is its key: a repeated event changes nothing. */
const events = new Map<string, ReceivedEvent>();

const app = express();

// Before express.json(), because the signature covers the bytes as they were sent.
app.post(
  '/webhook',
  createNodeHandler({
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

app.use(express.json());
app.get('/health', (_request, response) => {
  response.json({ events: events.size });
});

app.listen(Number(PORT), () => console.log(`listening on http://127.0.0.1:${PORT}/webhook`));
