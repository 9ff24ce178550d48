/** Listeners that speak TLS themselves: what callers see, and certificates that are renewed. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, createServer, request, type Server } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { listening, temporaryFolder } from '../../test/support.ts';
import { ADMIN_TOKEN, basic, spawnBellhop, startBellhop } from '../testing/bellhop.ts';
import { newCertificate } from '../testing/certificate-files.ts';
import { issueCertificate } from '../testing/certificates.ts';
import { Condition } from '../testing/condition.ts';
import { LOOPBACK_RECEIVERS } from '../testing/settings.ts';
import { FORWARDED_PATH, OVERVIEW_PATH } from './wire.ts';

// Starts a whole process, which is slow on a busy machine.
/** The promised time for a stop. */
const LONGEST_STOP_MS = 15_000;

interface Asked {
  ca: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  agent?: Agent;
}

async function ask(url: string, { ca, method = 'GET', headers = {}, body, agent }: Asked) {
  const sent = request(url, { method, headers, ca, agent: agent ?? false });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const content = await text(response);
  return { status: response.statusCode, headers: response.headers, content };
}

async function certificateAt(address: string): Promise<string> {
  const { hostname, port } = new URL(address);
  const socket = connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { valid_to } = socket.getPeerCertificate();
  socket.destroy();
  return new Date(valid_to).toISOString();
}

test('every listener speaks TLS, SIGHUP reads certificates again, and a stop waits for no handshake', async () => {
  const certificate = await newCertificate();
  const { ca } = certificate;
  const tokenFile = join(await temporaryFolder(), 'token');
  writeFileSync(tokenFile, ADMIN_TOKEN);
  const bellhop = await spawnBellhop({
    ...certificate.settings('PRODUCTION', 'SANDBOX', 'BACK_OFFICE', 'PORTAL'),
    BELLHOP_ADMIN_TOKEN: '',
    BELLHOP_ADMIN_TOKEN_FILE: tokenFile,
    BELLHOP_LOG_LEVEL: 'info',
  });
  const log = logOf(bellhop.child.stderr as NodeJS.ReadableStream);
  const { production, sandbox, backOffice, portal } = bellhop.addresses;
  const all = [production, sandbox, backOffice, portal];
  for (const address of all) expect(address).toMatch(/^https:/);

  const authorization = `Bearer ${ADMIN_TOKEN}`;
  const json = { authorization, 'content-type': 'application/json' };
  const partner = await ask(`${backOffice}/support/v1/sandbox/partners`, {
    ca,
    method: 'POST',
    headers: json,
    body: JSON.stringify({ name: 'T', integration_started_on: '2025-11-01', is_new: true }),
  });
  const { id } = JSON.parse(partner.content);
  const made = await ask(`${backOffice}/support/v1/sandbox/partners/${id}/keys`, {
    ca,
    method: 'POST',
    headers: json,
    body: '{}',
  });
  const { key_id, api_key } = JSON.parse(made.content);

  // A connection that lives through everything.
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca });
  onTestFinished(() => agent.destroy());
  let connections = 0;
  const overview = async () => {
    const headers = { authorization: basic(key_id, api_key) };
    const reply = await ask(sandbox + OVERVIEW_PATH, { ca, headers, agent });
    return reply.status;
  };
  agent.on('free', () => connections++);
  expect(await overview()).toBe(200);

  // What node:http would answer by itself has the envelope here, too.
  const malformed = await openTls(sandbox, ca);
  malformed.end('nonsense\r\n\r\n');
  const said = await text(malformed);
  expect(said).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  const body = JSON.parse(said.slice(said.indexOf('\r\n\r\n')));
  expect(body).toMatchObject({ data: null, error: { code: 'malformed_request' }, status: 'error' });

  const signIn = await ask(`${backOffice}/console/session`, {
    ca,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-bellhop-console': '1' },
    body: JSON.stringify({ token: ADMIN_TOKEN }),
  });
  expect(signIn.headers['set-cookie']?.[0]).toMatch(/^__Host-bellhop_session=.*; Secure/);
  expect(signIn.headers['strict-transport-security']).toBe('max-age=31536000');

  const entered = await ask(`${portal}/portal/v1/sandbox/session`, {
    ca,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key_id, api_key }),
  });
  expect(entered.headers['set-cookie']?.[0]).toMatch(/^__Host-bellhop_portal_sandbox=.*; Secure/);
  expect(entered.headers['strict-transport-security']).toBe('max-age=31536000');

  const metrics = async () => (await ask(`${backOffice}/metrics`, { ca: trusted })).content;
  let trusted = ca;
  for (const listener of ['production', 'sandbox', 'back-office', 'portal']) {
    expect(await metrics()).toMatch(
      new RegExp(`^bellhop_certificate_days_left\\{certificate="${listener}"\\} 0\\.9`, 'm'),
    );
  }

  // Renewed.
  const validUntil = new Date(`${new Date().getUTCFullYear() + 1}-01-31T12:00:00Z`);
  trusted = certificate.renew({ validUntil });
  bellhop.child.kill('SIGHUP');
  await log.has('the certificate was read again', 4);
  for (const address of all) {
    expect(await certificateAt(address)).toBe(validUntil.toISOString());
  }
  expect(await overview()).toBe(200);

  // A bad one is not used, and a changed secret is reported.
  writeFileSync(certificate.certFile, 'nonsense');
  writeFileSync(tokenFile, 'another-token-0123456789');
  bellhop.child.kill('SIGHUP');
  await log.has('has none. The certificate in use stays.', 3);
  await log.has('BELLHOP_ADMIN_TOKEN has changed; restart Bellhop to use it.', 1);
  expect(log.text()).not.toContain('another-token');
  for (const address of [production, backOffice]) {
    expect(await certificateAt(address)).toBe(validUntil.toISOString());
  }
  expect(await overview()).toBe(200);
  expect(connections).toBe(3);

  const { hostname, port } = new URL(production);
  const inHandshake = connect(Number(port), hostname).on('error', () => {});
  onTestFinished(() => void inHandshake.destroy());
  await once(inHandshake, 'connect');
  const exit = once(bellhop.child, 'exit', { signal: AbortSignal.timeout(LONGEST_STOP_MS) });
  bellhop.child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});

