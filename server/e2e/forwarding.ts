/** A Bellhop whose sandbox forwards calls to a booking core that the test plays. */
import type { RequestListener } from 'node:http';
import type { TestKey } from '../testing/bellhop.ts';
import { type SharedBellhop, sharedBellhop } from './one-bellhop-per-file.ts';
import { sharedUpstream } from './upstream.ts';

const answerOk: RequestListener = (_request, response) => response.end('ok');

/** For all tests of a file. */
export function sharedForwarding(settings: () => Record<string, string> = () => ({})) {
  const upstream = sharedUpstream();
  const bellhop = sharedBellhop(() => ({
    BELLHOP_SANDBOX_UPSTREAM_URL: upstream.url,
    ...settings(),
  }));
  /** Sets the booking core's answer for this test, and creates a key to call it with. */
  async function begin(
    answer: RequestListener = answerOk,
    { newKey, addresses }: SharedBellhop = bellhop,
  ): Promise<{ key: TestKey; sandbox: string }> {
    upstream.answer = answer;
    return { key: await newKey('sandbox'), sandbox: addresses.sandbox };
  }
  return { upstream, bellhop, begin };
}
