/** A partner's own keys, as its view has them. */
import type { Static } from 'typebox';
import { isInside, parseCidr } from '../base/addresses/addresses.ts';
import type { SupportEnvironment } from '../resources/environment.ts';
import { input, orNull, reply, Type } from '../resources/forms.ts';
import { type Limit, readLimits } from '../resources/grants/usage.ts';
import { type ApiKeyInForce, listApiKeys } from '../resources/keys/api-keys.ts';
import { updateKey } from '../resources/keys/change-key.ts';
import { findKey, Key, type KeyWithSecret, key, listKeys, showKey } from '../resources/keys/key.ts';
import { newestKeys } from '../resources/keys/queries.ts';
import { type Rotation, rotateKey } from '../resources/keys/rotate-key.ts';
import type { Page, PageRequest } from '../resources/page.ts';
import { type TakeTurn, takeTurnFirst } from '../resources/portal/pace.ts';
import { Problem } from '../resources/problem.ts';
import { optionalOf } from '../resources/record.ts';
import type { UsageHistory } from '../resources/usage-history/history.ts';
import {
  type historyQuery,
  type LimitTrial,
  type limitTrialQuery,
  readKeyHistory,
  readLastUses,
  readLimitTrial,
} from '../resources/usage-history/history.ts';

export const OwnKey = reply('OwnKey', {
  ...Type.Omit(Key, ['last_used_on']).properties,
  last_used_at: orNull(
    Type.String({
      format: 'date-time',
      description: 'The minute of its last call, as far as usage is kept; null if there was none.',
    }),
  ),
});
type OwnKey = Static<typeof OwnKey>;

export const OwnKeyChanges = input(
  'OwnKeyChanges',
  {
    ...optionalOf(key, ['label', 'allowed_ips']),
    exclude_own_address: Type.Optional(
      Type.Boolean({
        description: 'Needed if the new allow-list does not allow the address that you call from.',
      }),
    ),
  },
  { minProperties: 1 },
);

interface KeyWithUse {
  key: OwnKey;
  limits: Static<typeof Limit>[];
  history: Static<typeof UsageHistory>['items'];
}

export interface OwnKeys {
  list(request: PageRequest): Promise<Page<OwnKey>>;
  get(id: string): Promise<OwnKey>;
  apiKeys(id: string): Promise<ApiKeyInForce[]>;
  limits(id: string): Promise<Static<typeof Limit>[]>;
  history(
    id: string,
    query: Static<typeof historyQuery>,
  ): Promise<Static<typeof UsageHistory>['items']>;
  tryLimit(id: string, asked: Static<typeof limitTrialQuery>): Promise<LimitTrial>;
  /** The newest that are not revoked, with what is used of their limits now, and what they called since a time. */
  newestWithUse(most: number, since: string): Promise<KeyWithUse[]>;
  rotate(id: string, input: Rotation): Promise<KeyWithSecret>;
  change(id: string, changes: Static<typeof OwnKeyChanges>): Promise<OwnKey>;
  /** The id, if it is one of these keys; throws as for a key that does not exist. */
  own(id: string): Promise<string>;
}

interface OwnSession {
  partnerId: string;
  actor: string;
  address: string;
  takeWrite: TakeTurn;
}

export function ownKeys(
  environment: SupportEnvironment,
  { partnerId, actor, address, takeWrite }: OwnSession,
): OwnKeys {
  const { db } = environment.store;

  /** The same single look-up for a key of another partner and for none. Keys never change hands. */
  async function own(id: string): Promise<string> {
    const row = await findKey(db, id);
    if (row.partner_id !== partnerId) throw new Problem('key_not_found');
    return row.key_id;
  }

  async function withLastUses(keys: readonly Key[]): Promise<OwnKey[]> {
    const lastUse = await readLastUses(
      environment,
      keys.map(({ key_id }) => key_id),
    );
    return keys.map((one) => ({ ...one, last_used_at: lastUse(one.key_id) }));
  }

  const withLastUse = async (one: Key) => (await withLastUses([one]))[0] as OwnKey;

  return {
    own,
    async list(request) {
      const page = await listKeys(environment, { ...request, partner_id: partnerId });
      return { ...page, items: await withLastUses(page.items) };
    },
    get: async (id) => withLastUse(showKey(await findKey(db, await own(id)))),
    apiKeys: async (id) => listApiKeys(environment, await own(id)),
    limits: async (id) => readLimits(environment, await own(id)),
    history: async (id, query) => readKeyHistory(environment, await own(id), query),
    tryLimit: async (id, asked) => readLimitTrial(environment, await own(id), asked),
    async newestWithUse(most, since) {
      const rows = await newestKeys(db, { limit: most }, { partnerId, withRevoked: false });
      const shown: KeyWithUse[] = [];
      for (const key of await withLastUses(rows.map(showKey))) {
        const limits = await readLimits(environment, key.key_id);
        const history = await readKeyHistory(environment, key.key_id, { step: 'hour', since });
        shown.push({ key, limits, history });
      }
      return shown;
    },
    async rotate(id, input) {
      await own(id);
      await takeTurnFirst(environment, partnerId, 'rotation');
      return rotateKey(environment, actor, id, input);
    },
    async change(id, { exclude_own_address: isMeant = false, ...changes }) {
      await own(id);
      const { allowed_ips } = changes;
      if (allowed_ips && !isMeant && !allows(allowed_ips, address)) {
        throw new Problem('own_address_excluded', `The new allow-list does not allow ${address}.`);
      }
      await takeWrite();
      return withLastUse(await updateKey(environment, actor, id, changes));
    },
  };
}

/** What is not an address is refused later, with a better sentence. */
function allows(allowList: readonly string[], address: string): boolean {
  const cidrs = allowList.map(parseCidr);
  return (
    cidrs.includes(undefined) ||
    isInside(
      address,
      cidrs.filter((one) => one !== undefined),
    )
  );
}