test('an authority of your own is trusted in both threads, and upstream and receiver see a client certificate', async () => {
  const authority = issueCertificate({ name: 'Own authority', isAuthority: true });
  const local = { name: 'localhost', dnsNames: ['localhost'], addresses: ['127.0.0.1'] };
  const issue = () => issueCertificate({ ...local, issuer: authority });
  const caFile = join(await temporaryFolder(), 'ca.pem');
  writeFileSync(caFile, `# A comment\n${authority.cert}\n${issueCertificate({ name: 'b' }).cert}`);
  const shown: string[] = [];
  const listen = async (server: Server) => {
    const at = await listening(server);
    return `https://127.0.0.1:${at.port}`;
  };
  const upstream = await listen(
    createServer({ ...issue(), ca: authority.cert, requestCert: true }, (request, response) => {
      const socket = request.socket as TLSSocket;
      shown.push(socket.authorized ? (socket.getPeerX509Certificate()?.serialNumber ?? '') : '');
      response.setHeader('connection', 'close').end('{}');
    }),
  );
  const receiver = await listen(
    createServer(
      { ...issue(), ca: authority.cert, requestCert: true, rejectUnauthorized: true },
      (request, response) =>
        response.end((request.socket as TLSSocket).getPeerX509Certificate()?.subject),
    ),
  );

  const client = await newCertificate();
  const first = serialOf(client.renew({ issuer: authority }));
  const bellhop = await spawnBellhop({
    BELLHOP_CA_FILE: caFile,
    BELLHOP_SANDBOX_UPSTREAM_URL: upstream,
    BELLHOP_SANDBOX_UPSTREAM_TLS_CERT_FILE: client.certFile,
    BELLHOP_SANDBOX_UPSTREAM_TLS_KEY_FILE: client.keyFile,
    BELLHOP_LOG_LEVEL: 'info',
    ...LOOPBACK_RECEIVERS,
  });
  const log = logOf(bellhop.child.stderr as NodeJS.ReadableStream);
  const { authorization, keyId } = await bellhop.newKey('sandbox');
  const forward = async () => {
    const url = bellhop.addresses.sandbox + FORWARDED_PATH;
    return (await fetch(url, { headers: { authorization } })).status;
  };
  expect(await forward()).toBe(200);
  const second = serialOf(client.renew({ issuer: authority }));
  bellhop.child.kill('SIGHUP');
  await log.has('the certificate was read again', 1);
  expect(await forward()).toBe(200);
  expect(shown).toEqual([first, second]);

  const at = '/support/v1/sandbox/midoffices';
  const settings = { name: 'M', url: receiver, signing_key_id: keyId };
  const { body: midoffice } = await bellhop.support('POST', at, settings);
  expect(midoffice).toMatchObject({ name: 'M' });
  const test = async () =>
    (await bellhop.support('POST', `${at}/${midoffice.id}/test-event`, {})).body;
  expect(await test()).toMatchObject({ outcome: 'failed', status_code: null });
  const { cert, key } = issueCertificate({ name: 'ours', issuer: authority });
  const client_certificate = { certificate: cert, private_key: key };
  await bellhop.support('PATCH', `${at}/${midoffice.id}`, { client_certificate });
  expect(await test()).toMatchObject({
    outcome: 'delivered',
    status_code: 200,
    reply_excerpt: 'CN=ours',
  });
  const check = await bellhop.support('POST', `${at}/${midoffice.id}/receiver-check`, {});
  expect(JSON.stringify(check.body)).not.toMatch(/CERTIFICATE_REQUIRED|certificate required/i);
});

test.each([
  ['is missing', undefined, 'cannot be read (ENOENT).'],
  ['has no certificate', 'nonsense', 'has none.'],
  [
    'has a broken one',
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    'is not one.',
  ],
])('a file of authorities that %s is refused', async (_name, content, reason) => {
  const file = join(await temporaryFolder(), 'ca.pem');
  if (content !== undefined) writeFileSync(file, content);
  await expect(startBellhop({ BELLHOP_CA_FILE: file })).rejects.toThrow(
    /^BELLHOP_CA_FILE must name a PEM file with certificates[^\n]+\.$/,
  );
  await expect(startBellhop({ BELLHOP_CA_FILE: file })).rejects.toThrow(`${file} ${reason}`);
});

function serialOf(pem: string): string {
  return new X509Certificate(pem).serialNumber;
}

async function openTls(address: string, ca: string): Promise<TLSSocket> {
  const { hostname, port } = new URL(address);
  const socket = connectTls({ host: hostname, port: Number(port), ca });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

function logOf(stream: NodeJS.ReadableStream) {
  let all = '';
  const changed = new Condition();
  stream.on('data', (chunk) => {
    all += chunk;
    changed.look();
  });
  return {
    text: () => all,
    has: (part: string, times: number) => changed.until(() => all.split(part).length > times),
  };
}
