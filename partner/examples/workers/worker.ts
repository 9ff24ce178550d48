/** A webhook receiver on Cloudflare Workers: `wrangler secret put API_KEY`, then `wrangler deploy`. */
import { createFetchHandler } from '@bellhop/partner';
import { type TokenObjects, tokenStoreIn } from './webhook-token.ts';

export { WebhookToken } from './webhook-token.ts';

interface Env {
  /** Both keys, separated by a comma, while a rotation overlaps. */
  API_KEY: string;
  TOKENS: TokenObjects;
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (new URL(request.url).pathname !== '/webhook') return new Response(null, { status: 404 });
    const receive = createFetchHandler({
      apiKey: env.API_KEY.split(','),
      tokenStore: tokenStoreIn(env.TOKENS),
      requireHeaders: true,
      // Store the event here under its webhook id, in D1 for example, or put it into a queue.
      async onEvent(event, { webhookId }) {
        console.log(webhookId, event.type, event.partnerOrderId);
      },
      onRefused: (reason, message) => console.warn(`refused: ${reason} (${message})`),
      onError: (error) => console.error(error),
    });
    return receive(request);
  },
};
