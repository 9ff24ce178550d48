import { Link } from '@tanstack/react-router';
import { useEnvironment } from '../app/environment.tsx';
import {
  AuditIcon,
  CallIcon,
  DeliveryIcon,
  DocsIcon,
  KeyIcon,
  MidofficeIcon,
  NoticeIcon,
  OverviewIcon,
  PartnerIcon,
  TokenIcon,
} from '../ui/text/icons.tsx';
import styles from './Navigation.module.css';

export function Navigation() {
  const { links, mayManageTokens } = useEnvironment();
  return (
    <nav className={styles.navigation} aria-label="Pages">
      <Link {...links.overview} activeOptions={{ exact: true, includeSearch: false }}>
        <OverviewIcon /> Overview
      </Link>
      <Link {...links.deliveries()}>
        <DeliveryIcon /> Deliveries
      </Link>
      <Link {...links.partners}>
        <PartnerIcon /> Partners
      </Link>
      <Link {...links.keys}>
        <KeyIcon /> Keys
      </Link>
      <Link {...links.calls()} activeOptions={{ includeSearch: false }}>
        <CallIcon /> Calls
      </Link>
      <Link {...links.midoffices}>
        <MidofficeIcon /> Midoffices
      </Link>
      <Link {...links.notices()} activeOptions={{ includeSearch: false }}>
        <NoticeIcon /> Notices
      </Link>
      <Link {...links.audit()}>
        <AuditIcon /> Audit
      </Link>
      {mayManageTokens && (
        <Link {...links.tokens}>
          <TokenIcon /> Tokens
        </Link>
      )}
      <a href="/docs/">
        <DocsIcon /> Documentation
      </a>
    </nav>
  );
}
