/** Talking to the back office: one call, and every way it can fail as a sentence that says what to do. */
import { backOfficeAddress, backOfficeToken } from './local-server.ts';
import { CommandFailed } from './usage.ts';

const LONGEST_CALL_MS = 30_000;

/** Taken by every command that talks to the back office. */
export const backOfficeOptions = {
  'back-office': { type: 'string' },
  token: { type: 'string' },
} as const;

export const BACK_OFFICE_HELP = `  --back-office URL   where the back office is; default: this machine, BELLHOP_BACK_OFFICE_PORT
  --token TOKEN       back-office token; also BELLHOP_TOKEN; default: the one that a server
                      started in this folder keeps in its data folder`;

/** A refusal; `code` is the problem's. */
export class Refused extends CommandFailed {
  readonly code: string | undefined;

  constructor(code: string | undefined, message: string) {
    super(message);
    this.code = code;
  }
}

export interface BackOffice {
  readonly address: string;
  call<Reply>(method: string, path: string, body?: object): Promise<Reply>;
}

export function openBackOffice(given: {
  'back-office'?: string | undefined;
  token?: string | undefined;
}): BackOffice {
  const address = backOfficeAddress(given['back-office']);
  const token = backOfficeToken(given.token, address);
  return {
    address,
    async call<Reply>(method: string, path: string, body?: object): Promise<Reply> {
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
      return reply as Reply;
    },
  };
}

async function reach(address: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address + path, init);
  } catch (error) {
    throw new CommandFailed(
      `No back office answers at ${address} (${reasonOf(error)}). Start one with "npm start", or say where it is with --back-office.`,
    );
  }
}

/** What fetch itself says is "fetch failed"; the reason is underneath. */
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
      `What answers at ${address} is not Bellhop's back office. Say where that is with --back-office.`,
    );
  }
}

function refusalOf(status: number, reply: unknown): Refused {
  const { code, detail } = (reply ?? {}) as { code?: string; detail?: string };
  if (status === 401) {
    return new Refused(
      code,
      'The back office does not know this token. Pass a valid one with --token or BELLHOP_TOKEN.',
    );
  }
  if (code === 'forbidden') {
    return new Refused(
      code,
      `${detail} Use a token of another role: orders posts events, viewer reads, support changes, admin may do all.`,
    );
  }
  return new Refused(code, detail ?? `The back office answered ${status}.`);
}
