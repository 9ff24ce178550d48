import { expect, test } from 'vitest';
import { DialRefused } from '../delivery/receiver/connector.ts';
import {
  ABORTED,
  BROKEN_REPLY,
  explainFailure,
  HEAD_TOO_LONG,
  NOT_A_URL,
  NOT_HTTP,
  RESET,
  TOO_MANY_HINTS,
} from '../delivery/receiver/failure.ts';
import { vetAddresses } from '../delivery/receiver/policy.ts';
import { whyFailed } from './why-failed.ts';

function thrown(code: string, message = ''): string {
  return explainFailure(Object.assign(new Error(message), { code })).message;
}

const errors: Record<string, [error: string, about: RegExp]> = {
  'a name that does not resolve': ['The name hook.example could not be resolved.', /DNS/],
  'a name without an address': ['hook.example has no address.', /DNS/],
  'a private address': [
    vetAddresses('hook.example', ['10.0.0.1'], 'public', [])?.message as string,
    /not public/,
  ],
  'plain http': [
    vetAddresses('hook.example', ['8.8.8.8'], 'listed_for_http', [])?.message as string,
    /https/,
  ],
  'a reserved port': [
    vetAddresses('hook.example', ['8.8.8.8'], 'listed_for_port', [])?.message as string,
    /port 443/,
  ],
  'a refusal to dial': [
    explainFailure(new DialRefused('dns', 'The name x could not be resolved.')).message,
    /DNS/,
  ],
  'a refused connection': [thrown('ECONNREFUSED'), /nothing listens/],
  'a reset': [thrown('ECONNRESET'), /without a whole reply/],
  'a connection that closed': [RESET.message, /without a whole reply/],
  'an offence against HTTP': [BROKEN_REPLY.message, /proper HTTP/],
  'a reset during the handshake': [
    thrown(
      'ECONNRESET',
      'Client network socket disconnected before secure TLS connection was established',
    ),
    /TLS 1.2/,
  ],
  'no route': [thrown('EHOSTUNREACH'), /network is down/],
  'no connection in time': [thrown('UND_ERR_CONNECT_TIMEOUT'), /firewall/],
  'no answer in time': ['The receiver did not answer within 10000 ms.', /answer 200 at once/],
  'half an answer in time': [
    'The receiver answered with status 200 but did not finish its reply within 10000 ms.',
    /did not finish/,
  ],
  'a self-signed certificate': [thrown('DEPTH_ZERO_SELF_SIGNED_CERT'), /self-signed/],
  'an unknown authority': [thrown('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), /full chain/],
  'an expired certificate': [thrown('CERT_HAS_EXPIRED'), /renew/],
  'a certificate of the future': [thrown('CERT_NOT_YET_VALID'), /later date/],
  "another host's certificate": [thrown('ERR_TLS_CERT_ALTNAME_INVALID'), /another host name/],
  'http on an https port': [thrown('ERR_SSL_WRONG_VERSION_NUMBER'), /does not speak TLS/],
  'some other TLS trouble': [thrown('ERR_SSL_NO_SHARED_CIPHER'), /No secure connection/],
  'no HTTP': [NOT_HTTP.message, /proper HTTP/],
  'too long headers': [HEAD_TOO_LONG.message, /proper HTTP/],
  'endless hints': [TOO_MANY_HINTS.message, /proper HTTP/],
  'no URL': [NOT_A_URL.message, /Correct it/],
  'a stopping server': [ABORTED.message, /tried again by itself/],
};

test.each(Object.entries(errors))('%s is explained', (_name, [error, about]) => {
  const why = whyFailed({ status_code: null, error });
  expect(why).toMatch(about);
  expect(why).not.toContain(error);
  expect(why).toMatch(/^[A-Z].*\.$/);
});

test('what nobody foresaw is passed on, with advice', () => {
  const why = whyFailed({ status_code: null, error: 'The attempt failed (EWHAT).' });
  expect(why).toMatch(/^The attempt failed \(EWHAT\)\. .*log.*tried again by itself\.$/);
});

test.each([
  [301, /redirect/],
  [400, /body form/],
  [401, /API key/],
  [403, /firewall/],
  [404, /letter by letter/],
  [405, /POST/],
  [410, /new URL/],
  [418, /refuses the webhook/],
  [429, /max_in_flight/],
  [500, /own log/],
  [502, /behind it is down/],
  [507, /own log/],
  [600, /answer 200/],
])('the answer %i is explained', (status_code, about) => {
  const why = whyFailed({ status_code, error: null });
  expect(why).toMatch(about);
  expect(why).toMatch(new RegExp(`^The receiver answered ${status_code}.*\\.$`));
});

test.each([408, 429, 500, 502, 507])(
  'the answer %i to the last attempt promises no other',
  (code) => {
    const failure = { status_code: code, error: null };
    expect(whyFailed(failure)).toMatch(/; it is tried again by itself\.$/);
    const why = whyFailed(failure, { isOver: true });
    expect(why).toMatch(/^The receiver answered .*\w\. No more attempts follow .*send it again\.$/);
    expect(why).not.toContain('tried again');
  },
);

test.each(Object.values(errors).map(([error]) => error))('nor does "%s"', (error) => {
  const why = whyFailed({ status_code: null, error }, { isOver: true });
  expect(why).not.toMatch(/tried again|repeated/);
  expect(why).toMatch(/^[A-Z].*\.$/);
});
