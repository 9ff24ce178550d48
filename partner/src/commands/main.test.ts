import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../bin/bellhop-partner.js', import.meta.url));

test.each(['--version', '-v', '-V'])('%s prints the version, as it does on the server', (flag) => {
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  expect(execFileSync(process.execPath, [PROGRAM, flag], { encoding: 'utf8' })).toBe(
    `${version}\n`,
  );
});
