/** Formats numbers. The pages are in English, so they look the same in every browser. */
const digits = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** "1,667". */
export function inDigits(count: number): string {
  return digits.format(count);
}

/** "1 webhook", "1,667 webhooks". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${inDigits(count)} ${count === 1 ? one : many}`;
}

export function deliveriesInWords(count: number): string {
  return counted(count, 'delivery', 'deliveries');
}

/** Never rounds a failure away, or a limit up to full: 99.97 % is not 100 %. */
export function percent(share: number): string {
  return `${inDigits(Math.floor(share * 1_000) / 10)} %`;
}
