/**
 * What a restored copy brings back to life: keys and tokens that worked when it was made and were ended since. Only
 * newer data can tell: the data folder that the copy replaces, or a later backup.
 */
import { join } from 'node:path';
import { type EnvironmentName, environmentNames } from '../../base/config/settings.ts';
import { fingerprintOf } from '../../base/sealing/sealed-key.ts';
import { openAsItIs } from '../../store/sqlite/known-identity.ts';
import { BACK_OFFICES, databaseOf, isInside } from './manifest.ts';

export interface BroughtBack {
  /** `both`: of the back office. */
  environment: EnvironmentName | 'both';
  kind: 'partner' | 'key' | 'token';
  id: string;
  name: string | null;
  /** Rotated: its API key from before the rotation works again, and the newer one does not. */
  because: 'revoked' | 'disabled' | 'expired' | 'rotated' | 'suspended';
}

interface EndableRow {
  id: string;
  name: string | null;
  revoked_at: number | null;
  expires_at: number | null;
}

interface KeyRow extends EndableRow {
  disabled: number;
  digest: string;
  sealed_key: string;
}

interface PartnerRow {
  id: string;
  name: string;
  suspended: number;
}

const TOKENS = 'select id, name, revoked_at, expires_at from token';
const KEYS =
  'select key_id as id, label as name, revoked_at, expires_at, disabled, digest, sealed_key from api_key';
const PARTNERS = 'select id, name, suspended from partner';

/** Throws if the newer data cannot be read, because it is damaged or of another release. */
export function broughtBack(backup: string, newer: string, nowMs: number): BroughtBack[] {
  const found: BroughtBack[] = [];
  const comparing = <Row extends { id: string }>(
    path: string,
    query: string,
    add: (before: Row, now: Row) => Omit<BroughtBack, 'id'> | undefined,
  ) => {
    for (const [before, now] of pairs<Row>(backup, newer, path, query)) {
      const one = add(before, now);
      if (one) found.push({ ...one, id: now.id });
    }
  };
  for (const environment of environmentNames) {
    const path = databaseOf(environment);
    comparing<PartnerRow>(path, PARTNERS, (before, { name, suspended }) =>
      suspended > before.suspended
        ? { environment, kind: 'partner', name, because: 'suspended' }
        : undefined,
    );
    comparing<KeyRow>(path, KEYS, (before, now) => {
      const because = endedBecause(before, now, nowMs) ?? changedBecause(before, now);
      return because && { environment, kind: 'key', name: now.name, because };
    });
  }
  for (const path of BACK_OFFICES) {
    comparing<EndableRow>(path, TOKENS, (before, now) => {
      const because = endedBecause(before, now, nowMs);
      return because && { environment: 'both', kind: 'token', name: now.name, because };
    });
  }
  return found;
}

function endedBecause(before: EndableRow, now: EndableRow, nowMs: number) {
  const isOver = ({ expires_at }: EndableRow) => expires_at !== null && expires_at <= nowMs;
  if (before.revoked_at !== null || isOver(before)) return undefined;
  if (now.revoked_at !== null) return 'revoked';
  return isOver(now) ? 'expired' : undefined;
}

function changedBecause(before: KeyRow, now: KeyRow) {
  if (before.revoked_at !== null) return undefined;
  if (now.disabled > before.disabled) return 'disabled';
  // The digest of an API key also changes with the master key; its fingerprint does not.
  const isSame =
    fingerprintOf(before.sealed_key, before.digest) === fingerprintOf(now.sealed_key, now.digest);
  return isSame ? undefined : 'rotated';
}

/** The rows that both have. */
function* pairs<Row extends { id: string }>(
  backup: string,
  newer: string,
  path: string,
  query: string,
): Generator<[Row, Row]> {
  if (!isInside(backup, path) || !isInside(newer, path, '')) return;
  // SQLite reads the log as well.
  for (const suffix of ['-wal', '-shm']) isInside(newer, path + suffix, '');
  const [before, now] = [openAsItIs(join(backup, path)), openAsItIs(join(newer, path))];
  try {
    const earlier = before.prepare(`select * from (${query}) where id = ?`);
    for (const row of now.prepare(query).iterate()) {
      const same = earlier.get(row.id as string);
      if (same) yield [same as Row & typeof same, row as Row & typeof row];
    }
  } finally {
    before.close();
    now.close();
  }
}
