/** Why a call with fetch failed. Its own message is just "fetch failed"; the reason is in its cause. */
export function reasonOf(error: unknown): string {
  const { name, cause, code, message } = error as NodeJS.ErrnoException & {
    cause?: NodeJS.ErrnoException;
  };
  if (name === 'TimeoutError') return 'it took too long';
  return cause?.code ?? cause?.message ?? code ?? message;
}
