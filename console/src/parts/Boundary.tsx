/** A page that fails must not take the rest of the console with it. */
import { Component, type ReactNode } from 'react';
import { asProblem, type Problem } from '../problem.ts';
import { ProblemNote } from './ProblemNote.tsx';

interface State {
  problem?: Problem;
}

export class Boundary extends Component<{ children: ReactNode }, State> {
  override state: State = {};

  static getDerivedStateFromError(error: unknown): State {
    return { problem: asProblem(error) };
  }

  override render() {
    const { problem } = this.state;
    if (!problem) return this.props.children;
    return <ProblemNote problem={problem} onRetry={() => location.reload()} />;
  }
}
