/**
 * What a pooler costs: the same Bellhop through PgBouncer and without it. In session mode everything goes through it;
 * in transaction mode all but what needs a session of its own, such as delivery (docs/operating/poolers.md).
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  carriesPreparedStatements,
  findPgbouncer,
  pgbouncer,
  startPgbouncer,
} from '../../kit/pgbouncer.ts';
import { type Bellhop, OVERVIEW_PATH } from '../bellhop.ts';
import { type Bench, type Session, Skipped } from '../bench.ts';
import { posted } from '../delivery-sides.ts';
import { storeKeysPostgres } from '../keys.ts';
import { createMidoffices } from '../midoffices.ts';
import { startNodeOn } from '../nodes.ts';
import { type Database, type Postgres, startPostgres } from '../postgres.ts';
import { startNode } from '../processes.ts';
import { type Comparison, inTurns, type Side } from '../side-by-side.ts';
import { callsPerSecond, warmUp } from '../wrk.ts';

const EVENTS = 10_000;
const MIDOFFICES = 10;
const IN_FLIGHT_EACH = 8;
/** Enough for the whole run: 100 calls a day each, which the journal in the database has before the reply. */
const KEYS = 10_000;
const CALLERS = 256;

type Mode = 'session' | 'transaction';

interface Sides {
  delivery: Side;
  overview: Side;
}

export const pooler: Bench = {
  name: 'pooler',
  async run(session) {
    const program = programToUse();
    if (!program) throw new Skipped(`PgBouncer is not installed. ${pgbouncer.howToGet}`);
    const postgres = await startPostgres(session);
    const receiver = await startNode(session, 'bench/servers/receiver.ts', []);
    const url = `${receiver.ready}/hook`;
    const direct = await sidesOf(session, 'direct', await postgres.newDatabase(), url);
    const comparisons: Comparison[] = [];
    for (const mode of modesOf(program)) {
      const database = await behind(session, program, postgres, mode);
      const through = await sidesOf(session, 'PgBouncer', database, url);
      comparisons.push(
        {
          title: `delivery through PgBouncer, ${mode} mode: posted → delivered and recorded`,
          unit: 'webhooks/s',
          measured: through.delivery,
          against: direct.delivery,
        },
        {
          title: `overview/ through PgBouncer, ${mode} mode: 100 a day`,
          unit: 'calls/s',
          measured: through.overview,
          against: direct.overview,
        },
      );
    }
    session.progress('warming up');
    for (const { measured, against } of comparisons) {
      await against?.measure();
      await measured.measure();
    }
    return inTurns(session, comparisons);
  },
};

/** As in tests: the setting names another one, or `none`. */
function programToUse(): string | null {
  const given = process.env[pgbouncer.setting];
  return given === 'none' ? null : given || findPgbouncer();
}

function modesOf(program: string): Mode[] {
  return carriesPreparedStatements(program) ? ['session', 'transaction'] : ['session'];
}

/** A database of its own, as a Bellhop behind PgBouncer reaches it. */
async function behind(
  session: Session,
  program: string,
  postgres: Postgres,
  mode: Mode,
): Promise<Database> {
  const { url, env } = await postgres.newDatabase();
  const isTransaction = mode === 'transaction';
  const server = await startPgbouncer(program, url, {
    ...(isTransaction && { database: "connect_query='set search_path to bellhop'" }),
    settings: [`pool_mode = ${mode}`, ...(isTransaction ? ['max_prepared_statements = 200'] : [])],
  });
  session.undo(() => server.end());
  return {
    url,
    env: {
      ...env,
      BELLHOP_SANDBOX_DATABASE_URL: server.url,
      ...(isTransaction && { BELLHOP_SANDBOX_DATABASE_DIRECT_URL: url }),
    },
  };
}

async function sidesOf(
  session: Session,
  name: string,
  database: Database,
  url: string,
): Promise<Sides> {
  const bellhop = await startNodeOn(session, database);
  const overview = await callsOf(session, name, database, bellhop);
  const urls = Array.from({ length: MIDOFFICES }, () => url);
  const midoffices = await createMidoffices(bellhop, urls, IN_FLIGHT_EACH);
  return { delivery: posted(name, { nodes: [bellhop], midoffices }, EVENTS), overview };
}

async function callsOf(
  session: Session,
  name: string,
  database: Database,
  bellhop: Bellhop,
): Promise<Side> {
  session.progress(`storing ${KEYS} keys`);
  const keys = await storeKeysPostgres(database, KEYS);
  const authorizations = join(await session.folder(), 'authorizations');
  await writeFile(authorizations, `${keys.join('\n')}\n`);
  const load = { url: bellhop.sandbox + OVERVIEW_PATH, authorizations, connections: CALLERS };
  await warmUp(load);
  return callsPerSecond(name, bellhop, load);
}
