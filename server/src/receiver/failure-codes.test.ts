import { expect, test } from 'vitest';
import { readText } from '../../testing/deploy-files.ts';
import { failures } from './failure-codes.ts';

test('docs/errors.md lists every failure of an attempt with its texts, and no others', () => {
  const [, part = ''] = readText('docs/errors.md').split('\n## Failed attempts\n');
  const rows = part.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows).toEqual(
    Object.entries(failures).map(
      ([code, { meaning, advice }]) => `| \`${code}\` | ${meaning} | ${advice} |`,
    ),
  );
});
