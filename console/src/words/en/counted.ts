/** English has two forms: one for a single thing, one for every other number. */
import { inDigits } from '../../ui/text/numbers.ts';

/** "1 webhook", "1,667 webhooks". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${inDigits(count)} ${count === 1 ? one : many}`;
}

export function deliveriesInWords(count: number): string {
  return counted(count, 'delivery', 'deliveries');
}
