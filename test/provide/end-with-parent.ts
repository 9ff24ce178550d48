/**
 * Vitest's processes would run on to the end of their tests after the process that started them was
 * killed, and keep the servers that those tests started.
 */
export function endWithParent(): void {
  // A signal, since vitest forbids `process.exit` in tests.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
}
