/** Formats numbers in the language of the pages, so they look the same in every browser. */
import { locale } from '../../words/language.ts';

const digits = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });

/** "1,667". */
export function inDigits(count: number): string {
  return digits.format(count);
}

/** Never rounds a failure away, or a limit up to full: 99.97 % is not 100 %. */
export function percent(share: number): string {
  return `${inDigits(Math.floor(share * 1_000) / 10)} %`;
}

const hundredths = decimals(2);
const tenths = decimals(1);

/** Three digits or so: "1.23", "12.3". */
export function inDecimals(value: number): string {
  return (value < 10 ? hundredths : tenths).format(value);
}

function decimals(count: number): Intl.NumberFormat {
  const fraction = { minimumFractionDigits: count, maximumFractionDigits: count };
  return new Intl.NumberFormat(locale, { ...fraction, useGrouping: false });
}
