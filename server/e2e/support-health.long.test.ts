import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { databaseUrl, query } from '../../kit/postgres.ts';
import { describeWithOwnPostgres, describeWithOwnRedis } from '../../test/support.ts';
import { startBellhop, type TestBellhop } from '../testing/bellhop.ts';
import { BACK_OFFICE_ONLY } from '../testing/engines.ts';
import { eventually } from '../testing/eventually.ts';
import { newMasterKey } from '../testing/settings.ts';

// These tests start whole processes, which is slow on a busy machine.
interface Health {
  status: number;
  body: { status: string; troubles?: string[] };
}

type Kind = 'live' | 'ready' | 'ready/production' | 'ready/sandbox';

async function health({ addresses }: TestBellhop, kind: Kind): Promise<Health> {
  const reply = await fetch(`${addresses.backOffice}/health/${kind}`);
  return { status: reply.status, body: (await reply.json()) as Health['body'] };
}

/** Polls until the server is in that state; bounded only by the test's own time limit. */
async function untilReadiness(bellhop: TestBellhop, wanted: string): Promise<Health> {
  for (;;) {
    const found = await health(bellhop, 'ready');
    if (found.body.status === wanted) return found;
    await sleep(20);
  }
}

function untilTroubles(bellhop: TestBellhop, wanted: object): Promise<void> {
  return expect.poll(() => health(bellhop, 'ready'), { timeout: 20_000 }).toMatchObject(wanted);
}

test('a healthy server is live and ready', async () => {
  const bellhop = await startBellhop(BACK_OFFICE_ONLY);
  expect(await health(bellhop, 'live')).toEqual({ status: 200, body: { status: 'live' } });
  for (const kind of ['ready', 'ready/production', 'ready/sandbox'] as const) {
    expect(await health(bellhop, kind)).toEqual({
      status: 200,
      body: { status: 'ready', troubles: [] },
    });
  }
});

test('the readiness of an environment that the process does not serve is not found', async () => {
  const bellhop = await startBellhop({ ...BACK_OFFICE_ONLY, BELLHOP_ENVIRONMENTS: 'sandbox' });
  expect((await health(bellhop, 'ready/sandbox')).status).toBe(200);
  expect(await health(bellhop, 'ready/production')).toMatchObject({
    status: 404,
    body: { code: 'route_not_found' },
  });
});

