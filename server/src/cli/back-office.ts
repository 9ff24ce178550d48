/** The one place that calls the back office. Every way it can fail becomes a sentence that says what to do. */
import type { Readable } from 'node:stream';
import { reasonOf } from '@bellhop/partner/command-line';
import type { Problem } from '@bellhop/support-client';
import {
  type Call,
  createClient,
  type InputOf,
  type OperationId,
  type ReplyOf,
  requestOf,
} from '@bellhop/support-client/client';
import type { Dispatcher } from 'undici';
import { CommandFailed } from './failures.ts';
import { backOfficeAddress, backOfficeToken } from './local-server.ts';

const LONGEST_CALL_MS = 30_000;

/** The back office refused, with this problem document if it is one. */
export class Refused extends CommandFailed {
  readonly problem: Partial<Problem>;

  constructor(problem: Partial<Problem>, message: string) {
    super(message);
    this.problem = problem;
  }

  get code(): string | undefined {
    return this.problem.code;
  }

  get errors(): Problem['errors'] {
    return this.problem.errors;
  }
}

export interface BackOffice {
  readonly address: string;
  call: Call<void>;
  /** Sends a stream, however long it takes. */
  send<Id extends OperationId>(
    id: Id,
    input: InputOf<Id>,
    content: { type: string; body: Readable },
  ): Promise<ReplyOf<Id>>;
  /** Receives a stream. Rejects with a TypeError if it breaks off. */
  download<Id extends OperationId>(id: Id, input: InputOf<Id>): Promise<AsyncIterable<Uint8Array>>;
}

/** Takes the options `--back-office` and `--token`. */
export function openBackOffice(
  given: { backOffice?: string | undefined; token?: string | undefined },
  longestCallMs = LONGEST_CALL_MS,
): BackOffice {
  const address = backOfficeAddress(given.backOffice);
  const token = backOfficeToken(given.token, address);
  const authorization = `Bearer ${token}`;
  return {
    address,
    async send(id, input, { type, body }) {
      // Loaded only now, because no other command needs it. Fetch would give up after 300 s without an answer.
      const { Agent, request } = await import('undici');
      const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
      const { method, path } = requestOf(id, input);
      const headers = { authorization, 'content-type': type };
      try {
        const response = await request(address + path, { dispatcher, method, headers, body });
        return (await replyOf(withText(response), address)) as ReplyOf<typeof id>;
      } catch (error) {
        throw error instanceof CommandFailed ? error : brokenOff(address, error);
      } finally {
        await dispatcher.destroy();
      }
    },
    async download(id, input) {
      const response = await reach(address, requestOf(id, input).path, {
        headers: { authorization },
        redirect: 'error',
      });
      if (!response.ok) await replyOf(response, address);
      return response.body as AsyncIterable<Uint8Array>;
    },
    call: createClient(async ({ method, path, body }) => {
      const response = await reach(address, path, {
        method,
        headers: {
          authorization,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(longestCallMs),
      });
      return replyOf(response, address);
    }),
  };
}

async function reach(address: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address + path, init);
  } catch (error) {
    throw notReached(address, error);
  }
}

function notReached(address: string, error: unknown): CommandFailed {
  return new CommandFailed(
    `No back office answers at ${address} (${reasonOf(error)}). Start one with "npx bellhop", or pass its address with --back-office.`,
  );
}

/** Errors of a connection that existed. With all others, the back office got nothing. */
const AFTER_CONNECTING = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET']);

function brokenOff(address: string, error: unknown): CommandFailed {
  const reason = reasonOf(error);
  if (!AFTER_CONNECTING.has(reason)) return notReached(address, error);
  return new CommandFailed(
    `The connection to the back office at ${address} broke off (${reason}) before it answered. It may have done everything or nothing. Run the command again: what is there already stays as it is.`,
  );
}

/** What the two clients have in common. */
type Reply = Pick<Response, 'ok' | 'status' | 'text'>;

function withText({ statusCode, body }: Dispatcher.ResponseData): Reply {
  const ok = statusCode >= 200 && statusCode < 300;
  return { ok, status: statusCode, text: () => body.text() };
}

async function replyOf(response: Reply, address: string): Promise<unknown> {
  const reply = await readJson(response, address);
  if (!response.ok) throw refusalOf(response.status, reply);
  return reply;
}

async function readJson(response: Reply, address: string): Promise<unknown> {
  try {
    const text = await response.text();
    return text === '' ? null : JSON.parse(text);
  } catch {
    throw new CommandFailed(
      `The server at ${address} is not Bellhop's back office. Pass the right address with --back-office.`,
    );
  }
}

function refusalOf(status: number, reply: unknown): Refused {
  const problem = (reply ?? {}) as Partial<Problem>;
  const { code, detail } = problem;
  if (status === 401) {
    return new Refused(
      problem,
      'The back office does not know this token. Pass a valid token with --token or BELLHOP_TOKEN.',
    );
  }
  if (code === 'forbidden') {
    return new Refused(
      problem,
      `${detail} Use a token of another role: orders posts events, viewer reads, support makes changes, admin may do everything.`,
    );
  }
  return new Refused(problem, detail ?? `The back office answered ${status}.`);
}
