import { Link } from '@tanstack/react-router';
import styles from '../../../console/src/shell/Navigation.module.css';
import {
  AuditIcon,
  BellIcon,
  ClockIcon,
  DeliveryIcon,
  KeyIcon,
  MidofficeIcon,
  OverviewIcon,
  WarningIcon,
} from '../../../console/src/ui/text/icons.tsx';
import { useView } from '../app/view.tsx';
import { words } from '../words/words.ts';

export function Navigation() {
  const { links } = useView();
  const { pages } = words;
  return (
    <nav className={styles.navigation} aria-label={words.shell.pages}>
      <Link {...links.home} activeOptions={{ exact: true }}>
        <OverviewIcon /> {pages.home}
      </Link>
      <Link {...links.limits()} activeOptions={{ includeSearch: false }}>
        <ClockIcon /> {pages.limits}
      </Link>
      <Link {...links.refusals()} activeOptions={{ includeSearch: false }}>
        <WarningIcon /> {pages.refusals}
      </Link>
      <Link {...links.webhooks()} activeOptions={{ includeSearch: false }}>
        <DeliveryIcon /> {pages.webhooks}
      </Link>
      <Link {...links.receiver}>
        <MidofficeIcon /> {pages.receiver}
      </Link>
      <Link {...links.keys}>
        <KeyIcon /> {pages.keys}
      </Link>
      <Link {...links.contacts}>
        <BellIcon /> {pages.contacts}
      </Link>
      <Link {...links.activity}>
        <AuditIcon /> {pages.activity}
      </Link>
    </nav>
  );
}
