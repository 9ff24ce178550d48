import { lazy, type ReactNode } from 'react';
import { whenReachable } from '../api/connection.ts';
import { useEnvironment } from '../app/environment.tsx';
import { useSession } from '../app/session.tsx';
import { Brand } from '../ui/page/TopBar.tsx';
import { Frame } from './Frame.tsx';
import { SearchBox } from './SearchBox.tsx';
import { usePlaces } from './use-places.ts';

// Its menu needs a third of the component library; no page should wait for that.
const AccountMenu = lazy(() => whenReachable(() => import('./AccountMenu.tsx')));

export function Shell({ children }: { children: ReactNode }) {
  const { environment } = useEnvironment();
  const { environments } = useSession();
  return (
    <Frame
      environment={environment}
      environments={environments}
      places={usePlaces()}
      brand={<Brand />}
      beside={<SearchBox />}
      account={<AccountMenu />}
    >
      {children}
    </Frame>
  );
}
