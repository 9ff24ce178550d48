/** PostgreSQL has ended one of two transactions that waited for each other; it can be repeated. */
export function isDeadlock(error: unknown): boolean {
  return (error as { code?: string }).code === '40P01';
}
