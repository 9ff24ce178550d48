/** Why calls of a partner's own keys were refused or failed, as its view has them. */
import type { Static } from 'typebox';
import {
  Call,
  type CallCodes,
  callsQuery,
  countCalls,
  filterOf,
  pageOfCalls,
} from '../resources/calls/calls.ts';
import type { SupportEnvironment } from '../resources/environment.ts';
import { filter, query, reply, Type } from '../resources/forms.ts';
import type { Page } from '../resources/page.ts';

const { partner_id, limit, cursor, ...filters } = {
  ...callsQuery.properties,
  key_id: filter('One of your keys.'),
};
export const ownRefusalsQuery = query({ limit, cursor, ...filters });

/** Without what only support needs to know of the booking core. */
export const OwnRefusal = reply(
  'OwnRefusal',
  Type.Omit(Call, ['partner_id', 'upstream_status', 'upstream_ms']).properties,
);

const { code: _, ...otherFilters } = filters;
export const refusalCodesQuery = query(otherFilters);

export interface OwnRefusals {
  list(asked: Static<typeof ownRefusalsQuery>): Promise<Page<Static<typeof OwnRefusal>>>;
  codes(asked: Static<typeof refusalCodesQuery>): Promise<CallCodes>;
}

export function ownRefusals(
  { store }: SupportEnvironment,
  { partnerId, ownKey }: { partnerId: string; ownKey(id: string): Promise<string> },
): OwnRefusals {
  const wanted = async (asked: Parameters<typeof filterOf>[0] & { key_id?: string }) => ({
    ...filterOf(asked),
    ...(asked.key_id === undefined ? { partnerId } : { keyId: await ownKey(asked.key_id) }),
  });
  return {
    async list(asked) {
      const judging = { db: store.db, reader: 'partner' } as const;
      return pageOfCalls(judging, await wanted(asked), asked);
    },
    codes: async (asked) => countCalls(store.db, await wanted(asked)),
  };
}
