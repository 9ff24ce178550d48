import { useEnvironment } from '../app/environment.tsx';
import {
  AuditIcon,
  CallIcon,
  DeliveryIcon,
  KeyIcon,
  LimitIcon,
  MidofficeIcon,
  NoticeIcon,
  OverviewIcon,
  PartnerIcon,
  TokenIcon,
} from '../ui/text/icons.tsx';
import { useOpenRequests } from '../widgets/use-open-requests.ts';
import type { Place } from './Navigation.tsx';

/** The pages that the menu shows. */
export function usePlaces(): Place[] {
  const { links, mayManageTokens } = useEnvironment();
  const open = useOpenRequests();
  const places: Place[] = [
    { title: 'Overview', letter: 'o', Icon: OverviewIcon, link: links.overview },
    { title: 'Deliveries', letter: 'd', Icon: DeliveryIcon, link: links.deliveries() },
    { title: 'Partners', letter: 'p', Icon: PartnerIcon, link: links.partners },
    { title: 'Keys', letter: 'k', Icon: KeyIcon, link: links.keys },
    { title: 'Calls', letter: 'c', Icon: CallIcon, link: links.calls() },
    { title: 'Midoffices', letter: 'm', Icon: MidofficeIcon, link: links.midoffices },
    {
      title: 'Requests',
      letter: 'r',
      Icon: LimitIcon,
      link: links.limitRequests({ state: 'open' }),
      tasks: open.hasMore ? `${open.count}+` : String(open.count || ''),
    },
    { title: 'Notices', letter: 'n', Icon: NoticeIcon, link: links.notices() },
    { title: 'Audit', letter: 'a', Icon: AuditIcon, link: links.audit() },
  ];
  if (mayManageTokens) {
    places.push({ title: 'Tokens', letter: 't', Icon: TokenIcon, link: links.tokens });
  }
  return places;
}
