/**
 * Draws a line plot as an SVG document, without a library. The background is part of the picture, so that
 * it is readable on any page; readers who prefer a dark theme get dark colours.
 */
import { linearScale, logScale, type Scale, shortNumber } from './scale.ts';

export interface Plot {
  title: string;
  x: Axis;
  y: Axis;
  series: Series[];
}

export interface Axis {
  title: string;
  scale: 'linear' | 'log';
}

export interface Series {
  name: string;
  points: readonly (readonly [x: number, y: number])[];
}

const WIDTH = 960;
const HEIGHT = 380;
const AREA = { left: 70, top: 44, right: 590, bottom: 326 };
const LEGEND_LEFT = AREA.right + 24;
const LEGEND_LINE = 22;
/** Tell apart for people who see few colours; from the ninth series on, lines are dashed. */
const COLOURS = [
  ['#0072b2', '#56b4e9'],
  ['#d55e00', '#ff8f4a'],
  ['#008a63', '#2fd0a0'],
  ['#b0468f', '#ec9fd0'],
  ['#8a6d00', '#e6c229'],
  ['#5b4fc7', '#a79dff'],
  ['#7a3b10', '#d29a6c'],
  ['#555555', '#bbbbbb'],
] as const;

export function svgPlot({ title, x, y, series }: Plot): string {
  const drawn = series.map(({ name, points }) => ({ name, points: drawable(points, x, y) }));
  const all = drawn.flatMap(({ points }) => points);
  if (all.length === 0) throw new Error(`The plot "${title}" has no points.`);
  const across = scaleOf(
    x,
    all.map(([value]) => value),
  );
  const up = scaleOf(
    y,
    all.map(([, value]) => value),
  );
  const left = (value: number) => round(AREA.left + across.at(value) * (AREA.right - AREA.left));
  const top = (value: number) => round(AREA.bottom - up.at(value) * (AREA.bottom - AREA.top));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">`,
    style(),
    `<rect class="back" width="${WIDTH}" height="${HEIGHT}"/>`,
    text('title', AREA.left, 24, title),
    ...across.ticks.map((tick) => ticked(left(tick), tick)),
    ...up.ticks.map((tick) => gridded(top(tick), tick)),
    text('about', (AREA.left + AREA.right) / 2, HEIGHT - 14, x.title, 'middle'),
    `<text class="about" transform="translate(18 ${(AREA.top + AREA.bottom) / 2}) rotate(-90)" text-anchor="middle">${escaped(y.title)}</text>`,
    ...drawn.flatMap(({ name, points }, n) => [
      line(
        points.map(([a, b]) => [left(a), top(b)]),
        n,
      ),
      ...legend(name, n),
    ]),
    '</svg>',
    '',
  ].join('\n');
}

/** A logarithmic axis has no place for zero. */
function drawable(points: Series['points'], x: Axis, y: Axis): Series['points'] {
  const fits = (value: number, { scale }: Axis) =>
    Number.isFinite(value) && (scale === 'linear' || value > 0);
  return points.filter(([a, b]) => fits(a, x) && fits(b, y));
}

function scaleOf({ scale }: Axis, values: readonly number[]): Scale {
  return scale === 'log' ? logScale(values) : linearScale(values);
}

function line(points: readonly (readonly [number, number])[], n: number): string {
  const marks =
    points.length > 20
      ? ''
      : points.map(([a, b]) => `<circle class="${fill(n)}" cx="${a}" cy="${b}" r="3"/>`).join('');
  return `<polyline class="${stroke(n)}" points="${points.map((at) => at.join(',')).join(' ')}"/>${marks}`;
}

function legend(name: string, n: number): string[] {
  const top = AREA.top + 8 + n * LEGEND_LINE;
  return [
    `<line class="${stroke(n)}" x1="${LEGEND_LEFT}" x2="${LEGEND_LEFT + 22}" y1="${top}" y2="${top}"/>`,
    text('name', LEGEND_LEFT + 30, top + 4, name),
  ];
}

function ticked(at: number, value: number): string {
  return `<line class="tick" x1="${at}" x2="${at}" y1="${AREA.bottom}" y2="${AREA.bottom + 5}"/>${text('label', at, AREA.bottom + 19, shortNumber(value), 'middle')}`;
}

function gridded(at: number, value: number): string {
  return `<line class="grid" x1="${AREA.left}" x2="${AREA.right}" y1="${at}" y2="${at}"/>${text('label', AREA.left - 8, at + 4, shortNumber(value), 'end')}`;
}

function text(kind: string, left: number, top: number, words: string, anchor = 'start'): string {
  return `<text class="${kind}" x="${left}" y="${top}" text-anchor="${anchor}">${escaped(words)}</text>`;
}

function stroke(n: number): string {
  return `line line-${n % COLOURS.length}${n >= COLOURS.length ? ' dashed' : ''}`;
}

function fill(n: number): string {
  return `mark-${n % COLOURS.length}`;
}

function style(): string {
  const colours = (theme: 0 | 1) =>
    COLOURS.map(
      (pair, n) => `.line-${n}{stroke:${pair[theme]}} .mark-${n}{fill:${pair[theme]}}`,
    ).join(' ');
  return `<style>
svg{color:#1f2328;font:12px system-ui,sans-serif}
.back{fill:#fff} text{fill:currentColor} .title{font-size:15px;font-weight:600}
.grid{stroke:currentColor;opacity:.15} .tick{stroke:currentColor;opacity:.5}
.line{fill:none;stroke-width:2;stroke-linejoin:round} .dashed{stroke-dasharray:6 4}
${colours(0)}
@media (prefers-color-scheme:dark){svg{color:#e6edf3} .back{fill:#0d1117} ${colours(1)}}
</style>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(words: string): string {
  return words
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
