/** Who is signed in decides what is shown: the sign-in page, or the environment of the address. */
import { lazy, Suspense, useEffect, useState } from 'react';
import { onSignedOut, session as sessions } from './api.ts';
import { EnvironmentDesk } from './EnvironmentDesk.tsx';
import type { Environment, Session } from './model.ts';
import { SignIn } from './pages/SignIn.tsx';
import { Waiting } from './parts/Loaded.tsx';
import { Notices } from './parts/Notices.tsx';
import { ProblemNote } from './parts/ProblemNote.tsx';
import { asProblem, type Problem } from './problem.ts';
import { navigate, segmentsOf, usePath } from './router.tsx';

const Docs = lazy(() => import('./pages/Docs.tsx'));

type Known = { session: Session | null } | { problem: Problem } | undefined;

export function App() {
  const path = usePath();
  const [known, setKnown] = useState<Known>();

  async function ask() {
    try {
      setKnown({ session: await sessions.get() });
    } catch (error) {
      const problem = asProblem(error);
      setKnown(problem.status === 401 ? { session: null } : { problem });
    }
  }
  useEffect(() => {
    onSignedOut(() => setKnown({ session: null }));
    void ask();
  }, []);

  const [place] = segmentsOf(path);
  const session = known && 'session' in known ? known.session : undefined;
  return (
    <>
      <Suspense fallback={<Opening />}>
        {place === 'docs' ? (
          <Docs signedIn={Boolean(session)} />
        ) : !known ? (
          <Opening />
        ) : 'problem' in known ? (
          <main className="alone">
            <ProblemNote problem={known.problem} onRetry={() => void ask()} />
          </main>
        ) : known.session === null ? (
          <SignIn onSignedIn={(session) => setKnown({ session })} />
        ) : (
          <SignedIn
            session={known.session}
            place={place}
            onSignedOut={() => setKnown({ session: null })}
          />
        )}
      </Suspense>
      <Notices />
    </>
  );
}

interface SignedInProps {
  session: Session;
  place: string | undefined;
  onSignedOut(): void;
}

function SignedIn({ session, place, onSignedOut }: SignedInProps) {
  const environment = session.environments.find((name) => name === place);
  const fallback = session.environments[0];
  useEffect(() => {
    if (!environment && place === undefined && fallback)
      navigate(`/${fallback}`, { replace: true });
  }, [environment, place, fallback]);

  async function signOut() {
    await sessions.signOut().catch(() => undefined);
    onSignedOut();
    navigate('/', { replace: true });
  }
  const shown: Environment | undefined = environment ?? fallback;
  if (!shown || place === undefined) return <Opening />;
  return (
    <EnvironmentDesk
      // Nothing of one environment outlives the switch to the other.
      key={shown}
      session={session}
      environment={shown}
      isKnown={environment !== undefined}
      onSignOut={() => void signOut()}
    />
  );
}

function Opening() {
  return (
    <main className="alone">
      <Waiting />
    </main>
  );
}
