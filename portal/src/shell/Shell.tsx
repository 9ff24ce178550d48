/**
 * What surrounds every page: besides the frame, whose portal this is. A session of support is marked here, so no page can
 * forget to.
 */
import { lazy, type ReactNode } from 'react';
import { whenReachable } from '../../../console/src/api/connection.ts';
import { Frame } from '../../../console/src/shell/Frame.tsx';
import { Note } from '../../../console/src/ui/page/Note.tsx';
import { useEntrance } from '../app/entrance.ts';
import { useView } from '../app/view.tsx';
import { words } from '../words/words.ts';
import { Brand } from './Brand.tsx';
import { SearchBox } from './SearchBox.tsx';
import own from './Shell.module.css';
import { usePlaces } from './use-places.ts';

// Its menu needs a third of the component library; no page should wait for that.
const AccountMenu = lazy(() => whenReachable(() => import('./AccountMenu.tsx')));

export function Shell({ children }: { children: ReactNode }) {
  const { environment, me } = useView();
  /** This one, and the other where the same person is signed in to it. */
  const environments = useEntrance()
    .environments.filter(({ name, is_signed_in }) => is_signed_in || name === environment)
    .map(({ name }) => name);
  return (
    <Frame
      environment={environment}
      environments={environments}
      places={usePlaces()}
      brand={<Brand />}
      beside={<SearchBox />}
      account={<AccountMenu />}
    >
      {me.is_read_only && (
        <div className={own.mark}>
          <Note kind="warn">{words.shell.readOnly(me.partner.name)}</Note>
        </div>
      )}
      {children}
    </Frame>
  );
}
