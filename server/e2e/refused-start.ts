import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { StartRefusal } from '../src/base/config/config.ts';
import { exitOfRefusal } from '../src/cli/serve-exits.ts';
import { settingsForTest, spawnServe } from '../testing/bellhop.ts';

/** Expects that Bellhop refuses to start; resolves to the one sentence that gives the reason. */
export async function refusedStart(
  settings: Record<string, string>,
  refusal: StartRefusal = 'data',
): Promise<string> {
  const { child } = spawnServe(await settingsForTest(settings));
  child.stdout?.on('data', (chunk) => {
    if (String(chunk).includes('ready ')) child.kill('SIGKILL');
  });
  const [errorText, [code]] = await Promise.all([
    text(child.stderr as NodeJS.ReadableStream),
    once(child, 'close'),
  ]);
  expect({ code, errorText }).toEqual({
    code: exitOfRefusal(refusal),
    errorText: expect.stringMatching(/^[^\n]+\.\n$/),
  });
  return errorText.trim();
}