describeWithOwnPostgres('a lost PostgreSQL', (startPostgres) => {
  test('makes it and that environment not ready, but still live, until it is back', async () => {
    const postgres = await startPostgres();
    const bellhop = await startBellhop({
      BELLHOP_SANDBOX_DATABASE_URL: postgres.url,
      BELLHOP_SANDBOX_SERVE_WITHOUT_DATABASE: '0s',
      BELLHOP_MASTER_KEY: newMasterKey(),
    });
    expect((await health(bellhop, 'ready')).status).toBe(200);
    const { authorization } = await bellhop.newKey('sandbox');
    const overview = async () => {
      const url = `${bellhop.addresses.sandbox}/api/b2b/v3/overview/`;
      return (await fetch(url, { headers: { authorization } })).status;
    };
    expect(await overview()).toBe(200);

    await postgres.kill();
    const lost = {
      status: 503,
      body: { status: 'not ready', troubles: ['sandbox: the database does not answer.'] },
    };
    expect(await untilReadiness(bellhop, 'not ready')).toEqual(lost);
    expect(await health(bellhop, 'ready/sandbox')).toEqual(lost);
    expect(await health(bellhop, 'ready/production')).toEqual({
      status: 200,
      body: { status: 'ready', troubles: [] },
    });
    expect(await health(bellhop, 'live')).toMatchObject({ status: 200 });
    // The other environment keeps working.
    expect(await bellhop.support('GET', '/support/v1/production/keys')).toMatchObject({
      status: 200,
    });
    expect(await bellhop.support('GET', '/support/v1/sandbox/keys')).toMatchObject({
      status: 503,
      body: { code: 'database_unavailable' },
    });

    await postgres.restart();
    expect(await untilReadiness(bellhop, 'ready')).toEqual({
      status: 200,
      body: { status: 'ready', troubles: [] },
    });
    expect(await overview()).toBe(200);
    expect(await bellhop.support('GET', '/support/v1/sandbox/keys')).toMatchObject({ status: 200 });
  });

  test('that gives up a change, because its row is locked for too long, asks to try again', async () => {
    const { url } = await startPostgres();
    const bellhop = await startBellhop({
      BELLHOP_ENVIRONMENTS: 'sandbox',
      BELLHOP_SANDBOX_DATABASE_URL: url,
      BELLHOP_MASTER_KEY: newMasterKey(),
    });
    const { keyId } = await bellhop.newKey('sandbox');
    const other = new pg.Client(url);
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('begin');
    await other.query('select from bellhop.api_key where key_id = $1 for update', [keyId]);
    const revoked = bellhop.support('DELETE', `/support/v1/sandbox/keys/${keyId}`);
    // What it does itself after 30 seconds, with the same error.
    const cancel = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'`;
    await eventually(
      () => query(url, cancel),
      (cancelled) => cancelled.length > 0,
    );
    expect(await revoked).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
    expect((await revoked).headers.get('retry-after')).toBe('1');
    await other.query('rollback');
    expect((await bellhop.support('DELETE', `/support/v1/sandbox/keys/${keyId}`)).status).toBe(204);
  });

  test('makes it degraded from the first moment on where known keys are served without it', async () => {
    const postgres = await startPostgres();
    const bellhop = await startBellhop({
      BELLHOP_ENVIRONMENTS: 'sandbox',
      BELLHOP_SANDBOX_DATABASE_URL: postgres.url,
      BELLHOP_MASTER_KEY: newMasterKey(),
    });
    const seen: Health[] = [];
    const untilSeen = async (wanted: string) => {
      do seen.push(await health(bellhop, 'ready/sandbox'));
      while (seen.at(-1)?.body.status !== wanted);
    };
    await untilSeen('ready');
    const killed = postgres.kill();
    await untilSeen('degraded');
    expect(seen.at(-1)?.body.troubles).toEqual([
      expect.stringMatching(
        /^sandbox: the database does not answer since 20.*Z; keys that signed in before are served until 20.*Z\.$/,
      ),
    ]);
    await killed;
    // Past the moment at which the partner API stops trusting what it has cached.
    await eventually(
      async () => {
        seen.push(await health(bellhop, 'ready/sandbox'));
        return gaugeOf(bellhop, 'bellhop_without_database', 'sandbox');
      },
      (value) => value === '1',
    );
    await postgres.restart();
    await untilSeen('ready');
    expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('is told apart from a PostgreSQL that refuses the password', async () => {
    const { url } = await startPostgres();
    for (const sql of [
      "create role bellhop superuser login password 'old'",
      "copy (values ('host all bellhop all scram-sha-256'), ('host all all all trust')) to '{}/pg_hba.conf'",
      'select pg_reload_conf()',
      'create database production',
      'create database sandbox',
    ]) {
      await query(url, sql.replace('{}', await dataFolderOf(url)));
    }
    const ours = new URL(url);
    [ours.username, ours.password] = ['bellhop', 'old'];
    const bellhop = await startBellhop({
      BELLHOP_PRODUCTION_DATABASE_URL: databaseUrl(ours.href, 'production'),
      BELLHOP_PRODUCTION_SERVE_WITHOUT_DATABASE: '0s',
      BELLHOP_SANDBOX_DATABASE_URL: databaseUrl(ours.href, 'sandbox'),
      BELLHOP_MASTER_KEY: newMasterKey(),
    });

    await query(url, "alter role bellhop password 'new'");
    const endAll = (watch: string) =>
      query(
        url,
        `select pg_terminate_backend(pid) from pg_stat_activity
          where usename = 'bellhop' and application_name ${watch} like '% watch'`,
      );
    // As idle connections end by themselves. What watches the database still has its own.
    await endAll('not');
    const refuses = (environment: string) =>
      `${environment}: PostgreSQL refuses the user or the password of BELLHOP_${environment.toUpperCase()}_DATABASE_URL`;
    await untilTroubles(bellhop, {
      status: 200,
      body: { troubles: ['production', 'sandbox'].map((name) => `${refuses(name)}.`) },
    });

    await endAll('');
    await untilTroubles(bellhop, {
      status: 503,
      body: {
        troubles: [
          `${refuses('production')}.`,
          expect.stringMatching(
            `^${refuses('sandbox')} since 20.*Z; keys that signed in before are served until 20.*Z\\.$`,
          ),
        ],
      },
    });

    await query(url, "alter role bellhop password 'old'");
    expect((await untilReadiness(bellhop, 'ready')).body.troubles).toEqual([]);
  });
});

async function dataFolderOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('show data_directory').finally(() => client.end());
  return rows[0].data_directory;
}

async function gaugeOf({ addresses }: TestBellhop, name: string, environment: string) {
  const text = await (await fetch(`${addresses.backOffice}/metrics`)).text();
  return new RegExp(`^${name}\\{environment="${environment}"\\} (\\S+)$`, 'm').exec(text)?.[1];
}

describeWithOwnRedis('a lost Redis', (startRedis) => {
  test('makes it degraded until it is back, while calls are still served', async () => {
    const redis = await startRedis();
    const bellhop = await startBellhop({ BELLHOP_PRODUCTION_REDIS_URL: redis.url });
    const { authorization } = await bellhop.newKey('production');
    const overview = async () => {
      const url = `${bellhop.addresses.production}/api/b2b/v3/overview/`;
      return (await fetch(url, { headers: { authorization } })).status;
    };
    const gauge = () => gaugeOf(bellhop, 'bellhop_limits_degraded', 'production');
    await untilReadiness(bellhop, 'ready');
    expect([await overview(), await gauge()]).toEqual([200, '0']);

    await redis.kill();
    // A node notices at its next query.
    expect(await overview()).toBe(200);
    const degraded = await untilReadiness(bellhop, 'degraded');
    expect(degraded).toMatchObject({
      status: 200,
      body: { troubles: [expect.stringMatching(/^production: .*Redis.*\.$/)] },
    });
    expect(await overview()).toBe(200);
    await eventually(gauge, (value) => value === '1');

    await redis.restart();
    expect((await untilReadiness(bellhop, 'ready')).body.troubles).toEqual([]);
    expect(await overview()).toBe(200);
    await eventually(gauge, (value) => value === '0');
  });
});
