/**
 * After the process that started them was killed, vitest's processes would otherwise run to the end of
 * their tests and keep the servers that those tests started.
 */
export function endWithParent(): void {
  // A signal, because vitest forbids `process.exit` in tests.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
}
