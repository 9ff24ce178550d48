import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BalancerKind, Frontend } from './balancer.ts';

/** nginx has no health checks in its free edition: it leaves a node out for a second after a failed call. */
export const nginx: BalancerKind = {
  name: 'nginx',
  program: 'nginx',
  accounts: ['www-data', 'nginx'],
  configure(folder, frontends) {
    const file = join(folder, 'nginx.conf');
    writeFileSync(file, configuration(folder, frontends));
    return ['-p', folder, '-c', file, '-e', join(folder, 'error.log')];
  },
  stopSignal: 'SIGTERM',
};

function configuration(folder: string, frontends: readonly Frontend[]): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `  ${kind}_temp_path ${join(folder, kind)};`,
  );
  return [
    'daemon off;',
    `pid ${join(folder, 'nginx.pid')};`,
    'events { worker_connections 4096; }',
    'http {',
    '  access_log off;',
    '  client_max_body_size 32m;',
    ...temporary,
    ...frontends.map(section),
    '}',
    '',
  ].join('\n');
}

function section({ listener, port, nodes }: Frontend): string {
  return `  upstream ${listener} {
    least_conn;
${nodes.map(({ target }) => `    server ${target} max_fails=1 fail_timeout=1s;`).join('\n')}
    keepalive 32;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://${listener};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_connect_timeout 1s;
      proxy_read_timeout 70s;
      proxy_next_upstream error timeout;
    }
  }`;
}
