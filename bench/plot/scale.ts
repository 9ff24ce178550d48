/** Maps values to positions on an axis, and chooses where its ticks are. */
export interface Scale {
  /** 0 at the start of the axis, 1 at its end. */
  at(value: number): number;
  ticks: number[];
}

const MOST_TICKS = 6;

/** Starts at zero unless a value is below it. */
export function linearScale(values: readonly number[]): Scale {
  const low = Math.min(0, ...values);
  const highest = Math.max(...values);
  const high = highest > low ? highest : low + 1;
  const step = niceStep((high - low) / MOST_TICKS);
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
  const ticks = Array.from({ length: last - first + 1 }, (_, n) => (first + n) * step);
  const [start, end] = [first * step, last * step];
  return { at: (value) => (value - start) / (end - start), ticks };
}

/** Whole powers of ten around the values, which must be above zero. */
export function logScale(values: readonly number[]): Scale {
  const start = Math.floor(Math.log10(Math.min(...values)) + 1e-9);
  const end = Math.max(start + 1, Math.ceil(Math.log10(Math.max(...values)) - 1e-9));
  const ticks = Array.from({ length: end - start + 1 }, (_, n) => 10 ** (start + n));
  return { at: (value) => (Math.log10(value) - start) / (end - start), ticks };
}

/** 1, 2 or 5 times a power of ten, at least `smallest`. */
function niceStep(smallest: number): number {
  const power = 10 ** Math.floor(Math.log10(smallest));
  const nice = [1, 2, 5, 10].find((factor) => factor * power >= smallest * (1 - 1e-9)) ?? 10;
  return nice * power;
}

/** `0.01`, `250`, `10k`, `1M`. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9) return `${trimmed(value / 1e9)}G`;
  if (size >= 1e6) return `${trimmed(value / 1e6)}M`;
  if (size >= 1e4) return `${trimmed(value / 1e3)}k`;
  return trimmed(value);
}

function trimmed(value: number): string {
  return String(Number(value.toPrecision(4)));
}
