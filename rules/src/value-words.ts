/** Values of fields, numbers and limits, as the sentences about changes say them. */
import { isTime, minuteInUtc } from './minute-in-utc.ts';

/** Of records, by id. Those that are gone are left out. */
export type Names = ReadonlyMap<string, string>;

const LONGEST = 80;
const ORDERS_NAMED = 3;

/** Their values are words of the API, with underscores; those of other fields are somebody's text. */
const CODED_FIELDS = ['delivery_order', 'body_form', 'failure_code', 'result', 'state', 'type'];

export function valueInWords(field: string, value: unknown, names: Names): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return inDigits(value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : clipped(value.join(', '));
  if (typeof value === 'object') return clipped(Object.keys(value).join(', ') || 'none');
  const text = String(value);
  const name = names.get(text);
  if (name !== undefined) return name;
  if (CODED_FIELDS.includes(field)) return text.replaceAll('_', ' ');
  if (isTime(text)) return minuteInUtc(text);
  // A word or a number needs no quotes.
  return /^[\w.-]+$/.test(text) ? clipped(text) : `“${clipped(text)}”`;
}

export function clipped(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

export function inDigits(number: number): string {
  return number.toLocaleString('en');
}

export function deliveriesInWords(count: number): string {
  return count === 1 ? '1 delivery' : `${inDigits(count)} deliveries`;
}

/** "order 1001", "orders 1001, 1002, 1003 and 9 more". */
export function ordersInWords(orders: readonly string[], count: number): string {
  const shown = orders.slice(0, ORDERS_NAMED);
  const others = count - shown.length;
  const more = others > 0 ? ` and ${inDigits(others)} more` : '';
  return `${count === 1 ? 'order' : 'orders'} ${shown.join(', ')}${more}`;
}

const windows: [seconds: number, name: string][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** "a minute", "in 90 seconds". */
export function windowInWords(seconds: number): string {
  for (const [length, name] of windows) {
    if (seconds === length) return name === 'hour' ? 'an hour' : `a ${name}`;
    if (seconds % length === 0) return `in ${seconds / length} ${name}s`;
  }
  return `in ${seconds} seconds`;
}
