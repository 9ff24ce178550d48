/** A webhook signed at a fixed time, and a verifier for it. */
import { signWebhook, type WebhookToSign } from '../src/signature.ts';
import { createVerifier, type VerifierOptions } from '../src/verify.ts';

export const KEY = '022a2cf1-d279-02f3-9c3c-596aa09b827b';
export const NOW = 1_574_146_939;
export const TOKEN = 'd3395025-1ee7-49a2-bd86-e4bd6b9908b2';

export function webhook(changes: Partial<WebhookToSign> = {}) {
  return signWebhook({
    webhookId: 'evt_1',
    event: { type: 'created', partnerOrderId: 'A-1' },
    form: 'data',
    timestamp: NOW,
    token: TOKEN,
    bodyKey: KEY,
    headerKeys: [KEY],
    ...changes,
  });
}

export function verifier(options: Partial<VerifierOptions> = {}) {
  return createVerifier({ apiKey: KEY, now: () => NOW * 1_000, ...options });
}

/** 'ok', or the reason for the refusal. */
export async function outcome(verifying: ReturnType<ReturnType<typeof createVerifier>['verify']>) {
  const result = await verifying;
  return result.ok ? 'ok' : result.reason;
}
