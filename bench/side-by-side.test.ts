import { expect, test } from 'vitest';
import type { Session } from './bench.ts';
import { alone, inTurns, type Side, sideBySide } from './side-by-side.ts';

const session: Session = { progress() {}, undo() {}, folder: async () => '' };
const about = { title: 'a line', unit: 'calls/s' };

/** A side that gives these figures, and writes down when it is measured. */
function side(name: string, figures: readonly number[], order: string[] = []): Side {
  let n = 0;
  return {
    name,
    async measure() {
      order.push(name);
      return { figure: figures[n++ % figures.length] as number };
    },
  };
}

test('rounds end as soon as chance hardly moves the ratio', async () => {
  const steady = await sideBySide(session, about, side('a', [90, 91]), side('b', [100, 101]));
  expect(steady.ratios).toHaveLength(3);
  expect(steady.result).toBeCloseTo(0.9, 2);
  const unsteady = await sideBySide(session, about, side('a', [50, 100]), side('b', [100]));
  expect(unsteady.ratios).toHaveLength(7);
});

test('a figure without another one ends in the same way', async () => {
  expect((await alone(session, about, side('a', [100]))).measured.rounds).toHaveLength(3);
  expect((await alone(session, about, side('a', [50, 100]))).measured.rounds).toHaveLength(7);
});

test('lines of the same rounds share a side, and every other round has the opposite order', async () => {
  const order: string[] = [];
  const against = side('bare', [100], order);
  const lines = await inTurns(session, [
    { ...about, measured: side('one', [80], order), against },
    { ...about, measured: side('two', [60], order), against },
  ]);
  expect(lines.map(({ result }) => result)).toEqual([0.8, 0.6]);
  expect(order.slice(0, 6)).toEqual(['one', 'bare', 'two', 'two', 'bare', 'one']);
  expect(order).toHaveLength(9);
});

test('turns alternate within a round, and its figure is their median', async () => {
  for (const turns of [2, 3]) {
    const order: string[] = [];
    const figures = turns === 2 ? [80, 100] : [70, 90, 200];
    const [a, b] = [side('a', figures, order), side('b', [100], order)];
    const line = await sideBySide(session, about, a, b, turns);
    expect(line.measured.rounds).toEqual([90, 90, 90]);
    const rounds = turns === 2 ? ['abba', 'baab', 'abba'] : ['abbaab', 'baabba', 'abbaab'];
    expect(order.join('')).toBe(rounds.join(''));
  }
});

test('what a process needs is begun and ended with each round', async () => {
  const steps: string[] = [];
  const step = async (name: string) => void steps.push(name);
  const started: Side = {
    ...side('a', [100], steps),
    begin: () => step('begin'),
    end: () => step('end'),
  };
  await alone(session, about, started);
  expect(steps.slice(0, 4)).toEqual(['begin', 'a', 'end', 'begin']);
});
