/**
 * One story for the examples in both documents: a partner whose key calls the API, and whose midoffice
 * receives a webhook. Everything fits together, and the signatures verify.
 */
import type { BodyForm } from '@bellhop/partner';
import { signWebhook } from '@bellhop/partner/node';

export const AT_MS = Date.parse('2026-01-31T12:00:00Z');
export const KEY_ID = '8095346453';
export const API_KEY = '022a2cf1-d279-02f3-9c3c-596aa09b827b';
export const REQUEST_ID = '3f1c9a7be0d24f5c8a6b1e9d7c2f4a08';
export const CALLER = '203.0.113.7';

/** The webhook as the midoffice receives it. */
export function exampleWebhook(form: BodyForm) {
  return signWebhook({
    webhookId: 'evt-2026-000417',
    event: { type: 'created', partnerOrderId: 'BK-000417', agreementNumber: 'AG-1029' },
    form,
    timestamp: AT_MS / 1_000,
    token: 'q7ZtM2dXk4RvB9sLwY1eHcN8uPf3GjTa6oQi5VxDzKbC0nWmEr',
    bodyKey: API_KEY,
    headerKeys: [API_KEY],
  });
}
