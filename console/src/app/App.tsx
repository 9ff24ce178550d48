/** Shows the sign-in page, or the page at this address if someone is signed in. */
import { useQuery } from '@tanstack/react-query';
import { Navigate, Outlet } from '@tanstack/react-router';
import { useConnectionLost } from '../api/connection.ts';
import { sessionQuery } from '../api/session.ts';
import { useForgottenAfter } from '../api/session-cache.ts';
import { startQuery } from '../api/start.ts';
import { useLiveQuery } from '../api/use-live-query.ts';
import { SignIn } from '../pages/sign-in/SignIn.tsx';
import { ConnectionBanner } from '../shell/ConnectionBanner.tsx';
import { Notices } from '../shell/Notices.tsx';
import pageStyles from '../ui/page/Page.module.css';
import { ProblemNote } from '../ui/page/ProblemNote.tsx';
import { CurlButton } from '../ui/text/CurlButton.tsx';
import { apiCall } from '../ui/text/curl.ts';
import { chosenEnvironment } from './chosen-environment.ts';
import { Opening } from './fallbacks.tsx';
import { signInRoute } from './routes.ts';
import { SessionProvider, useSession } from './session.tsx';

export function App() {
  return (
    <>
      <ConnectionBanner />
      <Outlet />
      <Notices
        more={({ change }) =>
          change && <CurlButton command={apiCall(location.origin, change)} what="this action" />
        }
      />
    </>
  );
}

/** The address does not change, so signing in leads back to the same page. */
export function SignedIn() {
  const { data: session, problem, retry } = useLiveQuery(sessionQuery);
  const isLost = useConnectionLost() !== undefined;
  useForgottenAfter(session === null);
  if (session === undefined && problem && !isLost) {
    return (
      <main className={pageStyles.alone}>
        <ProblemNote problem={problem} onRetry={retry} />
      </main>
    );
  }
  if (session === undefined) return <Opening />;
  if (session === null) return <SignIn />;
  return (
    <SessionProvider value={session}>
      <Outlet />
    </SessionProvider>
  );
}

/** Someone who is signed in meanwhile, here or in another tab, goes on to the first page. */
export function SignInAfterRefusal() {
  const { refused } = signInRoute.useSearch();
  const { data: session } = useLiveQuery(sessionQuery);
  if (session) return <Navigate to="/" replace />;
  return <SignIn returnTo="/" refused={refused} />;
}

/** To the environment that someone chose before; otherwise to the first one in which there is something to see. */
export function GoToEnvironment() {
  const { environments } = useSession();
  const chosen = chosenEnvironment(environments);
  const started = useQuery({ ...startQuery(environments), enabled: chosen === undefined });
  const environment =
    chosen ?? started.data ?? (started.failureReason ? environments[0] : undefined);
  if (!environment) return <Opening />;
  return <Navigate to="/$environment" params={{ environment }} replace />;
}
