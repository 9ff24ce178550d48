/** The one place that calls the back office. Every way it can fail becomes a sentence that says what to do. */
import type { Readable } from 'node:stream';
import type { Problem } from '@bellhop/support-client';
import type { BodyOf, OperationId, ReplyOf } from '@bellhop/support-client/operations';
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
  /** `Operation` is the id of this method and path in the OpenAPI document. */
  call<Operation extends OperationId>(
    method: string,
    path: string,
    body?: BodyOf<Operation>,
  ): Promise<ReplyOf<Operation>>;
  /** Sends a stream, however long it takes. */
  send<Reply>(
    method: string,
    path: string,
    content: { type: string; body: Readable },
  ): Promise<Reply>;
  /** Receives a stream. Rejects with a TypeError if it breaks off. */
  download(path: string): Promise<AsyncIterable<Uint8Array>>;
}

/** Takes the options `--back-office` and `--token`. */
export function openBackOffice(given: {
  backOffice?: string | undefined;
  token?: string | undefined;
}): BackOffice {
  const address = backOfficeAddress(given.backOffice);
  const token = backOfficeToken(given.token, address);
  const authorization = `Bearer ${token}`;
  return {
    address,
    async send<Reply>(
      method: string,
      path: string,
      { type, body }: { type: string; body: Readable },
    ) {
      const response = await reach(address, path, {
        method,
        headers: { authorization, 'content-type': type },
        // Not Readable.toWeb: that throws outside of any promise when a refusal arrives before the end of the body.
        body: body as never,
        duplex: 'half',
        redirect: 'error',
      });
      return (await replyOf(response, address)) as Reply;
    },
    async download(path) {
      const response = await reach(address, path, {
        headers: { authorization },
        redirect: 'error',
      });
      if (!response.ok) await replyOf(response, address);
      return response.body as AsyncIterable<Uint8Array>;
    },
    async call(method, path, body) {
      const response = await reach(address, path, {
        method,
        headers: {
          authorization,
          ...(body && { 'content-type': 'application/json' }),
        },
        body: body ? JSON.stringify(body) : null,
        redirect: 'error',
        signal: AbortSignal.timeout(LONGEST_CALL_MS),
      });
      // The back office's own tests check its replies against the document.
      return (await replyOf(response, address)) as never;
    },
  };
}

async function reach(address: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address + path, init);
  } catch (error) {
    throw new CommandFailed(
      `No back office answers at ${address} (${reasonOf(error)}). Start one with "npx bellhop", or pass its address with --back-office.`,
    );
  }
}

/** The message of fetch itself is just "fetch failed"; the reason is in its cause. */
export function reasonOf(error: unknown): string {
  const { name, cause, message } = error as Error & { cause?: NodeJS.ErrnoException };
  if (name === 'TimeoutError') return 'it took too long';
  return cause?.code ?? cause?.message ?? message;
}

async function replyOf(response: Response, address: string): Promise<unknown> {
  const reply = await readJson(response, address);
  if (!response.ok) throw refusalOf(response.status, reply);
  return reply;
}

async function readJson(response: Response, address: string): Promise<unknown> {
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
