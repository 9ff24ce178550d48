/**
 * Sides, measured in turns. A busy machine is slow for all, so each round has its own ratio, and the median of the
 * ratios counts. Every other round runs in the opposite order, so that no side always comes second.
 */
import { type Line, median, type Session } from './bench.ts';

/** Rounds follow until chance hardly moves any figure, but no more begin after a while: all benches together are to take 25 minutes. */
const LEAST_ROUNDS = 3;
const MOST_ROUNDS = 7;
const ENOUGH_ERROR = 0.02;
const LAST_BEGINS_MS = 30_000;

export type About = Pick<Line, 'title' | 'unit' | 'bar' | 'isRace'>;

export interface Side {
  name: string;
  /** How it was set up, if that is not the same for both. */
  settings?: string;
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

/** One line: the ratio of two sides, or without the second one the figure of the first. */
export interface Comparison extends About {
  measured: Side;
  against?: Side;
}

/** One side alone, for a claim that is a figure and not a ratio. */
export async function alone(session: Session, about: About, measured: Side): Promise<Line> {
  const [line] = await inTurns(session, [{ ...about, measured }]);
  return line as Line;
}

/** See `inTurns`. */
export async function sideBySide(
  session: Session,
  about: About,
  measured: Side,
  against: Side,
  turns = 1,
): Promise<Line> {
  const [line] = await inTurns(session, [{ ...about, measured, against }], turns);
  return line as Line;
}

/**
 * Several lines from the same rounds; a side that occurs in more than one is measured once. With several `turns`, the sides
 * alternate within a round, and its figures are the medians of the turns: what disturbs the machine for some seconds then
 * disturbs all. Otherwise a ratio of two tails mostly measures that disturbance.
 */
export async function inTurns(
  session: Session,
  comparisons: readonly Comparison[],
  turns = 1,
): Promise<Line[]> {
  const sides = [
    ...new Set(comparisons.flatMap(({ measured, against }) => [measured, against])),
  ].filter((side) => side !== undefined);
  const rounds = new Map(sides.map((side): [Side, Round[]] => [side, []]));
  let lines: Line[] = [];
  const startedMs = performance.now();
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    session.progress(`${comparisons[0]?.title}, round ${round} of at most ${MOST_ROUNDS}`);
    for (const side of sides) await side.begin?.();
    const taken = new Map(sides.map((side): [Side, Round[]] => [side, []]));
    for (let turn = 0; turn < turns; turn++) {
      for (const side of sides) taken.get(side)?.push(await side.measure());
      sides.reverse();
    }
    for (const side of sides) await side.end?.();
    for (const [side, its] of taken) rounds.get(side)?.push(medianOf(its));
    if (turns % 2 === 0) sides.reverse();
    lines = comparisons.map((one) => lineOf(one, rounds));
    const isLate = performance.now() - startedMs > LAST_BEGINS_MS;
    if (round >= LEAST_ROUNDS && (isLate || lines.every(isCertain))) break;
  }
  return lines;
}

function lineOf(
  { measured, against, ...about }: Comparison,
  rounds: ReadonlyMap<Side, readonly Round[]>,
): Line {
  const ours = rounds.get(measured) ?? [];
  const figure = figureOf(measured, ours);
  if (!against) return { ...about, measured: figure, result: figure.median };
  const theirs = rounds.get(against) ?? [];
  const ratios = ours.map((round, i) => round.figure / (theirs[i] as Round).figure);
  return {
    ...about,
    measured: figure,
    against: figureOf(against, theirs),
    result: median(ratios),
    ratios,
  };
}

/** By the standard error of the mean. */
function isCertain({ ratios, measured }: Line): boolean {
  const values = ratios ?? measured.rounds;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const error = Math.sqrt(squares / (values.length - 1) / values.length);
  return error <= ENOUGH_ERROR * mean;
}

function figureOf({ name, settings }: Side, rounds: readonly Round[]): Line['measured'] {
  const { figure, details } = medianOf(rounds);
  return { name, median: figure, rounds: rounds.map((round) => round.figure), details, settings };
}

function medianOf(rounds: readonly Round[]): Required<Round> {
  const details: Record<string, number> = {};
  for (const key of Object.keys(rounds[0]?.details ?? {})) {
    details[key] = median(rounds.map((round) => round.details?.[key] ?? Number.NaN));
  }
  return { figure: median(rounds.map(({ figure }) => figure)), details };
}
