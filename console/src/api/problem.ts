/** A refusal by the API (RFC 9457), or a failure to reach it. */
import type { Problem as Body, FieldError } from '@bellhop/support-client';
import { words } from '../words/words.ts';

export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: readonly FieldError[];

  constructor(status: number, code: string, detail: string, errors: readonly FieldError[] = []) {
    super(detail);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }

  /** The same request would get the same answer: there is nothing at the address, or it is not valid. */
  get isFinal(): boolean {
    return this.status === 404 || this.status === 422;
  }
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new Problem(0, 'console_fault', words.connection.fault(detail));
}

export async function problemFrom(response: Response): Promise<Problem> {
  try {
    const body: Partial<Body> = await response.json();
    if (typeof body.code === 'string') {
      return new Problem(response.status, body.code, body.detail ?? body.code, body.errors);
    }
  } catch {
    // Not JSON: a proxy in between answered.
  }
  return new Problem(
    response.status,
    'unexpected_reply',
    words.connection.unexpectedReply(`${response.status} ${response.statusText}`),
  );
}

/** The sentence for one field, whether its pointer is `/url` or `/allowed_ips/2`. */
export function fieldError(problem: Problem | null | undefined, field: string): string | undefined {
  const found = problem?.errors?.filter((error) => {
    const pointer = error.field.replace(/^\//, '');
    return pointer === field || pointer.startsWith(`${field}/`);
  });
  if (!found || found.length === 0) return undefined;
  return found.map(({ detail }) => sentence(detail)).join(' ');
}

/** Schema errors start in lower case ("must be …"); this makes them sentences. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  const started = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(started) ? started : `${started}.`;
}
