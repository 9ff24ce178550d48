/**
 * Judges recorded calls: what was wrong with each, from what was noted of the call and what the database knows of its
 * key, the changes of it and the calls around it. All of it is read when somebody looks at a call, never when a partner
 * calls.
 */
import { actorName } from '@bellhop/rules/actor-name';
import { fieldsOf } from '@bellhop/rules/differences';
import type { EnvironmentName } from '../../base/config/settings.ts';
import { previousKeysOf } from '../../base/sealing/previous-keys.ts';
import { fingerprintOfDigest } from '../../base/sealing/sealed-key.ts';
import { allowListFrom } from '../../gateway/keyring.ts';
import type { RecordedCall } from '../../gateway/recorded-calls/recorded-call.ts';
import { refusals } from '../../gateway/refusal.ts';
import { HOUR_MS } from '../../gateway/usage-history/counts.ts';
import { byWhom } from '../../store/portal-actor.ts';
import { countByAddress } from '../../store/recorded-calls.ts';
import type { ApiKeyRow, Database } from '../../store/schema.ts';
import { type AuditEntryAsRecorded, readEntry } from '../audit/audit.ts';
import { newestAudit } from '../audit/queries.ts';
import { readGrantSet } from '../grants/queries.ts';
import { keys, readReplaced } from '../keys/queries.ts';
import { partners } from '../partners/queries.ts';
import type { Facts, VerdictCode } from './verdicts.ts';

/** Older changes of a key or partner are not looked at. */
const MOST_CHANGES = 100;

export interface Judging {
  db: Database;
  /** Support learns who did something; a partner, whether it was support. */
  reader: 'support' | 'partner';
  /** The environments in which support looks for a key id that this one does not have. */
  others?: readonly { name: EnvironmentName; db: Database }[];
}

export interface Judgement {
  code: VerdictCode;
  facts: Facts;
}

/** One page of calls. What several of them need is read once. */
export async function judgeCalls(
  calls: readonly RecordedCall[],
  judging: Judging,
): Promise<Judgement[]> {
  const { db, others = [] } = judging;
  const keyIds = [...new Set(calls.map(({ key_id }) => key_id).filter((id) => id !== ''))];
  const strange = [...new Set(calls.flatMap(({ given_key_id }) => given_key_id ?? []))];
  const known = {
    keys: await keys.readAll(db, keyIds),
    replaced: await readReplaced(db, keyIds),
    elsewhere: new Map<string, EnvironmentName>(),
  };
  for (const { name, db: other } of others) {
    for (const id of (await keys.readAll(other, strange)).keys()) known.elsewhere.set(id, name);
  }
  const judge = judgeOf(judging, known);
  const judgements: Judgement[] = [];
  for (const call of calls) judgements.push(await judge(call));
  return judgements;
}

interface Known {
  keys: ReadonlyMap<string, ApiKeyRow>;
  replaced: Awaited<ReturnType<typeof readReplaced>>;
  elsewhere: ReadonlyMap<string, EnvironmentName>;
}

