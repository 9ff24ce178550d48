import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';

vi.setConfig({ testTimeout: 60_000 });

const BELLHOP = fileURLToPath(new URL('../../bin/bellhop.js', import.meta.url));
const bellhop = (...args: string[]) =>
  execFileSync(process.execPath, [BELLHOP, ...args], { encoding: 'utf8' });

test('docs/command-line.md says what the commands say (if not: npx bellhop help --markdown)', () => {
  const file = new URL('../../../docs/command-line.md', import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(bellhop('help', '--markdown'));
});

test('every command has a line, and help with usage and examples', () => {
  const commands = [...bellhop('help').matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(([, name]) => name);
  expect(commands).toEqual(expect.arrayContaining(['serve', 'config', 'overview', 'completion']));
  for (const name of commands as string[]) {
    const help = bellhop('help', name);
    expect(help).toBe(bellhop(name, '--help'));
    expect(help).toMatch(new RegExp(`^Usage: bellhop ${name}`));
    expect([name, help]).toEqual([name, expect.stringMatching(/^Examples?:$/m)]);
  }
});
