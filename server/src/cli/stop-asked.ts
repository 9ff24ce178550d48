/** Resolves when the process is asked to stop. Call it before anything is awaited, so that an early Ctrl-C also counts. */
export function stopAsked(): Promise<undefined> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => resolve(undefined));
  });
}
