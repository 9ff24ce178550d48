/**
 * An error as fields of a log line: its class, its message and stack followed by those of its causes,
 * and the details that Node and the database drivers attach to it (`code`, `syscall`, …).
 */

/** A chain of causes is cut here. */
const MOST_CAUSES = 8;

type Detail = string | number | boolean;

export interface ErrorFields {
  type: string;
  message: string;
  stack: string;
  aggregateErrors?: ErrorFields[];
  [detail: string]: Detail | ErrorFields[] | undefined;
}

export function errorFields(error: Error): ErrorFields {
  const chain = withCauses(error);
  return {
    ...detailsOf(error),
    type: typeOf(error),
    message: joined(chain),
    stack: chain.map(({ stack, message }) => stack ?? message).join('\ncaused by: '),
    ...(error instanceof AggregateError && {
      aggregateErrors: error.errors.filter((one) => one instanceof Error).map(errorFields),
    }),
  };
}

/** Without the stack and the details, which are costly to write. */
export function briefly(error: Error): Pick<ErrorFields, 'type' | 'message'> {
  return { type: typeOf(error), message: joined(withCauses(error)) };
}

function typeOf(error: Error): string {
  return error.constructor?.name ?? error.name;
}

function joined(chain: readonly Error[]): string {
  return chain.map(({ message }) => message).join(': ');
}

function withCauses(error: Error): Error[] {
  const chain = [error];
  let { cause } = error;
  while (cause instanceof Error && !chain.includes(cause) && chain.length <= MOST_CAUSES) {
    chain.push(cause);
    ({ cause } = cause);
  }
  return chain;
}

/** Plain values only: an object attached to an error may hold a request, and with it a secret. */
function detailsOf(error: Error): Record<string, Detail> {
  const details: Record<string, Detail> = {};
  for (const [name, value] of Object.entries(error)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      details[name] = value;
    }
  }
  return details;
}
