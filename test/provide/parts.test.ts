import { statfsSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Part } from '../../kit/part.ts';
import { keepFilesInMemory, provideParts } from './parts.ts';

test('a part that its setting names is used as it is', async () => {
  const parts = { postgresUrl: part('Oak'), redisUrl: part('Elm') };
  const { values, lines } = await provideParts({
    parts,
    env: { OAK_URL: 'oak://there', ELM_URL: 'elm://there', CI: 'true' },
    install: null,
  });
  expect(values).toEqual({ postgresUrl: 'oak://there', redisUrl: 'elm://there' });
  expect(lines).toEqual([]);
});

test('installed parts are started, and ended together', async () => {
  const oak = part('Oak', { installed: true });
  const elm = part('Elm', { installed: true });
  const provision = await provideParts({
    parts: { postgresUrl: oak, redisUrl: elm },
    env: {},
    install: null,
  });
  expect(provision.values).toEqual({ postgresUrl: 'Oak 1', redisUrl: 'Elm 1' });
  expect([oak.running, elm.running]).toEqual([1, 1]);
  await provision.end();
  expect([oak.running, elm.running]).toEqual([0, 0]);
});

test('only what is missing is installed', async () => {
  const oak = part('Oak');
  const installed: string[] = [];
  const { values } = await provideParts({
    parts: { postgresUrl: oak, redisUrl: part('Elm', { installed: true }) },
    env: { CI: 'true' },
    install: async (packages) => {
      installed.push(...packages);
      oak.installed = true;
      return new Map();
    },
  });
  expect(installed).toEqual(['oak-package']);
  expect(values).toEqual({ postgresUrl: 'Oak 1', redisUrl: 'Elm 1' });
});

test('a missing part is null on a developer’s machine, with a line that says how to get it', async () => {
  const { values, lines } = await provideParts({
    parts: { postgresUrl: part('Oak'), redisUrl: part('Elm', { installed: true }) },
    env: {},
    install: async () => new Map([['oak-package', 'no network']]),
  });
  expect(values).toEqual({ postgresUrl: null, redisUrl: 'Elm 1' });
  expect(lines).toContain('Skipping tests: Oak is missing (apt-get: no network). Plant an Oak.');
});

test('a missing part fails the run with CI=true, and what was started is ended', async () => {
  const elm = part('Elm', { installed: true });
  const provision = provideParts({
    parts: { postgresUrl: part('Oak'), redisUrl: elm },
    env: { CI: 'true' },
    install: null,
  });
  await expect(provision).rejects.toThrow(
    'With CI=true every test must run. Oak is missing. Plant an Oak.',
  );
  expect(elm.running).toBe(0);
});

test('"none" does without an installed part, but not with CI=true', async () => {
  const surroundings = {
    parts: { postgresUrl: part('Oak', { installed: true }), redisUrl: part('Elm') },
    install: null,
  };
  const env = { OAK_URL: 'none', ELM_URL: 'elm://there' };
  const { values } = await provideParts({ ...surroundings, env });
  expect(values).toEqual({ postgresUrl: null, redisUrl: 'elm://there' });
  await expect(provideParts({ ...surroundings, env: { ...env, CI: 'true' } })).rejects.toThrow();
});

test('a part that does not start fails the run, and the others are ended', async () => {
  const oak = part('Oak', { installed: true });
  oak.start = async () => {
    throw new Error('Oak did not start.');
  };
  const elm = part('Elm', { installed: true });
  const parts = { postgresUrl: oak, redisUrl: elm };
  await expect(provideParts({ parts, env: {}, install: null })).rejects.toThrow(
    'Oak did not start.',
  );
  expect(elm.running).toBe(0);
});

test('temporary files are where the setting says, or in memory if there is much of it', () => {
  const told = { TMPDIR: '/var/tmp' };
  keepFilesInMemory(told);
  expect(told).toEqual({ TMPDIR: '/var/tmp' });
  const untold: NodeJS.ProcessEnv = {};
  keepFilesInMemory(untold);
  if (untold.TMPDIR === undefined) return;
  const TMPFS = 0x01021994;
  expect(statfsSync(untold.TMPDIR).type).toBe(TMPFS);
});

interface PretendPart extends Part {
  installed: boolean;
  running: number;
}

function part(name: string, { installed = false } = {}): PretendPart {
  const pretend: PretendPart = {
    name,
    setting: `${name.toUpperCase()}_URL`,
    aptPackage: `${name.toLowerCase()}-package`,
    howToGet: `Plant an ${name}.`,
    installed,
    running: 0,
    isInstalled: () => pretend.installed,
    async start() {
      pretend.running += 1;
      return {
        value: `${name} ${pretend.running}`,
        async end() {
          pretend.running -= 1;
        },
      };
    },
  };
  return pretend;
}
