/**
 * The grants of a key after the import. A new key has the catalogue, or those of its `endpoints`; a known key has what
 * it has now. Grant lines change that. In production, letting more through needs a certified partner and an approval,
 * as always. The approval is on the line, or one is given for the whole import.
 */
import { isDeepStrictEqual } from 'node:util';
import { letsMoreThrough } from '@bellhop/rules/raise';
import { defaultGrant } from '../../base/catalogue.ts';
import { defaultGrants, type Grant, GrantSet } from '../../base/grants.ts';
import type { ApiKeyRow } from '../../store/schema.ts';
import { newGrant } from '../grants/grants.ts';
import { readGrantSet, readWithdrawnGrant } from '../grants/queries.ts';
import { partners } from '../partners/queries.ts';
import type { Plan } from './plan-record.ts';
import type { StagedGrantFields } from './stage.ts';
import type { ResolvedRecord, StagedGrant } from './staging.ts';

const NOT_CERTIFIED =
  'lets more through than before, which needs a certified partner; give the partner a certified_at, or lower the limit';
const NOT_APPROVED =
  'is missing, and the limit lets more through than before; give it on the line, or one for the whole import as the query parameter approval_reference (--approval-reference on the command line)';

/** Sets kept in memory: computing one takes 60 µs, and most keys share a few. */
const MOST_SETS = 1_000;

export interface PlannedGrants {
  setId: string;
  /** Grants that the key loses. */
  withdrawn: Grant[];
}

export class GrantPlans {
  readonly plan: Plan;
  readonly #made = new Map<string, GrantSet>();
  readonly #stored = new Map<string, GrantSet>();

  constructor(plan: Plan) {
    this.plan = plan;
  }

  /** Undefined if there is an error. */
  forNewKey(record: ResolvedRecord, endpoints: string[] | undefined): PlannedGrants | undefined {
    const lines = this.plan.staging.grantsOf(record.ref);
    const contents = JSON.stringify([endpoints, lines.map((line) => [line.endpoint, line.body])]);
    const set = this.#kept(this.#made, contents, () =>
      withLines(defaultGrants(endpoints), lines, defaultGrant),
    );
    if (this.#refusesRaise(record, lines, set, defaultGrant)) return undefined;
    for (const _line of lines) this.plan.findings.count('grant', 'created');
    return { setId: set.id, withdrawn: [] };
  }

  async forKnownKey(
    record: ResolvedRecord,
    key: ApiKeyRow,
    endpoints: string[] | undefined,
  ): Promise<PlannedGrants | undefined> {
    const lines = this.plan.staging.grantsOf(record.ref);
    if (lines.length === 0 && endpoints === undefined) {
      return { setId: key.grant_set, withdrawn: [] };
    }
    const before = await this.#storedSet(key.grant_set);
    const last = await this.#lastGrants(key, before, [
      ...(endpoints ?? []),
      ...lines.map(({ endpoint }) => endpoint),
    ]);
    const granted = (endpoint: string) =>
      before.of(endpoint) ?? newGrant(endpoint, last.get(endpoint));
    const base = endpoints
      ? new GrantSet([...defaultGrants(endpoints).grants].map(({ endpoint }) => granted(endpoint)))
      : before;
    const set = withLines(base, lines, granted);
    const lastOf = (endpoint: string) => last.get(endpoint) ?? defaultGrant(endpoint);
    const certified = { ...record, targetCertified: await this.#isCertified(record, key) };
    if (this.#refusesRaise(certified, lines, set, lastOf)) return undefined;
    for (const line of lines) this.#count(before, set, line);
    if (set.id !== before.id) this.plan.staging.addGrantSet(set.id, set.json);
    const withdrawn = before.grants.filter(({ endpoint }) => !set.of(endpoint));
    return { setId: set.id, withdrawn };
  }

  #count(before: GrantSet, after: GrantSet, { endpoint }: StagedGrant): void {
    const was = before.of(endpoint);
    const isSame = isDeepStrictEqual(was, after.of(endpoint));
    this.plan.findings.count('grant', !was ? 'created' : isSame ? 'unchanged' : 'changed');
  }

  /** What the key has or last had of these endpoints. */
  async #lastGrants(
    { key_id: keyId }: ApiKeyRow,
    before: GrantSet,
    endpoints: readonly string[],
  ): Promise<Map<string, Grant>> {
    const last = new Map<string, Grant>();
    for (const endpoint of endpoints) {
      const grant =
        before.of(endpoint) ?? (await readWithdrawnGrant(this.plan.db, keyId, endpoint));
      if (grant) last.set(endpoint, grant);
    }
    return last;
  }

  /** Says so in the findings. */
  #refusesRaise(
    record: ResolvedRecord,
    lines: readonly StagedGrant[],
    set: GrantSet,
    lastOf: (endpoint: string) => Grant,
  ): boolean {
    const { environment, findings, approval } = this.plan;
    if (environment.name !== 'production') return false;
    const isCertified = record.targetCertified === 1;
    let refuses = false;
    for (const { line, endpoint, approval: own } of lines) {
      if (!letsMoreThrough(lastOf(endpoint), set.of(endpoint) as Grant)) continue;
      const approved = own ?? approval;
      if (!isCertified) findings.error(line, '/requests_number', NOT_CERTIFIED);
      if (approved === undefined) findings.error(line, '/approval_reference', NOT_APPROVED);
      if (isCertified && approved !== undefined) findings.raise(approved);
      else refuses = true;
    }
    return refuses;
  }

  async #isCertified({ target, targetCertified }: ResolvedRecord, key: ApiKeyRow) {
    if (target !== null) return targetCertified;
    const partner = await partners.read(this.plan.db, key.partner_id);
    return Number(partner?.certified_at !== null);
  }

  async #storedSet(id: string): Promise<GrantSet> {
    const known = this.#stored.get(id);
    if (known) return known;
    const set = await readGrantSet(this.plan.db, id);
    return this.#kept(this.#stored, id, () => set);
  }

  #kept(sets: Map<string, GrantSet>, name: string, make: () => GrantSet): GrantSet {
    const known = sets.get(name);
    if (known) return known;
    const made = make();
    if (sets === this.#made) this.plan.staging.addGrantSet(made.id, made.json);
    if (sets.size >= MOST_SETS) sets.clear();
    sets.set(name, made);
    return made;
  }
}

function withLines(
  set: GrantSet,
  lines: readonly StagedGrant[],
  granted: (endpoint: string) => Grant,
): GrantSet {
  if (lines.length === 0) return set;
  const grants = new Map(set.grants.map((grant) => [grant.endpoint, grant]));
  for (const { endpoint, body } of lines) {
    const fields = JSON.parse(body) as StagedGrantFields;
    grants.set(endpoint, { ...(grants.get(endpoint) ?? granted(endpoint)), ...fields, endpoint });
  }
  return new GrantSet([...grants.values()]);
}
