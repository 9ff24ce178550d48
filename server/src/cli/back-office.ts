/** The one place that calls the back office. Every way it can fail becomes a sentence that says what to do. */
import type { BodyOf, OperationId, ReplyOf } from '@bellhop/support-client/operations';
import { CommandFailed } from './failures.ts';
import { backOfficeAddress, backOfficeToken } from './local-server.ts';

const LONGEST_CALL_MS = 30_000;

/** The back office refused. `code` is the code of its problem document. */
export class Refused extends CommandFailed {
  readonly code: string | undefined;

  constructor(code: string | undefined, message: string) {
    super(message);
    this.code = code;
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
}

/** Takes the options `--back-office` and `--token`. */
export function openBackOffice(given: {
  backOffice?: string | undefined;
  token?: string | undefined;
}): BackOffice {
  const address = backOfficeAddress(given.backOffice);
  const token = backOfficeToken(given.token, address);
  return {
    address,
    async call(method, path, body) {
      const response = await reach(address, path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        body: body ? JSON.stringify(body) : null,
        redirect: 'error',
        signal: AbortSignal.timeout(LONGEST_CALL_MS),
      });
      const reply = await readJson(response, address);
      if (!response.ok) throw refusalOf(response.status, reply);
      // The back office's own tests check its replies against the document.
      return reply as never;
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
  const { code, detail } = (reply ?? {}) as { code?: string; detail?: string };
  if (status === 401) {
    return new Refused(
      code,
      'The back office does not know this token. Pass a valid token with --token or BELLHOP_TOKEN.',
    );
  }
  if (code === 'forbidden') {
    return new Refused(
      code,
      `${detail} Use a token of another role: orders posts events, viewer reads, support makes changes, admin may do everything.`,
    );
  }
  return new Refused(code, detail ?? `The back office answered ${status}.`);
}
