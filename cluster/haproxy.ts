import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Backend, BalancerKind, Frontend } from './balancer.ts';
import type { Listener } from './node.ts';

/**
 * A call that found no connection goes to another node. A call that was sent may have been carried out, so it
 * is repeated only if that does no harm: a node that stops closes its idle connections, and one of them may
 * just have been chosen for the next call.
 */
const DEFAULTS = `global
  maxconn 4096

defaults
  mode http
  option forwardfor
  timeout connect 1s
  timeout client 75s
  timeout server 70s
  timeout check 2s
  option redispatch 1
  retries 3
  retry-on conn-failure empty-response
  default-server check inter 500ms fastinter 100ms downinter 250ms fall 3 rise 1
`;

export const haproxy: BalancerKind = {
  name: 'HAProxy',
  program: 'haproxy',
  accounts: ['haproxy'],
  configure(folder, frontends) {
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, [DEFAULTS, ...frontends.map(section)].join('\n'));
    // In the foreground.
    return ['-db', '-f', file];
  },
  // Ends at once; SIGUSR1 would wait for its clients.
  stopSignal: 'SIGTERM',
};

function section({ listener, port, nodes }: Frontend): string {
  const hasHealth = nodes.every(({ healthPort }) => healthPort !== undefined);
  const check = hasHealth
    ? [`  option httpchk GET ${readinessOf(listener)}`, '  http-check expect status 200']
    : [];
  return [
    `listen ${listener}`,
    `  bind 127.0.0.1:${port}`,
    '  balance leastconn',
    '  http-request set-header X-Forwarded-Proto http',
    '  http-request disable-l7-retry unless METH_GET || { method HEAD }',
    ...check,
    ...nodes.map((node) => server(node, hasHealth)),
    '',
  ].join('\n');
}

/**
 * Trouble of one environment must not take away the other's listener. Back office and portal serve both environments:
 * they follow production, beside whose database the back office has its tokens.
 */
function readinessOf(listener: Listener): string {
  return `/health/ready/${listener === 'sandbox' ? 'sandbox' : 'production'}`;
}

/** Without a back office in front of it, a node is checked by connecting to its port. */
function server({ name, target, healthPort }: Backend, hasHealth: boolean): string {
  return `  server ${name} ${target}${hasHealth ? ` port ${healthPort}` : ''}`;
}
