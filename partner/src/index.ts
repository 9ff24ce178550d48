export {
  type BodyForm,
  composeBody,
  type EventType,
  isEventType,
  isPartnerOrderId,
  type OrderEvent,
  type ReceivedEvent,
  readBody,
} from './body.ts';
export type { HeaderSource } from './headers.ts';
export {
  createTokenMaker,
  type Secure,
  type SignedWebhook,
  sign,
  signContent,
  signWebhook,
  type WebhookHeaders,
  type WebhookToSign,
} from './signature.ts';
export { type MemoryTokenStoreOptions, memoryTokenStore, type TokenStore } from './token-store.ts';
export {
  createVerifier,
  type Refusal,
  type Verification,
  type Verifier,
  type VerifierOptions,
} from './verify.ts';
