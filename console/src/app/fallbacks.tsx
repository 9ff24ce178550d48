/** Shown in place of a page that is loading or has failed. */
import type { ErrorComponentProps } from '@tanstack/react-router';
import { asProblem } from '../api/problem.ts';
import { Waiting } from '../ui/page/Loaded.tsx';
import pageStyles from '../ui/page/Page.module.css';
import { ProblemNote } from '../ui/page/ProblemNote.tsx';

export function PageLoading() {
  return <Waiting />;
}

/** The rest of the console stays usable when one page fails. */
export function PageFailed({ error }: ErrorComponentProps) {
  return <ProblemNote problem={asProblem(error)} onRetry={() => location.reload()} />;
}

/** Shown until the server has said who is signed in. */
export function Opening() {
  return (
    <main className={pageStyles.alone}>
      <Waiting />
    </main>
  );
}
