/** Raw calls of the support API, whose errors must all be problems. */
import { expect } from 'vitest';
import { problems } from '../src/resources/problem.ts';
import { ADMIN_TOKEN, type TestBellhop } from '../testing/bellhop.ts';

export const PARTNERS = '/support/v1/production/partners';
export const PARTNER = { name: 'x', integration_started_on: '2025-11-01', is_new: true };

/** Sends a call exactly as written. Every error must come back as a problem. */
export async function send(
  { addresses }: TestBellhop,
  path: string,
  { body, type = 'application/json', method = body === undefined ? 'GET' : 'POST' }: Sent = {},
) {
  const reply = await fetch(addresses.backOffice + path, {
    method,
    headers: {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      ...(body !== undefined && type !== null && { 'content-type': type }),
    },
    body: body ?? null,
  });
  const text = await reply.text();
  const isProblem = reply.status >= 400 && method !== 'HEAD';
  if (isProblem) expectProblem(reply.status, reply.headers.get('content-type'), text);
  return { status: reply.status, body: text && JSON.parse(text), headers: reply.headers };
}

interface Sent {
  method?: string;
  body?: string | Uint8Array<ArrayBuffer>;
  type?: string | null;
}

function expectProblem(status: number, type: string | null, text: string): void {
  expect([status, type]).toEqual([status, expect.stringMatching(/^application\/problem\+json/)]);
  const problem = JSON.parse(text);
  const known = problems[problem.code as keyof typeof problems];
  expect(problem).toMatchObject({
    type: `urn:bellhop:problem:${problem.code}`,
    title: known.title,
    status: known.status,
    detail: expect.stringMatching(/^\S.*\.$/s),
  });
  expect(status).toBe(known.status);
}
