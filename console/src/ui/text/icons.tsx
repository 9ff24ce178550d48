/** The console's icons, drawn in the colour of the text. */
import type { ReactNode } from 'react';
import styles from './icons.module.css';

function drawing(paths: ReactNode) {
  return function Icon() {
    return (
      <svg className={styles.icon} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
        {paths}
      </svg>
    );
  };
}

export const BellIcon = drawing(
  <path d="M3 14.500h14M4.500 12.500a5.500 5.500 0 0 1 11 0zM10 7V5M8.500 4.500h3" />,
);
export const OverviewIcon = drawing(
  <path d="M3.500 16.500v-5M8 16.500v-9M12.500 16.500v-6M16.500 16.500v-12" />,
);
export const DeliveryIcon = drawing(
  <path d="M17 3 2.800 8.600l5.700 2.400L17 3zm0 0-3.800 13.500L8.500 11v5" />,
);
export const PartnerIcon = drawing(
  <path d="M7.500 9.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 16.500a5.500 5.500 0 0 1 11 0M13 3.900a3 3 0 0 1 0 5.200M15 11.800a5.500 5.500 0 0 1 3 4.700" />,
);
export const KeyIcon = drawing(
  <path d="M6.500 17a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM9 11l7.500-7.500M13 7l2.500 2.500M15.500 4.500 17 6" />,
);
export const MidofficeIcon = drawing(
  <path d="M3.500 17V5.500l6-2.500v14M9.500 7l7 2.500V17M2 17h16M6 7.500v.1M6 10.500v.1M6 13.500v.1M13 12v.1M13 14.500v.1" />,
);
export const CallIcon = drawing(<path d="M3 7h11l-3-3M17 13H6l3 3M14.500 4.500l2 5" />);
export const LimitIcon = drawing(
  <path d="M3.500 14.500a7 7 0 1 1 13 0M10 12l3.500-4M10 12.500v.1M6 14.500h8" />,
);
export const NoticeIcon = drawing(
  <path d="M3 5h14v10.500H3zM3.500 5.500l6.500 5.500 6.500-5.500" />,
);
export const AuditIcon = drawing(<path d="M4 3.500h8.500L16 7v9.500H4zM7 8h3M7 11h6M7 14h6" />);
export const TokenIcon = drawing(
  <path d="M10 2.500 16.500 5v4.500c0 4-2.700 6.700-6.500 8-3.800-1.300-6.500-4-6.500-8V5zM7.500 10l1.800 1.800 3.400-3.600" />,
);
export const DocsIcon = drawing(
  <path d="M10 5c-1.500-1.300-3.500-1.800-7-1.800v12c3.500 0 5.500.500 7 1.800 1.500-1.300 3.500-1.800 7-1.800v-12c-3.500 0-5.500.500-7 1.800zM10 5v12" />,
);
export const SearchIcon = drawing(
  <path d="M9 14.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11zM13 13l4 4" />,
);
export const MenuIcon = drawing(<path d="M3 5.500h14M3 10h14M3 14.500h14" />);
export const CloseIcon = drawing(<path d="m5 5 10 10M15 5 5 15" />);
export const CopyIcon = drawing(<path d="M7 7h9.500v9.500H7zM4.500 13h-1V3.500H13v1" />);
export const CheckIcon = drawing(<path d="m4 10.500 4 4 8-9" />);
export const CrossIcon = drawing(<path d="m5.500 5.500 9 9M14.500 5.500l-9 9" />);
export const ClockIcon = drawing(
  <path d="M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4.200l2.800 1.800" />,
);
export const DotIcon = drawing(<path d="M10 8.500a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3z" />);
export const WarningIcon = drawing(<path d="M10 3 2.500 16.500h15zM10 8v4M10 14.200v.1" />);
export const DownloadIcon = drawing(<path d="M10 3.500v9M6 9l4 4 4-4M3.500 16.500h13" />);
export const PlusIcon = drawing(<path d="M10 4v12M4 10h12" />);
export const PauseIcon = drawing(<path d="M7 4.500v11M13 4.500v11" />);
export const SunIcon = drawing(
  <path d="M10 13.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM10 2v1.500M10 16.500V18M2 10h1.500M16.500 10H18M4.300 4.300l1.100 1.100M14.600 14.600l1.100 1.100M15.700 4.300l-1.100 1.100M5.400 14.600l-1.100 1.100" />,
);
export const MoonIcon = drawing(<path d="M16.500 12A7 7 0 0 1 8 3.500 7 7 0 1 0 16.500 12z" />);
export const SystemIcon = drawing(<path d="M3 4h14v9.500H3zM7 17h6M10 13.500V17" />);
