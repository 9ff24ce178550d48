import { expect, test } from 'vitest';
import { type Plot, svgPlot } from './plot.ts';
import { linearScale, logScale, shortNumber } from './scale.ts';

const plot: Plot = {
  title: 'Cost <of> "a" delivery',
  x: { title: 'stored', scale: 'log' },
  y: { title: 'µs', scale: 'linear' },
  series: [
    {
      name: 'embedded',
      points: [
        [10, 5],
        [1_000, 10],
      ],
    },
    { name: 'PostgreSQL', points: [[100, 2.5]] },
  ],
};

test('a logarithmic axis gives each power of ten the same length', () => {
  const { at, ticks } = logScale([10, 4_000]);
  expect(ticks).toEqual([10, 100, 1_000, 10_000]);
  expect([at(10), at(100), at(10_000)]).toEqual([0, expect.closeTo(1 / 3), 1]);
});

test('a linear axis starts at zero and ends at a round number', () => {
  expect(linearScale([3, 87]).ticks).toEqual([0, 20, 40, 60, 80, 100]);
  expect(linearScale([-3, 4]).ticks).toEqual([-4, -2, 0, 2, 4]);
  expect(linearScale([0]).at(0)).toBe(0);
});

test('points stand where their values belong', () => {
  const svg = svgPlot(plot);
  // From 10 to 1,000 across 70 to 590; from 0 to 10 up 326 to 44.
  expect(svg).toContain('points="70,185 590,44"');
  expect(svg).toContain('points="330,255.5"');
});

test('names are in the legend, and text is escaped', () => {
  const svg = svgPlot(plot);
  expect(svg).toContain('>embedded</text>');
  expect(svg).toContain('>PostgreSQL</text>');
  expect(svg).toContain('>Cost &lt;of&gt; &quot;a&quot; delivery</text>');
});

test('a dark theme has colours of its own', () => {
  expect(svgPlot(plot)).toMatch(
    /@media \(prefers-color-scheme:dark\)\{.*\.line-0\{stroke:#56b4e9\}/,
  );
});

test('values that a logarithmic axis cannot show are left out', () => {
  const y = { title: 'ms', scale: 'log' as const };
  const series = [
    {
      name: 'some',
      points: [
        [10, 0],
        [100, 5],
        [1_000, Number.NaN],
        [10_000, 5],
      ] as [number, number][],
    },
  ];
  const svg = svgPlot({ ...plot, y, series });
  expect(/points="(.*?)"/.exec(svg)?.[1]?.split(' ')).toHaveLength(2);
  expect(() => svgPlot({ ...plot, series: [] })).toThrow('has no points');
});

test('numbers are short', () => {
  expect([0, 0.0123, 250, 9_999, 10_000, 1_500_000, 2e9].map(shortNumber)).toEqual([
    '0',
    '0.0123',
    '250',
    '9999',
    '10k',
    '1.5M',
    '2G',
  ]);
});
