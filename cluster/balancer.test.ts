import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { balancerKinds, findProgram, startBalancer } from './balancer.ts';
import { haproxy } from './haproxy.ts';
import type { Listener } from './node.ts';

/** Stands in for a node: every listener is the same server. */
async function startNode(name: string) {
  const notReady = new Set<string>();
  const calls: string[] = [];
  const server = createServer((request, response) => {
    const { url = '' } = request;
    if (url.startsWith('/health/')) {
      response.writeHead(notReady.has(url) ? 503 : 200).end();
      return;
    }
    calls.push(String(request.headers['x-forwarded-for']));
    response.end(name);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((closed) => server.close(closed));
  };
  onTestFinished(stop);
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    name,
    addresses: { production: address, sandbox: address, backOffice: address },
    calls,
    stop,
    /** As when the database of the environment is away. */
    lose(environment: 'production' | 'sandbox') {
      notReady.add('/health/ready').add(`/health/ready/${environment}`);
    },
  };
}

describe.for(balancerKinds.map((kind) => [kind.name, kind] as const))('%s', ([, kind]) => {
  const isMissing = findProgram(kind) === null;

  async function start() {
    const nodes = [await startNode('one'), await startNode('two')] as const;
    const balancer = await startBalancer(nodes, kind);
    onTestFinished(() => balancer?.server.end());
    const call = async (listener: Listener = 'sandbox') =>
      (await fetch(balancer?.addresses[listener] ?? '')).text();
    return { nodes, call };
  }

  test.skipIf(isMissing)('sends calls to every node, and tells them who calls', async () => {
    const { nodes, call } = await start();
    await expect.poll(async () => [await call(), await call()].sort()).toEqual(['one', 'two']);
    for (const { calls } of nodes) expect(new Set(calls)).toEqual(new Set(['127.0.0.1']));
  });

  test.skipIf(isMissing)('answers every call while a node goes away', async () => {
    const { nodes, call } = await start();
    await expect.poll(async () => [await call(), await call()].sort()).toEqual(['one', 'two']);
    const answers = [];
    for (let i = 0; i < 50; i++) {
      if (i === 10) await nodes[0].stop();
      answers.push(await call());
    }
    expect(new Set(answers.slice(10))).toEqual(new Set(['two']));
  });

  // nginx has no health checks.
  if (kind !== haproxy) return;
  test.skipIf(isMissing)('leaves out a node of one environment if that is not ready', async () => {
    const { nodes, call } = await start();
    nodes[0].lose('sandbox');
    await expect
      .poll(async () => [await call(), await call()], { timeout: 10_000 })
      .toEqual(['two', 'two']);
    for (const listener of ['production', 'backOffice'] as const) {
      expect([await call(listener), await call(listener)].sort()).toEqual(['one', 'two']);
    }
  });
});
