import { createServer, type RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { listening } from '../../../test/support.ts';
import { openBackOffice } from './back-office.ts';

async function sendTo(answer: RequestListener): Promise<unknown> {
  const at = await listening(createServer(answer));
  const backOffice = at.url;
  const body = Readable.from(['{"kind":"partner"}\n'], { objectMode: false });
  const content = { type: 'application/x-ndjson', body };
  return openBackOffice({ backOffice, token: 'a token' }).send(
    'importRecords',
    { environment: 'sandbox' },
    content,
  );
}

test('a stream may take longer to be answered than fetch waits', async () => {
  const usual = getGlobalDispatcher();
  onTestFinished(() => setGlobalDispatcher(usual));
  // Stands for the 300 s of fetch, which takes it from here.
  setGlobalDispatcher(new Agent({ headersTimeout: 100 }));
  const reply = await sendTo((request, response) => {
    request.resume().once('end', () => setTimeout(() => response.end('{"lines":1}'), 2_500));
  });
  expect(reply).toEqual({ lines: 1 });
});

test('a connection that breaks off after the stream was sent leaves the outcome open', async () => {
  const reply = sendTo(
    (request) => void request.resume().once('end', () => request.socket.destroy()),
  );
  await expect(reply).rejects.toThrow(
    /^The connection to the back office .* broke off \(UND_ERR_SOCKET\) .* Run the command again/,
  );
});
