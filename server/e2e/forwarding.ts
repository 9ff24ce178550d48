/** A Bellhop whose sandbox forwards calls to a booking core that the test plays. */
import { type RequestListener, request } from 'node:http';
import type { TestKey } from '../testing/bellhop.ts';
import { type SharedBellhop, sharedBellhop } from './one-bellhop-per-file.ts';
import { sharedUpstream } from './upstream.ts';
import { FORWARDED_PATH } from './wire.ts';

const answerOk: RequestListener = (_request, response) => response.end('ok');

/** Fails in the way that the query of the call names. */
export const asAsked: RequestListener = (incoming, response) => {
  const how = incoming.url?.split('?')[1];
  if (how === 'bad') response.writeHead(400).end();
  else if (how === 'failing') response.writeHead(503).end();
  else if (how === 'closes') response.destroy();
  else if (how === 'breaks-off') {
    response.writeHead(200, { 'content-length': 10 });
    response.write('12345', () => response.destroy());
  } else if (how !== 'hangs') response.end('ok');
};

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
  /** Calls, and is gone before the booking core has answered. */
  async function hangUp(key: TestKey): Promise<void> {
    const arrived = upstream.nextRequest();
    const path = `${bellhop.addresses.sandbox}${FORWARDED_PATH}?hangs`;
    const call = request(path, { headers: { ...key } });
    call.on('error', () => {}).end();
    await arrived;
    call.destroy();
  }
  return { upstream, bellhop, begin, hangUp };
}
