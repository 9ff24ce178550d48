/** Links to the pages of one environment, for `<Link {...links.partner(id)}>` and `navigate`. */
import { linkOptions } from '@tanstack/react-router';
import type { Environment } from '../api/types.ts';
import type {
  auditFilters,
  callFilters,
  deliveryFilters,
  limitRequestFilters,
  noticeFilters,
} from './routes.ts';
import type { TextParams } from './search-params.ts';

export type Links = ReturnType<typeof linksOf>;

export function linksOf(environment: Environment) {
  const params = { environment };
  return {
    overview: linkOptions({ to: '/$environment', params }),
    deliveries: (search: TextParams<(typeof deliveryFilters)[number]> = {}) =>
      linkOptions({ to: '/$environment/deliveries', params, search }),
    delivery: (id: string) =>
      linkOptions({ to: '/$environment/deliveries/$id', params: { environment, id } }),
    case: (id: string) =>
      linkOptions({ to: '/$environment/cases/$id', params: { environment, id } }),
    partners: linkOptions({ to: '/$environment/partners', params }),
    partnersOf: (midoffice_id: string) =>
      linkOptions({ to: '/$environment/partners', params, search: { midoffice_id } }),
    partner: (id: string) =>
      linkOptions({ to: '/$environment/partners/$id', params: { environment, id } }),
    portalOf: (id: string) =>
      linkOptions({
        to: '/$environment/partners/$id',
        params: { environment, id },
        search: { tab: 'portal' },
      }),
    keys: linkOptions({ to: '/$environment/keys', params }),
    key: (id: string) => linkOptions({ to: '/$environment/keys/$id', params: { environment, id } }),
    calls: (search: TextParams<(typeof callFilters)[number]> = {}) =>
      linkOptions({ to: '/$environment/calls', params, search }),
    call: (id: string) =>
      linkOptions({ to: '/$environment/calls', params, search: { request_id: id } }),
    midoffices: linkOptions({ to: '/$environment/midoffices', params }),
    midoffice: (id: string) =>
      linkOptions({ to: '/$environment/midoffices/$id', params: { environment, id } }),
    limitRequests: (search: TextParams<(typeof limitRequestFilters)[number]> = {}) =>
      linkOptions({ to: '/$environment/limit-requests', params, search }),
    notices: (search: TextParams<(typeof noticeFilters)[number]> = {}) =>
      linkOptions({ to: '/$environment/notices', params, search }),
    audit: (search: TextParams<(typeof auditFilters)[number]> = {}) =>
      linkOptions({ to: '/$environment/audit', params, search }),
    tokens: linkOptions({ to: '/$environment/tokens', params }),
  };
}

/** The link to the subject of an audit entry, judged by the form of its id. */
export function linkToSubject(links: Links, subject: string) {
  if (subject.startsWith('par_')) return links.partner(subject);
  if (subject.startsWith('mid_')) return links.midoffice(subject);
  if (subject.startsWith('del_')) return links.delivery(subject);
  if (/^\d+$/.test(subject)) return links.key(subject);
  return undefined;
}
