/** The environment that someone switched to, which the browser keeps for the next time. */
import type { Environment } from '../api/types.ts';
import { keepChoice, readChoice } from './kept-choice.ts';

/** Undefined if nobody chose, or if this server does not have it. */
export function chosenEnvironment(offered: readonly Environment[]): Environment | undefined {
  const kept = readChoice('environment');
  return offered.find((one) => one === kept);
}

export function keepEnvironment(chosen: Environment): void {
  keepChoice('environment', chosen);
}
