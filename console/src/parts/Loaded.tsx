/** Shows what was read, a quiet placeholder until then, and the problem if it cannot be read. */
import type { ReactNode } from 'react';
import type { Reading } from '../live.ts';
import { ProblemNote } from './ProblemNote.tsx';

interface Props<T> {
  reading: Reading<T>;
  children(data: T): ReactNode;
}

export function Loaded<T>({ reading, children }: Props<T>) {
  const { data, problem, reload } = reading;
  return (
    <>
      {problem && <ProblemNote problem={problem} onRetry={() => void reload()} />}
      {data !== undefined ? children(data) : !problem && <Waiting />}
    </>
  );
}

export function Waiting() {
  return (
    <div className="waiting" role="status">
      <span className="visually-hidden">Loading</span>
      <span className="waiting-line" />
      <span className="waiting-line" />
      <span className="waiting-line" />
    </div>
  );
}
