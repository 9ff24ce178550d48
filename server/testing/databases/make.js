/**
 * Creates the databases in this folder with the code of another checkout, in which `npm ci` has run:
 *
 *   npx node server/testing/databases/make.js <folder of the checkout>
 *
 * Needs PostgreSQL, with pg_dump on the PATH. README.md says what is in the databases and which version made them.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { startPostgresServer } from '../../../test/provide/postgres.ts';

const STATES = 'select state, count(*) as count from delivery group by state order by state';

const checkout = resolve(process.argv[2]);
const here = fileURLToPath(new URL('.', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'bellhop-databases-'));
const server = await startPostgresServer();
try {
  await makeSqlite();
  await makePostgres();
} finally {
  await server.end();
  await rm(folder, { recursive: true });
}

async function makeSqlite() {
  const data = join(folder, 'production');
  const played = await play(data);
  const database = new DatabaseSync(join(data, 'bellhop.db'));
  const last = database.prepare("select seq from sqlite_sequence where name = 'delivery'").get();
  const states = database.prepare(STATES).all();
  const file = join(folder, 'fixture.db');
  database.exec(`vacuum into '${file}'`);
  database.close();
  await writeFile(join(here, 'sqlite.db.gz'), gzipSync(await readFile(file), { level: 9 }));
  await keepFacts('sqlite.json', played, last.seq, states);
}

async function makePostgres() {
  const played = await play(server.url);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query('set search_path to bellhop');
  const last = await client.query('select last_value from delivery_seq_seq');
  const states = await client.query(STATES);
  await client.end();
  const flags = ['--inserts', '--no-owner', '--no-privileges', '--schema=bellhop'];
  const { stdout } = await promisify(execFile)('pg_dump', [...flags, server.url]);
  await writeFile(join(here, 'postgres.sql'), forAnyClient(stdout));
  await keepFacts('postgres.json', played, Number(last.rows[0].last_value), states.rows);
}

/** Runs the worker until it is killed, then the back office. */
async function play(database) {
  const worker = startPart('worker', database);
  const said = await worker.said;
  worker.child.kill('SIGKILL');
  await worker.ended;
  const backOffice = startPart('back-office', database, said);
  const last = await backOffice.said;
  await backOffice.ended;
  return JSON.parse(last);
}

function startPart(part, ...rest) {
  const program = join(here, 'scenario.js');
  const child = spawn(process.execPath, [program, checkout, part, ...rest], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const said = new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the ${part} ended with ${code}`)));
  });
  return { child, said, ended };
}

/** Without psql's own commands, comments, and settings that other versions of PostgreSQL may lack. */
function forAnyClient(dump) {
  return dump
    .split('\n')
    .filter((line) => !/^(--|\\|SET |SELECT pg_catalog\.set_config)/.test(line))
    .join('\n')
    .replace(/\n{2,}/g, '\n');
}

async function keepFacts(name, { now, names }, last_seq, states) {
  const counts = Object.fromEntries(states.map(({ state, count }) => [state, Number(count)]));
  const { deliveries: _, ...ids } = names;
  const facts = { now, last_seq, counts, ...ids };
  await writeFile(join(here, name), `${JSON.stringify(facts, null, 2)}\n`);
}
