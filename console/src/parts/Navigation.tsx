import type { ComponentType } from 'react';
import { useDesk } from '../desk.tsx';
import { Link, usePath } from '../router.tsx';
import {
  AuditIcon,
  DeliveryIcon,
  DocsIcon,
  KeyIcon,
  MidofficeIcon,
  OverviewIcon,
  PartnerIcon,
  TokenIcon,
} from './icons.tsx';

export function Navigation() {
  const { places, mayManageTokens } = useDesk();
  const path = usePath();
  const entries: [title: string, to: string, Icon: ComponentType][] = [
    ['Overview', places.home, OverviewIcon],
    ['Deliveries', places.deliveries(), DeliveryIcon],
    ['Partners', places.partners, PartnerIcon],
    ['Keys', places.keys, KeyIcon],
    ['Midoffices', places.midoffices, MidofficeIcon],
    ['Audit', places.audit(), AuditIcon],
  ];
  if (mayManageTokens) entries.push(['Tokens', places.tokens, TokenIcon]);
  entries.push(['API docs', '/docs', DocsIcon]);
  return (
    <nav className="navigation" aria-label="Pages">
      {entries.map(([title, to, Icon]) => {
        const isHere = to === places.home ? path === to : path === to || path.startsWith(`${to}/`);
        return (
          <Link key={to} to={to} aria-current={isHere ? 'page' : undefined}>
            <Icon />
            {title}
          </Link>
        );
      })}
    </nav>
  );
}
