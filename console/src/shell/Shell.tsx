/** What surrounds every page: besides the frame, the search and the keyboard's shortcuts. */
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { whenReachable } from '../api/connection.ts';
import { useEnvironment } from '../app/environment.tsx';
import { useSession } from '../app/session.tsx';
import { Brand } from '../ui/page/TopBar.tsx';
import { EnvironmentSwitch } from './EnvironmentSwitch.tsx';
import { Frame } from './Frame.tsx';
import { Navigation } from './Navigation.tsx';
import { SearchBox } from './SearchBox.tsx';
import { useShortcuts } from './use-shortcuts.ts';

// Its menu needs a third of the component library; no page should wait for that.
const AccountMenu = lazy(() => whenReachable(() => import('./AccountMenu.tsx')));
const KeyboardHelp = lazy(() => whenReachable(() => import('./KeyboardHelp.tsx')));

export function Shell({ children }: { children: ReactNode }) {
  const { environment } = useEnvironment();
  const { environments } = useSession();
  const [isHelpOpen, setHelpOpen] = useState(false);
  useShortcuts(() => setHelpOpen(true));
  return (
    <>
      <Frame
        environment={environment}
        menu={
          <>
            <EnvironmentSwitch names={environments} current={environment} />
            <Navigation />
          </>
        }
        brand={<Brand />}
        beside={<SearchBox />}
        account={<AccountMenu />}
      >
        {children}
      </Frame>
      {isHelpOpen && (
        <Suspense>
          <KeyboardHelp onClose={() => setHelpOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
