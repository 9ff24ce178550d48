/** The frame of everything, and what the address without an environment shows. */
import { Navigate, Outlet } from '@tanstack/react-router';
import { useLiveQuery } from '../../../console/src/api/use-live-query.ts';
import { chosenEnvironment } from '../../../console/src/app/chosen-environment.ts';
import { Opening } from '../../../console/src/app/fallbacks.tsx';
import { ConnectionBanner } from '../../../console/src/shell/ConnectionBanner.tsx';
import { Notices } from '../../../console/src/shell/Notices.tsx';
import pageStyles from '../../../console/src/ui/page/Page.module.css';
import { ProblemNote } from '../../../console/src/ui/page/ProblemNote.tsx';
import { entranceQuery } from '../api/session.ts';
import { SignIn } from '../pages/sign-in/SignIn.tsx';
import { EntranceProvider } from './entrance.ts';

export function App() {
  const { data: entrance, problem, retry } = useLiveQuery(entranceQuery);
  return (
    <>
      <ConnectionBanner />
      {entrance ? (
        <EntranceProvider value={entrance}>
          <Outlet />
        </EntranceProvider>
      ) : problem ? (
        <main className={pageStyles.alone}>
          <ProblemNote problem={problem} onRetry={retry} />
        </main>
      ) : (
        <Opening />
      )}
      <Notices />
    </>
  );
}

/** Someone who is signed in already goes on; with two sessions, to the environment chosen last. */
export function Start() {
  const { data: entrance } = useLiveQuery(entranceQuery);
  const signedIn = (entrance?.environments ?? []).flatMap(({ name, is_signed_in }) =>
    is_signed_in ? name : [],
  );
  const environment = chosenEnvironment(signedIn) ?? signedIn[0];
  if (!environment) return <SignIn />;
  return <Navigate to="/$environment" params={{ environment }} replace />;
}
