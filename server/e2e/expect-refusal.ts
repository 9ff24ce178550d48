import { expect } from 'vitest';
import type { Reply } from './wire.ts';

/** Checks what all refusals have in common, and what `debug` says about this one. */
export function expectRefusal(
  reply: Reply,
  status: number,
  error: string,
  debug: Record<string, unknown> = {},
): void {
  expect({ status: reply.status, error: reply.json.error }).toEqual({
    status,
    error: { code: error, message: expect.stringMatching(/^[A-Z0-9].*\. [A-Z].*\.$/) },
  });
  expect(Object.keys(reply.json.error)).toEqual(['code', 'message']);
  expect(Object.keys(reply.json)).toEqual(['data', 'debug', 'error', 'status']);
  // For the overview, it is an array in every reply.
  expect([null, []]).toContainEqual(reply.json.data);
  expect(reply.json.status).toBe('error');
  expect(reply.headers['content-type']).toBe('application/json');
  expect(Number(reply.headers['content-length'])).toBe(reply.body.length);
  expect(reply.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
  expect(reply.json.debug).toEqual({
    request_id: reply.headers['x-request-id'],
    real_ip: expect.any(String),
    utcnow: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    ...debug,
  });
  expect(Math.abs(Date.parse(reply.json.debug.utcnow) - Date.now())).toBeLessThan(60_000);
  const challenge =
    status === 401 ? 'Basic realm="Bellhop partner API", charset="UTF-8"' : undefined;
  expect(reply.headers['www-authenticate']).toBe(challenge);
  expect(reply.headers.allow).toBe(status === 405 ? 'GET, HEAD, POST' : undefined);
  if (status === 429) expect(reply.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  else expect(reply.headers['retry-after']).toBeUndefined();
}
