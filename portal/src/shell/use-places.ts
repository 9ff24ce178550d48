import type { Place } from '../../../console/src/shell/Navigation.tsx';
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

/** The pages that the menu shows. */
export function usePlaces(): Place[] {
  const { links } = useView();
  const { pages } = words;
  return [
    { title: pages.home, letter: 'h', Icon: OverviewIcon, link: links.home },
    { title: pages.limits, letter: 'l', Icon: ClockIcon, link: links.limits() },
    { title: pages.refusals, letter: 'f', Icon: WarningIcon, link: links.refusals() },
    { title: pages.webhooks, letter: 'w', Icon: DeliveryIcon, link: links.webhooks() },
    { title: pages.receiver, letter: 'r', Icon: MidofficeIcon, link: links.receiver },
    { title: pages.keys, letter: 'k', Icon: KeyIcon, link: links.keys },
    { title: pages.contacts, letter: 'c', Icon: BellIcon, link: links.contacts },
    { title: pages.activity, letter: 'a', Icon: AuditIcon, link: links.activity },
  ];
}
