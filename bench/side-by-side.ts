/**
 * Two sides, measured in turns. A busy machine is slow for both, so each round has its own ratio, and the
 * median of the ratios counts. Every other round runs in the opposite order, so that neither side always
 * comes second.
 */
import { type Line, median, type Session } from './bench.ts';

const ROUNDS = 7;

export type About = Pick<Line, 'title' | 'unit' | 'bar'>;

export interface Side {
  name: string;
  /** Before and after each round. */
  begin?(): Promise<void>;
  end?(): Promise<void>;
  measure(): Promise<Round>;
}

/** One round's figure; the details are kept as medians. */
export interface Round {
  figure: number;
  details?: Record<string, number>;
}

/** One side alone, for a claim that is a figure and not a ratio. */
export async function alone(
  session: Session,
  about: About,
  side: Side,
  rounds = ROUNDS,
): Promise<Line> {
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    session.progress(`${about.title}, round ${round + 1} of ${rounds}`);
    measured.push(await side.measure());
  }
  const figure = figureOf(side, measured);
  return { ...about, measured: figure, result: figure.median };
}

/**
 * With several `turns`, the sides alternate within a round, and its figures are the medians of the turns: what disturbs
 * the machine for some seconds then disturbs both. Otherwise a ratio of two tails mostly measures that disturbance.
 */
export async function sideBySide(
  session: Session,
  about: About,
  measured: Side,
  against: Side,
  turns = 1,
): Promise<Line> {
  const ours: Round[] = [];
  const theirs: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    session.progress(`${about.title}, round ${round + 1} of ${ROUNDS}`);
    const sides = [measured, against];
    if (round % 2 === 1) sides.reverse();
    for (const side of sides) await side.begin?.();
    const taken = new Map<Side, Round[]>([
      [measured, []],
      [against, []],
    ]);
    for (let turn = 0; turn < turns; turn++) {
      for (const side of sides) taken.get(side)?.push(await side.measure());
      sides.reverse();
    }
    for (const side of sides) await side.end?.();
    ours.push(medianOf(taken.get(measured) ?? []));
    theirs.push(medianOf(taken.get(against) ?? []));
  }
  const ratios = ours.map(({ figure }, i) => figure / (theirs[i] as Round).figure);
  return {
    ...about,
    measured: figureOf(measured, ours),
    against: figureOf(against, theirs),
    result: median(ratios),
    ratios,
  };
}

function figureOf({ name }: Side, rounds: readonly Round[]): Line['measured'] {
  const { figure, details } = medianOf(rounds);
  return { name, median: figure, rounds: rounds.map((round) => round.figure), details };
}

function medianOf(rounds: readonly Round[]): Required<Round> {
  const details: Record<string, number> = {};
  for (const key of Object.keys(rounds[0]?.details ?? {})) {
    details[key] = median(rounds.map((round) => round.details?.[key] ?? Number.NaN));
  }
  return { figure: median(rounds.map(({ figure }) => figure)), details };
}
