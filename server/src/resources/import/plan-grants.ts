/**
 * The grants of a key after the import. A new key has the catalogue, or those of its `endpoints`; a known key has what
 * it has now. Grant lines change that. In production, letting more through needs a certified partner and an approval,
 * as always. The approval is on the line, or one is given for the whole import.
 */
import { isDeepStrictEqual } from 'node:util';
import { OVERVIEW } from '../../base/catalogue.ts';
import { defaultGrants, type Grant, GrantSet } from '../../base/grants.ts';
import type { ApiKeyRow } from '../../store/schema.ts';
import { changedGrant, isRaise } from '../grants/grants.ts';
import { readGrantSet, readWithdrawnGrant } from '../grants/queries.ts';
import { partners } from '../partners/queries.ts';
import type { LineError } from './findings.ts';
import type { Plan } from './plan.ts';
import type { StagedGrantFields, StagedPartner } from './stage.ts';
import type { StagedGrant } from './staging.ts';

const NOT_CERTIFIED =
  'lets more through than before, which needs a certified partner; give the partner a certified_at, or lower the limit';
const NOT_APPROVED =
  'is missing, and the limit lets more through than before; give it on the line, or one for the whole import as the query parameter approval_reference (--approval-reference on the command line)';

/** Sets kept in memory: computing one takes 60 µs, and most keys share a few. */
const MOST_SETS = 1_000;

interface GrantedKey {
  partnerId: string;
  /** The key as it is here. */
  before: ApiKeyRow | undefined;
  /** Its grant lines. */
  lines: readonly StagedGrant[];
  endpoints: readonly string[] | undefined;
}

type PlannedGrants =
  /** `withdrawn`: grants that the key loses. */
  { setId: string; withdrawn: Grant[]; errors?: undefined } | { errors: readonly LineError[] };

/** What a key has or last had of an endpoint. */
type LastGrant = (endpoint: string) => Grant | undefined;

export class GrantPlans {
  readonly #plan: Plan;
  readonly #sets = new Map<string, GrantSet>();

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  async of(key: GrantedKey): Promise<PlannedGrants> {
    const { before: row, lines, endpoints } = key;
    const { db, staging, findings } = this.#plan;
    if (row && lines.length === 0 && !endpoints) return { setId: row.grant_set, withdrawn: [] };
    const before = row && (await this.#kept(row.grant_set, () => readGrantSet(db, row.grant_set)));
    const last = new Map<string, Grant>();
    for (const endpoint of [...(endpoints ?? []), ...lines.map((line) => line.endpoint)]) {
      const had =
        before?.of(endpoint) ?? (row && (await readWithdrawnGrant(db, row.key_id, endpoint)));
      if (had) last.set(endpoint, had);
    }
    const given = lines.map(({ endpoint, body }) => [endpoint, body]);
    const contents = JSON.stringify([row?.grant_set, endpoints, given, [...last]]);
    const set = await this.#kept(contents, () => {
      const made = setOf(before, endpoints, lines, (endpoint) => last.get(endpoint));
      if (made.id !== before?.id) staging.addGrantSet(made.id, made.json);
      return made;
    });
    const errors = await this.#refusedRaises(key, set, (endpoint) => last.get(endpoint));
    if (errors.length > 0) return { errors };
    for (const { endpoint } of lines) {
      const was = before?.of(endpoint);
      const isSame = isDeepStrictEqual(was, set.of(endpoint));
      findings.count('grant', !was ? 'created' : isSame ? 'unchanged' : 'changed');
    }
    const withdrawn = before?.grants.filter(({ endpoint }) => !set.of(endpoint)) ?? [];
    return { setId: set.id, withdrawn };
  }

  async #refusedRaises(
    { partnerId, lines }: GrantedKey,
    set: GrantSet,
    lastOf: LastGrant,
  ): Promise<LineError[]> {
    const { environment, findings, approval } = this.#plan;
    if (environment.name !== 'production') return [];
    const raises = lines.filter(({ endpoint }) =>
      isRaise(lastOf(endpoint), set.of(endpoint) as Grant),
    );
    if (raises.length === 0) return [];
    const isCertified = await this.#isCertified(partnerId);
    return raises.flatMap(({ line, approval: own }) => {
      const approved = own ?? approval;
      if (isCertified && approved !== undefined) findings.raise(approved);
      return [
        ...(isCertified ? [] : [{ line, field: '/requests_number', detail: NOT_CERTIFIED }]),
        ...(approved === undefined
          ? [{ line, field: '/approval_reference', detail: NOT_APPROVED }]
          : []),
      ];
    });
  }

  /** Here already, or by the same file. */
  async #isCertified(partnerId: string): Promise<boolean> {
    const { db, staging } = this.#plan;
    const given = JSON.parse(staging.partnerBody(partnerId) ?? '{}') as StagedPartner;
    const { certified_at: at } = given.certified_at
      ? given
      : ((await partners.read(db, partnerId)) ?? {});
    return typeof at === 'number';
  }

  async #kept(name: string, make: () => GrantSet | Promise<GrantSet>): Promise<GrantSet> {
    const known = this.#sets.get(name);
    if (known) return known;
    const made = await make();
    if (this.#sets.size >= MOST_SETS) this.#sets.clear();
    this.#sets.set(name, made);
    return made;
  }
}

function setOf(
  before: GrantSet | undefined,
  endpoints: readonly string[] | undefined,
  lines: readonly StagedGrant[],
  lastOf: LastGrant,
): GrantSet {
  const grants = new Map<string, Grant>();
  const put = (endpoint: string, fields: StagedGrantFields = {}) =>
    grants.set(
      endpoint,
      changedGrant(
        endpoint,
        grants.get(endpoint) ?? before?.of(endpoint),
        lastOf(endpoint),
        fields,
      ),
    );
  if (endpoints) for (const endpoint of [...endpoints, OVERVIEW]) put(endpoint);
  else for (const grant of (before ?? defaultGrants()).grants) grants.set(grant.endpoint, grant);
  for (const { endpoint, body } of lines) put(endpoint, JSON.parse(body));
  return new GrantSet([...grants.values()]);
}
