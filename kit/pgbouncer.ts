/** PgBouncer in front of a throw-away PostgreSQL. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderWith, pathFolders } from './find.ts';
import type { Part } from './part.ts';
import { withClient } from './postgres.ts';
import { startThrowAway, type ThrowAwayServer } from './throw-away-server.ts';

/** Its value is the program: each test starts its own. */
export const pgbouncer: Part = {
  name: 'PgBouncer',
  setting: 'BELLHOP_TEST_PGBOUNCER',
  aptPackage: 'pgbouncer',
  howToGet:
    'Install it (apt-get install pgbouncer, brew install pgbouncer), or set BELLHOP_TEST_PGBOUNCER to its program.',
  isInstalled: () => findPgbouncer() !== null,
  async start() {
    const program = findPgbouncer() as string;
    return { value: program, line: `PgBouncer: ${program}`, end: async () => {} };
  },
};

export function findPgbouncer(): string | null {
  const folder = folderWith(['pgbouncer'], [...pathFolders(), '/usr/sbin']);
  return folder && join(folder, 'pgbouncer');
}

/** Since 1.21, prepared statements work in transaction mode. */
export function carriesPreparedStatements(program: string): boolean {
  const [, major = 0, minor = 0] =
    /PgBouncer (\d+)\.(\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' })) ?? [];
  return Number(major) > 1 || Number(minor) >= 21;
}

/** `settings` are lines of pgbouncer.ini; `database` ends the line of the database. */
export async function startPgbouncer(
  program: string,
  databaseUrl: string,
  { settings, database = '' }: { settings: string[]; database?: string },
): Promise<ThrowAwayServer> {
  const { hostname, port: target, username, pathname } = new URL(databaseUrl);
  return startThrowAway({
    name: 'PgBouncer',
    accounts: ['postgres', 'pgbouncer'],
    serve: ({ folder, port }) => {
      const file = join(folder, 'pgbouncer.ini');
      writeFileSync(
        file,
        [
          '[databases]',
          `* = host=${hostname} port=${target} user=${username} ${database}`,
          '[pgbouncer]',
          'listen_addr = 127.0.0.1',
          `listen_port = ${port}`,
          'unix_socket_dir =',
          'auth_type = any',
          'default_pool_size = 20',
          ...settings,
        ].join('\n'),
        { mode: 0o644 },
      );
      return { program, args: [file] };
    },
    url: ({ port }) => `postgres://${username}@127.0.0.1:${port}${pathname}`,
    answers: (url) => withClient(url, async () => {}),
    stopSignal: 'SIGINT',
    endSignal: 'SIGKILL',
  });
}
