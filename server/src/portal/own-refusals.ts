/** Why calls of a partner's own keys were refused or failed, as its view has them. */
import Type, { type Static } from 'typebox';
import { Call, callsQuery, filterOf, pageOfCalls } from '../resources/calls/calls.ts';
import type { SupportEnvironment } from '../resources/environment.ts';
import { filter, query, reply } from '../resources/forms.ts';
import type { Page } from '../resources/page.ts';

const { partner_id, ...filters } = callsQuery.properties;
export const ownRefusalsQuery = query({ ...filters, key_id: filter('One of your keys.') });

/** Without what only support needs to know of the booking core. */
export const OwnRefusal = reply(
  'OwnRefusal',
  Type.Omit(Call, ['partner_id', 'upstream_status', 'upstream_ms']).properties,
);

export type OwnRefusals = (
  asked: Static<typeof ownRefusalsQuery>,
) => Promise<Page<Static<typeof OwnRefusal>>>;

export function ownRefusals(
  { store }: SupportEnvironment,
  { partnerId, ownKey }: { partnerId: string; ownKey(id: string): Promise<string> },
): OwnRefusals {
  return async (asked) => {
    const whose =
      asked.key_id === undefined ? { partnerId } : { keyId: await ownKey(asked.key_id) };
    const judging = { db: store.db, reader: 'partner' } as const;
    return pageOfCalls(judging, { ...filterOf(asked), ...whose }, asked);
  };
}
