/** Links to the pages of one environment, for `<Link {...links.webhook(id)}>` and `navigate`. */
import { linkOptions } from '@tanstack/react-router';
import type { TextParams } from '../../../console/src/app/search-params.ts';
import type { Environment } from '../api/types.ts';
import type { refusalFilters, webhookFilters } from './routes.ts';

export type Links = ReturnType<typeof linksOf>;

export function linksOf(environment: Environment) {
  const params = { environment };
  return {
    home: linkOptions({ to: '/$environment', params }),
    limits: (key?: string) =>
      linkOptions({ to: '/$environment/limits', params, search: key ? { key } : {} }),
    refusals: (search: TextParams<(typeof refusalFilters)[number]> = {}) =>
      linkOptions({ to: '/$environment/refused-calls', params, search }),
    webhooks: (search: TextParams<(typeof webhookFilters)[number]> = {}) =>
      linkOptions({ to: '/$environment/webhooks', params, search }),
    webhook: (id: string) =>
      linkOptions({ to: '/$environment/webhooks/$id', params: { environment, id } }),
    case: (id: string) =>
      linkOptions({ to: '/$environment/cases/$id', params: { environment, id } }),
    receiver: linkOptions({ to: '/$environment/receiver', params }),
    keys: linkOptions({ to: '/$environment/keys', params }),
    key: (id: string) => linkOptions({ to: '/$environment/keys/$id', params: { environment, id } }),
    contacts: linkOptions({ to: '/$environment/contacts', params }),
    activity: linkOptions({ to: '/$environment/activity', params }),
  };
}
