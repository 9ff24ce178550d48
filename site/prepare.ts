/**
 * At the end of `npm ci`. An installation without development dependencies has no generator, and a documentation that
 * cannot be built must not keep anyone from the server, so this never fails.
 */
try {
  const { buildSites } = await import('./build.ts');
  await buildSites();
} catch (error) {
  const [reason] = String((error as Error).message).split('\n');
  console.error(`The documentation was not built (${reason}). "npm run build:docs" builds it.`);
}
