/** Signs a webhook as Bellhop does, and POSTs it with undici: all that others need to deliver the same. */
import { createTokenMaker } from '@bellhop/partner';
import { signWebhook } from '@bellhop/partner/node';
import { Pool } from 'undici';

export type Send = (id: string, partnerOrderId: string) => Promise<void>;

export function webhookSender(receiver: URL, connections?: number): Send {
  const pool = new Pool(receiver.origin, { pipelining: 1, ...(connections && { connections }) });
  const newToken = createTokenMaker();
  const apiKey = '022a2cf1-d279-02f3-9c3c-596aa09b827b';
  return async (id, partnerOrderId) => {
    const { headers, body } = signWebhook({
      webhookId: id,
      event: { type: 'created', partnerOrderId },
      form: 'data',
      timestamp: Math.floor(Date.now() / 1_000),
      token: newToken(),
      bodyKey: apiKey,
      headerKeys: [apiKey],
    });
    const reply = await pool.request({
      path: receiver.pathname,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'bare' },
      body,
    });
    await reply.body.dump();
    if (reply.statusCode !== 200) throw new Error(`the receiver answered ${reply.statusCode}`);
  };
}
