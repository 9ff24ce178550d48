/** Closes what was opened: every closer runs even if another fails, and every failure is reported. */

/**
 * What must finish before anything is closed: calls and deliveries in progress. They finish in parallel:
 * one after another, they could take longer than a stop may take.
 */
export class Drains implements AsyncDisposable {
  readonly #drains: (() => Promise<unknown>)[] = [];
  readonly #retirements: (() => unknown)[] = [];

  /** `retire` prepares for it while everything goes on. */
  add(drain: () => Promise<unknown>, retire?: () => unknown): void {
    this.#drains.push(drain);
    if (retire) this.#retirements.push(retire);
  }

  retire(): void {
    for (const each of this.#retirements) each();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = await Promise.allSettled(this.#drains.splice(0).map(async (drain) => drain()));
    const failures = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    if (failures.length > 0) throw new AggregateError(failures);
  }
}

/** What was opened, if the check passes; otherwise it is closed again. */
export async function checked<Opened extends { close(): Promise<void> }>(
  opened: Opened,
  check: (opened: Opened) => Promise<void>,
): Promise<Opened> {
  try {
    await check(opened);
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Closes everything on the stack, the newest first. Rejects with all that failed, in that order. */
export async function closeAll(stack: AsyncDisposableStack): Promise<void> {
  try {
    await stack.disposeAsync();
  } catch (error) {
    const failures = failuresIn(error);
    const reasons = failures.map((one) => (one instanceof Error ? one.message : String(one)));
    throw new AggregateError(failures, reasons.join('; '));
  }
}

/** A stack nests failures: the error of each closer holds those of the closers before it. */
function failuresIn(error: unknown): unknown[] {
  if (error instanceof SuppressedError) {
    return [...failuresIn(error.suppressed), ...failuresIn(error.error)];
  }
  return error instanceof AggregateError ? error.errors.flatMap(failuresIn) : [error];
}
