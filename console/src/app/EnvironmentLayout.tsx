/** The frame of one environment, with its colour and name, around the page at this address. */
import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useLayoutEffect, useMemo } from 'react';
import { whenReachable } from '../api/connection.ts';
import type { Environment } from '../api/types.ts';
import { Shell } from '../shell/Shell.tsx';
import { SiteProvider } from '../ui/page/site.ts';
import { useZone } from '../ui/text/zone.ts';
import { Undoing } from '../widgets/undo/Undoing.tsx';
import { EnvironmentProvider, environmentOf } from './environment.tsx';
import { Opening, PageLoading } from './fallbacks.tsx';
import { environmentRoute } from './routes.ts';
import { useSession } from './session.tsx';

const NotFound = lazy(() => whenReachable(() => import('../pages/not-found/NotFound.tsx')));

export function EnvironmentLayout() {
  const { environments } = useSession();
  const { environment: name } = environmentRoute.useParams();
  const named = environments.find((one) => one === name);
  const shown = named ?? environments[0];
  if (!shown) return <Opening />;
  return <OneEnvironment environment={shown} isNamed={named !== undefined} />;
}

interface Props {
  environment: Environment;
  /** False when the address names no environment of this server. */
  isNamed: boolean;
}

function OneEnvironment({ environment, isNamed }: Props) {
  const session = useSession();
  const zone = useZone();
  const value = useMemo(
    () => environmentOf(environment, session, zone),
    [environment, session, zone],
  );
  // On the root element, because dialogs are drawn outside the page.
  useLayoutEffect(() => {
    document.documentElement.dataset.environment = environment;
    return () => {
      delete document.documentElement.dataset.environment;
    };
  }, [environment]);
  return (
    <EnvironmentProvider value={value}>
      <SiteProvider value={`${environment} · Bellhop`}>
        <Shell>
          <Suspense fallback={<PageLoading />}>{isNamed ? <Outlet /> : <NotFound />}</Suspense>
        </Shell>
        <Undoing />
      </SiteProvider>
    </EnvironmentProvider>
  );
}
