/** Why a cost may grow with the data. A cost that grows and is not explained here is a defect. */
import type { EngineName } from './place.ts';

interface Explanation {
  names: RegExp;
  dimension: string;
  engine?: EngineName;
  why: string;
}

const EXPLANATIONS: Explanation[] = [];

export function explanationOf(name: string, dimension: string, engine: EngineName): string {
  const found = EXPLANATIONS.find(
    (one) =>
      one.names.test(name) &&
      one.dimension === dimension &&
      (one.engine === undefined || one.engine === engine),
  );
  return found?.why ?? '**Not explained: a defect.**';
}
