import { counted } from './counted.ts';

/** A decimal fraction has been written as digits already. */
type Count = number | string;

export const durations = {
  now: 'now',
  dueNow: 'due now',
  ago: (span: string) => `${span} ago`,
  ahead: (span: string) => `in ${span}`,
  /** In a table or beside a label. */
  short: {
    milliseconds: (count: Count) => `${count} ms`,
    seconds: (count: Count) => `${count} s`,
    minutes: (count: Count) => `${count} min`,
    hours: (count: Count) => `${count} h`,
    days: (count: Count) => `${count} d`,
  },
  /** In a sentence. */
  long: {
    seconds: (count: number) => counted(count, 'second'),
    minutes: (count: number) => counted(count, 'minute'),
    hours: (count: number) => counted(count, 'hour'),
    days: (count: number) => counted(count, 'day'),
    years: (count: number) => counted(count, 'year'),
  },
  /** A window, after "per". */
  per: {
    seconds: (count: number) => (count === 1 ? 'second' : `${count} s`),
    minutes: (count: number) => (count === 1 ? 'minute' : `${count} min`),
    hours: (count: number) => (count === 1 ? 'hour' : `${count} hours`),
    days: (count: number) => (count === 1 ? 'day' : `${count} days`),
  },
};
