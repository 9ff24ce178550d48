/** One environment: its colour and word on everything, and the page that the address names. */
import { lazy, type ReactNode, Suspense, useLayoutEffect, useMemo } from 'react';
import { supportApi } from './api.ts';
import { type Desk, DeskProvider } from './desk.tsx';
import type { Environment, Session } from './model.ts';
import { Boundary } from './parts/Boundary.tsx';
import { Waiting } from './parts/Loaded.tsx';
import { Shell } from './parts/Shell.tsx';
import { placesOf } from './places.ts';
import { segmentsOf, usePath } from './router.tsx';

const Overview = lazy(() => import('./pages/Overview.tsx'));
const Deliveries = lazy(() => import('./pages/Deliveries.tsx'));
const Delivery = lazy(() => import('./pages/Delivery.tsx'));
const Partners = lazy(() => import('./pages/Partners.tsx'));
const Partner = lazy(() => import('./pages/Partner.tsx'));
const Keys = lazy(() => import('./pages/Keys.tsx'));
const Key = lazy(() => import('./pages/Key.tsx'));
const Midoffices = lazy(() => import('./pages/Midoffices.tsx'));
const Midoffice = lazy(() => import('./pages/Midoffice.tsx'));
const Audit = lazy(() => import('./pages/Audit.tsx'));
const Tokens = lazy(() => import('./pages/Tokens.tsx'));
const NotFound = lazy(() => import('./pages/NotFound.tsx'));

interface Props {
  session: Session;
  environment: Environment;
  /** False when the address names no environment of this server. */
  isKnown: boolean;
  onSignOut(): void;
}

export function EnvironmentDesk({ session, environment, isKnown, onSignOut }: Props) {
  const path = usePath();
  const desk = useMemo<Desk>(
    () => ({
      session,
      environment,
      api: supportApi(environment),
      places: placesOf(environment),
      mayChange: session.role === 'support' || session.role === 'admin',
      mayManageTokens: session.role === 'admin',
    }),
    [session, environment],
  );
  // On the root, since dialogs are drawn outside the page.
  useLayoutEffect(() => {
    document.documentElement.dataset.environment = environment;
    return () => {
      delete document.documentElement.dataset.environment;
    };
  }, [environment]);

  return (
    <DeskProvider value={desk}>
      <Shell onSignOut={onSignOut}>
        <Boundary key={path}>
          <Suspense fallback={<Waiting />}>
            {isKnown ? pageAt(segmentsOf(path).slice(1), desk) : <NotFound />}
          </Suspense>
        </Boundary>
      </Shell>
    </DeskProvider>
  );
}

function pageAt([kind, id, beyond]: string[], desk: Desk): ReactNode {
  if (beyond !== undefined) return <NotFound />;
  switch (kind) {
    case undefined:
      return <Overview />;
    case 'deliveries':
      return id === undefined ? <Deliveries /> : <Delivery key={id} id={id} />;
    case 'partners':
      return id === undefined ? <Partners /> : <Partner key={id} id={id} />;
    case 'keys':
      return id === undefined ? <Keys /> : <Key key={id} id={id} />;
    case 'midoffices':
      return id === undefined ? <Midoffices /> : <Midoffice key={id} id={id} />;
    case 'audit':
      return id === undefined ? <Audit /> : <NotFound />;
    case 'tokens':
      return id === undefined && desk.mayManageTokens ? <Tokens /> : <NotFound />;
    default:
      return <NotFound />;
  }
}
