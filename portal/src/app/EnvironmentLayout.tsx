/** One environment: the sign-in page, or the frame with its colour and name around the page at this address. */
import { Outlet } from '@tanstack/react-router';
import { Suspense, useLayoutEffect, useMemo } from 'react';
import { useConnectionLost } from '../../../console/src/api/connection.ts';
import { useForgottenAfter } from '../../../console/src/api/session-cache.ts';
import { useLiveQuery } from '../../../console/src/api/use-live-query.ts';
import { Opening, PageLoading } from '../../../console/src/app/fallbacks.tsx';
import pageStyles from '../../../console/src/ui/page/Page.module.css';
import { ProblemNote } from '../../../console/src/ui/page/ProblemNote.tsx';
import { SiteProvider } from '../../../console/src/ui/page/site.ts';
import { useZone } from '../../../console/src/ui/text/zone.ts';
import { meQuery } from '../api/session.ts';
import type { Environment, Me } from '../api/types.ts';
import { SignIn } from '../pages/sign-in/SignIn.tsx';
import { Shell } from '../shell/Shell.tsx';
import { useEntrance } from './entrance.ts';
import { environmentRoute } from './routes.ts';
import { ViewProvider, viewOf } from './view.tsx';

export function EnvironmentLayout() {
  const { environment: name } = environmentRoute.useParams();
  const found = useEntrance().environments.find((one) => one.name === name);
  return found ? <OneEnvironment environment={found.name} /> : <SignIn />;
}

/** The address does not change, so signing in leads back to the same page. */
function OneEnvironment({ environment }: { environment: Environment }) {
  const { data: me, problem, retry } = useLiveQuery(meQuery(environment));
  const isLost = useConnectionLost() !== undefined;
  useForgottenAfter(me === null, environment);
  // On the root element, because dialogs are drawn outside the page.
  useLayoutEffect(() => {
    document.documentElement.dataset.environment = environment;
    return () => {
      delete document.documentElement.dataset.environment;
    };
  }, [environment]);
  if (me === undefined && problem && !isLost) {
    return (
      <main className={pageStyles.alone}>
        <ProblemNote problem={problem} onRetry={retry} />
      </main>
    );
  }
  if (me === undefined) return <Opening />;
  if (me === null) return <SignIn environment={environment} />;
  return <SignedIn me={me} />;
}

function SignedIn({ me }: { me: Me }) {
  const { name } = useEntrance();
  const zone = useZone();
  const view = useMemo(() => viewOf(me, zone), [me, zone]);
  return (
    <ViewProvider value={view}>
      <SiteProvider value={`${me.environment} · ${name}`}>
        <Shell>
          <Suspense fallback={<PageLoading />}>
            <Outlet />
          </Suspense>
        </Shell>
      </SiteProvider>
    </ViewProvider>
  );
}
