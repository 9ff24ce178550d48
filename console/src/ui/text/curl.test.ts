import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { apiCall, curlOf } from './curl.ts';

/** What a shell passes to curl. */
function argumentsOf(command: string, env: Record<string, string> = {}): string[] {
  const print = 'curl() { printf "%s\\0" "$@"; }';
  const output = execFileSync('/bin/sh', ['-c', `${print}\n${command}`], { env });
  return output.toString().split('\0').slice(0, -1);
}

test('a change is a command with the token in a variable', () => {
  const command = apiCall('https://bellhop.example', {
    method: 'PATCH',
    path: '/support/v1/production/midoffices/mid_1',
    body: { name: "Ann's", paused: true },
  });
  expect(command).toBe(
    `curl -X PATCH 'https://bellhop.example/support/v1/production/midoffices/mid_1' \\
  -H "Authorization: Bearer $BELLHOP_TOKEN" \\
  -H 'Content-Type: application/json' \\
  --data-raw '{"name":"Ann'\\''s","paused":true}'`,
  );
  expect(argumentsOf(command, { BELLHOP_TOKEN: 'secret' })).toEqual([
    '-X',
    'PATCH',
    'https://bellhop.example/support/v1/production/midoffices/mid_1',
    '-H',
    'Authorization: Bearer secret',
    '-H',
    'Content-Type: application/json',
    '--data-raw',
    '{"name":"Ann\'s","paused":true}',
  ]);
});

test('secrets in a body are left out', () => {
  const body = { key_id: '7', api_key: '0f8fad5b-d9cb-469f-a165-70867728950e' };
  const command = apiCall('https://b.example', { method: 'POST', path: '/support/v1/x', body });
  expect(command).toContain('{"key_id":"7","api_key":"…"}');
});

test('a request without a body has none', () => {
  expect(curlOf({ method: 'GET', url: 'https://a.example/?b=1&c', headers: [] })).toBe(
    "curl 'https://a.example/?b=1&c'",
  );
});

test('a shell passes every text on as it is', () => {
  const text = fc.string({ unit: 'grapheme' }).filter((one) => !one.includes('\0'));
  fc.assert(
    fc.property(text, text, (url, body) => {
      const command = curlOf({ method: 'POST', url, headers: [], body });
      expect(argumentsOf(command)).toEqual(['-X', 'POST', url, '--data-raw', body]);
    }),
    { numRuns: 50 },
  );
});
