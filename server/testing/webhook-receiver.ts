/** A midoffice's receiver for tests: a real HTTP server that records webhooks and answers as told. */

import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { onTestFinished } from 'vitest';
import { listen } from '../../kit/listen.ts';
import { Condition } from './condition.ts';

export interface Webhook {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at any body.
  json: any;
  /** The order id, in any body form. */
  orderId: string;
}

export type Answer = (webhook: Webhook, response: ServerResponse, request: IncomingMessage) => void;

export interface WebhookReceiver {
  url: string;
  /** The webhooks, oldest first. */
  received: Webhook[];
  /** How many wait for an answer now, and the most at any time. */
  inFlight: number;
  mostInFlight: number;
  /** Changes the answer to the next webhooks. */
  answer: Answer;
  /** Resolves once this many have arrived in total. */
  came(count: number): Promise<void>;
  /** Answers all waiting webhooks, oldest first, and all later ones. */
  answerAll(answer?: Answer): void;
  close(): Promise<void>;
}

export function status(code: number, body = '', headers: Record<string, string> = {}): Answer {
  return (_webhook, response) => void response.writeHead(code, headers).end(body);
}

/** Keeps the caller waiting, until `answerAll`. */
export const hang: Answer = () => {};

/** Closed after the test, or when `atEnd` decides. */
export async function startReceiver(
  answer: Answer = status(200),
  { port = 0, atEnd = onTestFinished as (end: () => Promise<void>) => void } = {},
): Promise<WebhookReceiver> {
  const waiting = new Map<ServerResponse, [Webhook, IncomingMessage]>();
  const came = new Condition();
  const server = createServer({ keepAliveTimeout: 60_000 });
  server.on('request', async (request, response) => {
    receiver.inFlight++;
    receiver.mostInFlight = Math.max(receiver.mostInFlight, receiver.inFlight);
    response.once('close', () => {
      receiver.inFlight--;
      waiting.delete(response);
    });
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const webhook = readWebhook(request, Buffer.concat(chunks).toString());
    waiting.set(response, [webhook, request]);
    receiver.received.push(webhook);
    came.look();
    receiver.answer(webhook, response, request);
  });
  const { url, close } = await listen(server, port);
  const receiver: WebhookReceiver = {
    url: `${url}/hook`,
    received: [],
    inFlight: 0,
    mostInFlight: 0,
    answer,
    came: (count) => came.until(() => receiver.received.length >= count),
    answerAll(next = status(200)) {
      receiver.answer = next;
      for (const [response, [webhook, request]] of [...waiting]) {
        if (!response.headersSent) next(webhook, response, request);
      }
    },
    close,
  };
  atEnd(() => receiver.close());
  return receiver;
}

function readWebhook(request: IncomingMessage, body: string): Webhook {
  const json = JSON.parse(body);
  const orderId = json.data?.partner_order_id ?? json.partner_order_id;
  return { path: request.url ?? '', headers: request.headers, body, json, orderId };
}
