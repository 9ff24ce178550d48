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

export async function sideBySide(
  session: Session,
  about: About,
  measured: Side,
  against: Side,
): Promise<Line> {
  const ours: Round[] = [];
  const theirs: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    session.progress(`${about.title}, round ${round + 1} of ${ROUNDS}`);
    const inTurn: [Side, Round[]][] = [
      [measured, ours],
      [against, theirs],
    ];
    if (round % 2 === 1) inTurn.reverse();
    for (const [side, rounds] of inTurn) rounds.push(await side.measure());
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
  const figures = rounds.map(({ figure }) => figure);
  const details: Record<string, number> = {};
  for (const key of Object.keys(rounds[0]?.details ?? {})) {
    details[key] = median(rounds.map((round) => round.details?.[key] ?? Number.NaN));
  }
  return { name, median: median(figures), rounds: figures, details };
}
