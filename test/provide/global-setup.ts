/** Vitest calls this once before all test files, so that `npx vitest run some/file` works alone. */
import type { TestProject } from 'vitest/node';
import { endWithParent } from './end-with-parent.ts';
import { type PartValues, parts, provideParts } from './parts.ts';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  endWithParent();
  // Listening would otherwise keep vitest from ending by itself.
  process.channel?.unref();
  const { values, lines, end } = await provideParts();
  for (const line of lines) console.log(line);
  for (const name of Object.keys(values) as (keyof PartValues)[]) {
    project.provide(name, values[name]);
    // Tests use `inject`. Bellhop refuses to start with settings that it does not know, so a test
    // that starts one must not hand these on.
    delete process.env[parts[name].setting];
  }
  return end;
}