function judgeOf({ db, reader }: Judging, known: Known) {
  const changes = new Map<string, Promise<AuditEntryAsRecorded[]>>();
  const shares = new Map<string, Promise<Map<string, number>>>();

  function changesOf(subject: string): Promise<AuditEntryAsRecorded[]> {
    let read = changes.get(subject);
    if (!read) {
      read = newestAudit(db, { limit: MOST_CHANGES }, { subject }).then((rows) =>
        rows.map(readEntry),
      );
      changes.set(subject, read);
    }
    return read;
  }

  /** The newest change before the call that made it so: since when, and by whom. */
  async function madeSo(
    call: RecordedCall,
    subject: string,
    isIt: (entry: AuditEntryAsRecorded) => boolean,
  ): Promise<{ entry: AuditEntryAsRecorded; facts: Pick<Facts, 'since' | 'by'> } | undefined> {
    const before = (await changesOf(subject)).filter(({ at }) => Date.parse(at) <= call.at);
    const entry = before.find(isIt);
    return entry && { entry, facts: { since: entry.at, by: who(entry.actor, call) } };
  }

  function who(actor: string, { partner_id }: RecordedCall): string {
    if (reader === 'support') return actorName(actor);
    return byWhom(actor, partner_id) === 'partner' ? 'your side' : 'API support';
  }

  async function judgeCredentials(call: RecordedCall): Promise<Judgement> {
    const row = known.keys.get(call.key_id);
    if (!row) {
      const { given_key_id: id } = call;
      const environment = id === null ? undefined : known.elsewhere.get(id);
      const given = id === null ? {} : { given_key_id: id };
      return environment
        ? { code: 'key_of_other_environment', facts: { ...given, environment } }
        : { code: 'key_id_unknown', facts: given };
    }
    const given = (call.given_api_key ?? '').split(' ');
    const isGiven = ({ digest }: { digest: string }) => given.includes(fingerprintOfDigest(digest));
    const facts = { api_key: given[0] ?? '' };
    const replaced = known.replaced.find(
      (one) => one.key_id === row.key_id && given.includes(one.fingerprint),
    );
    if (replaced && replaced.works_until <= call.at) {
      return {
        code: 'api_key_replaced',
        facts: {
          ...facts,
          replaced_at: new Date(replaced.replaced_at).toISOString(),
          replaced_by: who(replaced.replaced_by, call),
          overlap_ended_at: new Date(replaced.works_until).toISOString(),
        },
      };
    }
    if (!replaced && ![row, ...previousKeysOf(row)].some(isGiven)) {
      return { code: 'api_key_unknown', facts };
    }
    if (row.revoked_at !== null && row.revoked_at <= call.at) {
      const since = new Date(row.revoked_at).toISOString();
      const revoked = await madeSo(call, row.key_id, ({ action }) => action === 'key.revoke');
      return { code: 'key_revoked', facts: { ...facts, since, ...revoked?.facts } };
    }
    if (row.expires_at !== null && row.expires_at <= call.at) {
      return {
        code: 'key_expired',
        facts: { ...facts, since: new Date(row.expires_at).toISOString() },
      };
    }
    return { code: 'api_key_right', facts };
  }

  async function judgeAccess(call: RecordedCall): Promise<Judgement> {
    const key = known.keys.get(call.key_id);
    const partner = await partners.read(db, call.partner_id);
    // The newest change of a flag before the call says how it was then.
    const changed = (subject: string, flag: string) =>
      madeSo(
        call,
        subject,
        ({ before, after }) => fieldsOf(before)[flag] !== fieldsOf(after)[flag],
      );
    const disabled = await changed(call.key_id, 'disabled');
    const suspended = await changed(call.partner_id, 'suspended');
    const isKey = disabled?.entry.after.disabled ?? (key?.disabled === 1 || !suspended);
    return isKey
      ? { code: 'key_disabled', facts: { ...disabled?.facts, is_over: key?.disabled === 0 } }
      : {
          code: 'partner_suspended',
          facts: { ...suspended?.facts, is_over: partner?.suspended === 0 },
        };
  }

  function judgeAddress(call: RecordedCall): Judgement {
    const allowed = known.keys.get(call.key_id)?.allowed_ips ?? null;
    const addresses_allowed = allowed === null ? 0 : (JSON.parse(allowed) as string[]).length;
    const is_over = allowListFrom(allowed)(call.address);
    const facts = { address: call.address, addresses_allowed, is_over };
    return { code: 'address_not_allowed', facts };
  }

  async function judgeGrant(call: RecordedCall): Promise<Judgement> {
    const { endpoint } = call;
    if (endpoint === null) return { code: 'path_unknown', facts: {} };
    const key = known.keys.get(call.key_id);
    const now = key && (await readGrantSet(db, key.grant_set)).of(endpoint);
    if (call.code === refusals.endpointNotActive.code) {
      const off = await madeSo(call, call.key_id, ({ action, before, after }) => {
        const [was, is] = [fieldsOf(before), fieldsOf(after)];
        return (
          action === 'key.grant' &&
          is.endpoint === endpoint &&
          !is.is_active &&
          was.is_active !== false
        );
      });
      return {
        code: 'endpoint_switched_off',
        facts: { ...off?.facts, is_over: now?.is_active === true },
      };
    }
    const is_over = now !== undefined;
    const withdrawn = await madeSo(
      call,
      call.key_id,
      ({ action, before }) => action === 'key.withdraw' && fieldsOf(before).endpoint === endpoint,
    );
    return withdrawn
      ? { code: 'endpoint_withdrawn', facts: { ...withdrawn.facts, is_over } }
      : { code: 'endpoint_never_granted', facts: { is_over } };
  }

  async function judgeLimit(call: RecordedCall): Promise<Judgement> {
    const { key_id: keyId, endpoint, code, at, address } = call;
    const fromMs = at - (at % HOUR_MS);
    const id = `${keyId} ${endpoint} ${fromMs}`;
    let counting = shares.get(id);
    if (!counting) {
      counting = countByAddress(db, { keyId, endpoint, code, fromMs, untilMs: fromMs + HOUR_MS });
      shares.set(id, counting);
    }
    const counts = await counting;
    const all = [...counts.values()].reduce((sum, calls) => sum + calls, 0);
    const others = all - (counts.get(address) ?? 0);
    const share = all === 0 ? 0 : Math.round((others / all) * 1_000) / 1_000;
    return { code: 'limit_used_up', facts: { share_of_other_addresses: share } };
  }

  return async (call: RecordedCall): Promise<Judgement> => {
    switch (call.code) {
      case refusals.noAuthHeader.code:
        return { code: 'no_credentials', facts: {} };
      case refusals.invalidAuthHeader.code:
        return { code: 'unreadable_credentials', facts: {} };
      case refusals.incorrectCredentials.code:
        return judgeCredentials(call);
      case refusals.tooManyFailedLogins.code:
        return { code: 'too_many_failed_sign_ins', facts: { address: call.address } };
      case refusals.apiAccessDisabled.code:
        return judgeAccess(call);
      case refusals.notAllowedHost.code:
        return judgeAddress(call);
      case refusals.endpointNotGranted.code:
      case refusals.endpointNotActive.code:
        return judgeGrant(call);
      case refusals.endpointExceededLimit.code:
        return judgeLimit(call);
      default:
        return { code: 'no_more_known', facts: {} };
    }
  };
}
