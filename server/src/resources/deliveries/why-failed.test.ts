import { expect, test } from 'vitest';
import { DialRefused } from '../../receiver/connector.ts';
import {
  ABORTED,
  BROKEN_REPLY,
  explainFailure,
  type Failure,
  HEAD_TOO_LONG,
  HTTP2_ONLY,
  HTTPS_ONLY,
  NOT_A_URL,
  NOT_HTTP,
  RESET,
  TOO_MANY_HINTS,
} from '../../receiver/failure.ts';
import { type AttemptFailure, attemptFailures } from '../../receiver/failure-codes.ts';
import { whyFailed } from './why-failed.ts';

function thrown(code: string, message = ''): Failure {
  return explainFailure(Object.assign(new Error(message), { code }));
}

function refused(reason: ConstructorParameters<typeof DialRefused>[0]): Failure {
  return explainFailure(new DialRefused(reason, 'No connection was tried.'));
}

const failures: Record<
  string,
  [failure: { code: AttemptFailure; message: string }, about: RegExp]
> = {
  'a name that does not resolve': [refused('dns'), /DNS/],
  'a private address': [refused('blocked_address'), /not public/],
  'plain http': [refused('plain_http'), /https/],
  'a reserved port': [refused('reserved_port'), /port 443/],
  'a refused connection': [thrown('ECONNREFUSED'), /nothing listens/],
  'a reset': [thrown('ECONNRESET'), /without a complete reply/],
  'a closed connection': [RESET, /without a complete reply/],
  'a reply that breaks the rules of HTTP': [BROKEN_REPLY, /not valid HTTP/],
  'a reset during the handshake': [
    thrown(
      'ECONNRESET',
      'Client network socket disconnected before secure TLS connection was established',
    ),
    /TLS 1.2/,
  ],
  'no route': [thrown('EHOSTUNREACH'), /network is down/],
  'no connection in time': [thrown('ETIMEDOUT'), /firewall/],
  'no answer in time': [{ code: 'timeout', message: 'Too slow.' }, /Answer 200 immediately/],
  'half an answer in time': [{ code: 'unfinished_reply', message: 'Half.' }, /did not finish/],
  'a self-signed certificate': [thrown('DEPTH_ZERO_SELF_SIGNED_CERT'), /self-signed/],
  'an unknown authority': [thrown('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), /full chain/],
  'an expired certificate': [thrown('CERT_HAS_EXPIRED'), /Renew/],
  'a certificate that is not valid yet': [thrown('CERT_NOT_YET_VALID'), /later date/],
  "another host's certificate": [thrown('ERR_TLS_CERT_ALTNAME_INVALID'), /another host name/],
  'http on an https port': [thrown('ERR_SSL_WRONG_VERSION_NUMBER'), /does not speak TLS/],
  'plain http to a TLS port': [HTTPS_ONLY, /change it to https/],
  'HTTP/2 only': [HTTP2_ONLY, /sent over HTTP\/1\.1/],
  'another TLS error': [thrown('ERR_SSL_NO_SHARED_CIPHER'), /TLS handshake/],
  'a reply that is not HTTP': [NOT_HTTP, /not valid HTTP/],
  'headers that are too long': [HEAD_TOO_LONG, /not valid HTTP/],
  'endless early hints': [TOO_MANY_HINTS, /not valid HTTP/],
  'an invalid URL': [NOT_A_URL, /Correct it/],
  'a stopping server': [ABORTED, /retried automatically/],
  'a key that cannot be read': [{ code: 'signing', message: 'Unsigned.' }, /operator/],
};

function explained(
  code: AttemptFailure | null,
  error: string | null,
  follows?: 'nothing' | 'anotherTest',
): string {
  return whyFailed({ status_code: null, failure_code: code, error }, follows);
}

test.each(Object.entries(failures))('%s is explained', (_name, [{ code, message }, about]) => {
  const why = explained(code, message);
  expect(why).toMatch(about);
  expect(why).not.toContain(message);
  expect(why).toMatch(/^[A-Z].*\.$/);
});

test('a reply that was never finished is explained by what ended it, not by its status', () => {
  const failure = { failure_code: 'unfinished_reply', error: 'Half.' } as const;
  const why = whyFailed({ status_code: null, ...failure });
  for (const status_code of [200, 500]) expect(whyFailed({ status_code, ...failure })).toBe(why);
});

test.each(['unknown', null] as const)(
  'an unknown failure is shown as it is, with advice',
  (code) => {
    const why = explained(code, 'The attempt failed (EWHAT).');
    expect(why).toMatch(/^The attempt failed \(EWHAT\)\. .*log.*It is retried automatically\.$/);
  },
);

test.each([
  [301, /redirect/],
  [400, /body form/],
  [401, /API key/],
  [403, /firewall/],
  [404, /letter by letter/],
  [405, /POST/],
  [410, /new URL/],
  [418, /refuses the webhook/],
  [426, /HTTP\/1\.1/],
  [429, /max_in_flight/],
  [500, /own log/],
  [502, /behind it is down/],
  [505, /HTTP\/1\.1/],
  [507, /own log/],
  [600, /Answer 200/],
])('the answer %i is explained', (status_code, about) => {
  const why = whyFailed({ status_code, failure_code: 'status', error: null });
  expect(why).toMatch(about);
  expect(why).toMatch(new RegExp(`^The receiver answered ${status_code}.*\\.$`));
});

test.each([
  ['nginx', '<center>The plain HTTP request was sent to HTTPS port</center>'],
  ['Apache', "Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />"],
  ['Go', 'Client sent an HTTP request to an HTTPS server.\n'],
  ['Tomcat', 'Bad Request\r\nThis combination of host and port requires TLS.\r\n'],
])('the answer 400 of %s to plain http says that the URL needs https', (_, reply_excerpt) => {
  const failure = { failure_code: 'status' as const, error: null, reply_excerpt };
  expect(whyFailed({ ...failure, status_code: 400 })).toMatch(/^The receiver answered 400.*https/);
  expect(whyFailed({ ...failure, status_code: 500 })).not.toContain('https');
});

test.each([408, 429, 500, 502, 507])(
  'the answer %i to the last attempt does not promise another one',
  (code) => {
    const failure = { status_code: code, failure_code: 'status' as const, error: null };
    expect(whyFailed(failure)).toMatch(/\. It is retried automatically\.$/);
    const why = whyFailed(failure, 'nothing');
    expect(why).toMatch(
      /^The receiver answered .*\w\. There are no automatic attempts left.*send the webhook again\.$/,
    );
    expect(why).not.toContain('retried');
  },
);

test.each(Object.values(failures).map(([failure]) => failure))(
  'the failure $code does not promise another attempt if none is left',
  (failure) => {
    for (const follows of ['nothing', 'anotherTest'] as const) {
      const why = explained(failure.code, failure.message, follows);
      expect(why).not.toMatch(/retried|repeated/);
      expect(why).toMatch(/^[A-Z].*\.$/);
    }
    expect(explained(failure.code, failure.message, 'anotherTest')).not.toContain('attempts left');
  },
);

test('the words fit both support and the partner that read them', () => {
  const statuses = Array.from({ length: 400 }, (_, index) => 300 + index);
  const all = [
    ...attemptFailures.map((code) => explained(code, null)),
    ...statuses.map((status_code) =>
      whyFailed({ status_code, failure_code: 'status', error: null }, 'nothing'),
    ),
  ];
  expect(
    all.filter((why) => /partner|console|portal|midoffice|bellhop|\bour\b/i.test(why)),
  ).toEqual([]);
});
