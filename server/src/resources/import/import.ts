/** Moves partners, keys, grants and midoffices in from another system: everything in the file, or nothing. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../store/schema.ts';
import type { Store } from '../../store/store.ts';
import type { SupportEnvironment } from '../environment.ts';
import { applyImport } from './apply.ts';
import { Findings, type ImportReport } from './findings.ts';
import { identifyRecords } from './identify.ts';
import type { CheckLine } from './lines.ts';
import type { Plan } from './plan.ts';
import { planKeys } from './plan-keys.ts';
import { planMidoffices } from './plan-midoffices.ts';
import { planPartners } from './plan-partners.ts';
import { readLines } from './read-lines.ts';
import { stageLine } from './stage.ts';

/** Some 3 ms of work, so that webhooks and other requests hardly wait. */
const LINES_AT_ONCE = 100;

export interface ImportRequest {
  /** NDJSON: see lines.ts. */
  body: AsyncIterable<Buffer>;
  /** Reports what an import would do, and changes nothing. */
  isDryRun: boolean;
  /** For every raised limit whose line has none of its own. */
  approval: string | undefined;
  checkLine: CheckLine;
}

export async function importRecords(
  environment: SupportEnvironment,
  actor: string,
  { body, isDryRun, approval, checkLine }: ImportRequest,
): Promise<ImportReport> {
  // Loaded only now, because on PostgreSQL nothing else needs SQLite.
  const { Staging } = await import('./staging.ts');
  using staging = new Staging();
  const findings = new Findings();
  const { lines, sha256 } = readLines(body);
  for await (const some of lines) {
    for (const [index, line] of some.entries()) {
      stageLine({ environment, staging, findings, checkLine }, line);
      if (index % LINES_AT_ONCE === 0) await nextTurn();
    }
  }
  const { store, clock } = environment;
  const nowMs = clock.now();
  await atOneMoment(store, (db) =>
    planImport({ environment, db, staging, findings, nowMs, approval }),
  );
  findings.throwIfAny();
  if (!isDryRun && findings.hasChanges) {
    const audited = {
      lines: findings.lines,
      sha256: sha256(),
      ...findings.counts,
      ...(findings.raises > 0 && {
        raises: findings.raises,
        approval_references: findings.approvals,
      }),
    };
    await applyImport(environment, actor, staging, audited);
  }
  return findings.report(isDryRun);
}

/**
 * `work` only reads, and sees the database as it is at one moment, so that it meets another node's import whole or
 * not at all. The embedded engine has no other node, and one process runs one import at a time.
 */
function atOneMoment(
  { engine, db }: Pick<Store, 'engine' | 'db'>,
  work: (db: Database) => Promise<void>,
): Promise<void> {
  if (engine === 'sqlite') return work(db);
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(work);
}

/**
 * Decides for every record whether it is created, changed, left as it is or skipped. It only reads: a dry run ends
 * after it, and the transaction that follows otherwise is as short as it can be. A midoffice whose signing key is
 * skipped is skipped too, and its partners get none: hence the order.
 */
async function planImport(plan: Plan): Promise<void> {
  await identifyRecords(plan);
  await planKeys(plan);
  await planMidoffices(plan);
  await planPartners(plan);
}
