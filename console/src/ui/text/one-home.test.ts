import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const REPOSITORY = join(import.meta.dirname, '../../../..');
/** Dates, durations, numbers, and the name of the zone. */
const HOMES = /^console\/src\/ui\/text\/(times|time-input|durations|numbers|zone)\.ts$/;
const FORMATS = /\bIntl\.|\.toLocale\w*String\(|\.toFixed\(|datetime-local|_at\.slice\(/;
/** A sentence of the server as it came, with times in UTC. */
const UNREAD = /(?<!\$)\{(?!styles\b)[\w.]+\.sentence\}/;

test('dates, durations and numbers are formatted in one place each', () => {
  const sources = globSync('{console,portal}/src/**/*.{ts,tsx}', { cwd: REPOSITORY }).filter(
    (file) => !HOMES.test(file) && !file.includes('.test.'),
  );
  expect(sources.length).toBeGreaterThan(200);
  const others = sources.filter((file) =>
    [FORMATS, UNREAD].some((form) => form.test(readFileSync(join(REPOSITORY, file), 'utf8'))),
  );
  expect(others).toEqual([]);
});
