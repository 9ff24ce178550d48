/** Vitest calls this once before all test files, so that `npx vitest run some/file` works alone. */
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildPages, stalePages } from '../../packaging/pages.ts';
import { endWithParent } from './end-with-parent.ts';
import { type PartValues, parts, provideParts } from './parts.ts';
import { createTemplate } from './postgres-template.ts';
import { createSqliteTemplate } from './sqlite-template.ts';

/** Bellhop's processes and threads start with a quarter less work if their compiled code is cached. */
const COMPILE_CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'compiled');

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  endWithParent();
  // Listening would otherwise keep vitest from ending by itself.
  process.channel?.unref();
  process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;
  // Before any test, since a build empties its folder first.
  await buildPages(await stalePages());
  const { values, lines, end } = await provideParts();
  for (const line of lines) console.log(line);
  for (const name of Object.keys(values) as (keyof PartValues)[]) {
    project.provide(name, values[name]);
    // Tests use `inject`. Bellhop refuses to start with unknown settings, so a test that starts one must
    // not pass these on.
    delete process.env[parts[name].setting];
  }
  const template = values.postgresUrl === null ? null : await createTemplate(values.postgresUrl);
  project.provide('postgresTemplate', template?.source ?? null);
  const embedded = await createSqliteTemplate();
  project.provide('sqliteTemplate', embedded.folder);
  return async () => {
    await template?.drop();
    await embedded.drop();
    await end();
  };
}
