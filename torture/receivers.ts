/**
 * The receivers of the midoffices. They record each webhook before they do anything else, so their record
 * is the truth about what was sent. They verify every webhook as a partner would, with @bellhop/partner.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createVerifier, type Verifier } from '@bellhop/partner';
import { type EnvironmentName, environments } from '../kit/bellhop.ts';
import { listen } from '../kit/listen.ts';
import type { Ledger, Reception } from './ledger.ts';
import type { Random } from './random.ts';
import { type Reply, replies } from './replies.ts';
import { characters, type Office } from './world.ts';

const TOKEN = /^[A-Za-z0-9]{50}$/;
const PATH = '/webhooks/orders';

export interface Receivers {
  urlOf(environment: EnvironmentName, character: string): string;
  /** From now on each receiver knows its midoffice and accepts webhooks. */
  open(offices: readonly Office[]): void;
  /** From now on all answer 200, except the incurable ones. */
  heal(): void;
  close(): Promise<void>;
}

interface Receiver extends Awaited<ReturnType<typeof listen>> {
  office?: Office;
  verifier?: Verifier;
}

export async function startReceivers(ledger: Ledger, random: Random): Promise<Receivers> {
  const receivers = new Map<string, Receiver>();
  let healed = false;
  for (const environment of environments) {
    for (const character of Object.keys(characters)) {
      const server = createServer();
      const receiver: Receiver = await listen(server);
      const chance = random.fork(`${environment} ${character}`);
      server.on('request', (request: IncomingMessage, response: ServerResponse) => {
        response.on('error', () => {});
        receive(receiver, request, response, chance).catch((error) => {
          ledger.violate('the torture works', String(error?.stack ?? error));
        });
      });
      receivers.set(`${environment} ${character}`, receiver);
    }
  }

  async function receive(
    { office, verifier }: Receiver,
    request: IncomingMessage,
    response: ServerResponse,
    chance: Random,
  ): Promise<void> {
    const arrivedAtMs = Date.now();
    const body = await readAll(request);
    // Its sender was killed while sending.
    if (body === undefined) return;
    if (!office || !verifier) throw new Error('a webhook came before there was a midoffice');
    const reply: Reply = healed && !office.incurable ? 'ok' : chance.weighted(office.replies);
    const reception = await inspect(office, verifier, request, body, reply, arrivedAtMs);
    if (reception) {
      ledger.receptions.push(reception);
      const closed = () => {
        reception.closedAtMs = Date.now();
      };
      if (response.destroyed) closed();
      else response.once('close', closed);
    }
    replies[reply].give(response, chance, () => {
      if (reception) reception.endedAtMs = Date.now();
    });
  }

  async function inspect(
    office: Office,
    verifier: Verifier,
    request: IncomingMessage,
    body: Buffer,
    reply: Reply,
    arrivedAtMs: number,
  ): Promise<Reception | undefined> {
    const { headers, method, url } = request;
    const where = `${office.environment} "${office.character}", ${method} ${url}, ${body}`;
    const verification = await verifier.verify(body, headers);
    if (!verification.ok) {
      ledger.violate('every webhook is genuine', `${verification.message} ${where}`);
      return undefined;
    }
    const { token, timestamp, webhookId = '' } = verification;
    if (method !== 'POST' || url !== PATH) {
      ledger.violate('webhooks are POSTed to the URL alone, redirects not followed', where);
    }
    if (headers['content-type'] !== 'application/json') {
      ledger.violate('webhooks are JSON', `${headers['content-type']} ${where}`);
    }
    if (!/^Bellhop\/\d/.test(headers['user-agent'] ?? '')) {
      ledger.violate('webhooks name their sender', `${headers['user-agent']} ${where}`);
    }
    if (!TOKEN.test(token)) ledger.violate('tokens are 50 letters and digits', where);
    if (ledger.tokens.has(token)) ledger.violate('every attempt has a fresh token', where);
    ledger.tokens.add(token);
    checkContent(office, webhookId, body.toString(), where);
    return {
      office,
      eventId: webhookId,
      arrivedAtMs,
      token,
      timestamp,
      reply,
      endedAtMs: undefined,
      closedAtMs: undefined,
    };
  }

  /** Compares the webhook with the reported event, field by field, in the midoffice's body form. */
  function checkContent(office: Office, eventId: string, body: string, where: string): void {
    const event = ledger.find(office.environment, eventId);
    if (!event) {
      ledger.violate('only reported events are sent', where);
      return;
    }
    if (event.office !== office) {
      const rightful = event.office && `${event.office.environment} "${event.office.character}"`;
      ledger.violate(
        'an event reaches its own midoffice alone',
        `it belongs to ${rightful}; ${where}`,
      );
      return;
    }
    const { signature } = JSON.parse(body);
    const fields = {
      type: event.type,
      partner_order_id: event.orderId,
      agreement_number: event.agreementNumber,
      status: event.status,
    };
    const { bodyForm } = office;
    const expected = JSON.stringify({
      ...(bodyForm !== 'flat' && { data: fields }),
      ...(bodyForm !== 'data' && fields),
      signature: {
        signature: signature.signature,
        timestamp: signature.timestamp,
        token: signature.token,
      },
    });
    if (body !== expected) {
      ledger.violate('the body is as the contract writes it', `expected ${expected}; ${where}`);
    }
  }

  return {
    urlOf(environment, character) {
      return (receivers.get(`${environment} ${character}`) as Receiver).url + PATH;
    },
    open(offices) {
      for (const office of offices) {
        const receiver = receivers.get(`${office.environment} ${office.character}`) as Receiver;
        receiver.office = office;
        receiver.verifier = createVerifier({
          apiKey: office.apiKey,
          requireHeaders: true,
        });
      }
    },
    heal() {
      healed = true;
    },
    async close() {
      for (const receiver of receivers.values()) await receiver.close();
    },
  };
}

/** Undefined if the request broke off. */
async function readAll(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}
