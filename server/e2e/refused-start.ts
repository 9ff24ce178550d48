import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { StartRefusal } from '../src/base/config/config.ts';
import { exitOfRefusal } from '../src/cli/serve-exits.ts';
import { settingsForTest } from '../testing/bellhop.ts';
import { processEnv } from '../testing/process-env.ts';

/** Expects that Bellhop refuses to start; resolves to the one sentence that gives the reason. */
export async function refusedStart(
  settings: Record<string, string>,
  refusal: StartRefusal = 'data',
): Promise<string> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('../bin/bellhop.js', import.meta.url)), 'serve'],
    {
      env: { ...processEnv, ...(await settingsForTest(settings)) },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  child.stdout.on('data', (chunk) => {
    if (String(chunk).includes('ready ')) child.kill('SIGKILL');
  });
  const [errorText, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect({ code, errorText }).toEqual({
    code: exitOfRefusal(refusal),
    errorText: expect.stringMatching(/^[^\n]+\.\n$/),
  });
  return errorText.trim();
}
