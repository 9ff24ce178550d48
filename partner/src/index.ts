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
export {
  type Client,
  type ClientOptions,
  createClient,
  type EndpointEntry,
  PartnerApiError,
  type PartnerApiErrorCode,
} from './client.ts';
export { type AnyFastify, createFastifyPlugin } from './fastify-plugin.ts';
export { createFetchHandler } from './fetch-handler.ts';
export type { HeaderSource } from './headers.ts';
export { createNodeHandler, type NodeRequest, type NodeResponse } from './node-handler.ts';
export { createPacer, type Pacer, type PacerOptions } from './pacer.ts';
export type { DeliveryDetails, ReceiverOptions } from './receive.ts';
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
