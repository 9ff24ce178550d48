/** Every parser of input that Bellhop does not control. */
import type { Target } from './target.ts';
import { addresses, forwardedFor, networks } from './targets/addresses.ts';
import { orderEvents, sessionCookie } from './targets/back-office-input.ts';
import { origin } from './targets/browsers.ts';
import { eventBatch } from './targets/event-batch.ts';
import { csvTable, importedFile, importLines } from './targets/import.ts';
import {
  overviewReply,
  rateLimitHeaders,
  webhook,
  webhookBody,
} from './targets/partner-package.ts';
import {
  authorizationHeader,
  forwardedHeaders,
  requestTarget,
  traceContext,
} from './targets/partner-requests.ts';
import { backOfficeRequest, partnerRequest } from './targets/raw-requests.ts';
import {
  receiverAddress,
  receiverReply,
  receiverReplyHead,
  receiverUrl,
  upstreamReply,
} from './targets/receivers.ts';
import { cursor, journalRow, redisProtocol, redisReply, settings } from './targets/stored.ts';

export const targets: readonly Target[] = [
  ...[addresses, networks, forwardedFor, origin],
  ...[authorizationHeader, requestTarget, forwardedHeaders, traceContext],
  ...[receiverReply, receiverReplyHead, receiverAddress, receiverUrl, upstreamReply],
  ...[webhook, webhookBody, rateLimitHeaders, overviewReply],
  ...[settings, cursor, journalRow, redisProtocol, redisReply],
  ...[importLines, importedFile, csvTable],
  ...[partnerRequest, backOfficeRequest, orderEvents, eventBatch, sessionCookie],
];
