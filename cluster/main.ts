/** `npm run cluster -- --help` */

import { environments, type Settings } from '../kit/bellhop.ts';
import { HOW_TO_GET } from './balancer.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { type Addresses, listeners } from './node.ts';
import { BadUsage, readOptions, USAGE } from './options.ts';

try {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') console.log(USAGE);
  else await run(options);
} catch (error) {
  if (!(error instanceof Error)) throw error;
  console.error(error instanceof BadUsage ? `${error.message}\n\n${USAGE}` : error.message);
  process.exitCode = error instanceof BadUsage ? 2 : 1;
}

async function run(options: Exclude<ReturnType<typeof readOptions>, 'help'>): Promise<void> {
  const stopped = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stopped.resolve());
  }
  // Until everything runs there is nothing to stop in order: the keepers clean up.
  const interrupted = stopped.promise.then(() => null);
  const cluster = await Promise.race([startCluster(options, settingsOf(process.env)), interrupted]);
  if (!cluster) process.exit(130);
  console.log(describe(cluster));
  // The promise alone does not keep the process alive.
  const staying = setInterval(() => {}, 60_000);
  await stopped.promise;
  clearInterval(staying);
  console.log('Stopping.');
  await cluster.end();
}

function settingsOf(env: NodeJS.ProcessEnv): Settings {
  const ours = Object.entries(env).filter(
    ([name, value]) => /^BELLHOP_(?!TEST_)/.test(name) && value !== undefined,
  );
  return Object.fromEntries(ours) as Settings;
}

function describe({ postgres, redis, nodes, balancer, adminToken }: Cluster): string {
  const lines = [
    `PostgreSQL: ${postgres.url}`,
    ...environments.map((environment) => `Redis, ${environment}: ${redis[environment].url}`),
    ...nodes.flatMap(({ name, roles, addresses, server }) => [
      `${name} (${roles.join(', ')}), process ${server.pid}, log ${server.logFile}`,
      ...linesOf(addresses),
    ]),
    ...(balancer
      ? [`${balancer.name}, in front of the nodes:`, ...linesOf(balancer.addresses)]
      : [HOW_TO_GET]),
    `Admin token: ${adminToken}`,
    'Press Ctrl-C to stop everything and remove the data.',
  ];
  return lines.join('\n');
}

function linesOf(addresses: Addresses): string[] {
  return listeners.flatMap((listener) =>
    addresses[listener] === undefined ? [] : [`  ${listener.padEnd(10)}  ${addresses[listener]}`],
  );
}
