/** Runs the relay as a process of its own: node main.ts. Settings come from the environment. */
import { type Report, relay } from './relay.ts';

const MOST_EVENTS = 1_000;

const report: Report = (level, msg, more) => {
  console.log(JSON.stringify({ at: new Date().toISOString(), level, msg, ...more }));
};

const stopping = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stopping.abort());

await relay(
  {
    databaseUrl: required('OUTBOX_DATABASE_URL'),
    eventsUrl: required('OUTBOX_EVENTS_URL'),
    token: required('OUTBOX_TOKEN'),
    pollMs: wholeNumber('OUTBOX_POLL_MS', 1_000, 60_000),
    batch: wholeNumber('OUTBOX_BATCH', MOST_EVENTS, MOST_EVENTS),
  },
  report,
  stopping.signal,
);

function required(name: string): string {
  const value = process.env[name];
  if (!value) refuse(`Set ${name}; docs/booking-core/outbox.md says to what.`);
  return value;
}

function wholeNumber(name: string, byDefault: number, most: number): number {
  const text = process.env[name];
  if (!text) return byDefault;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most) {
    refuse(`${name} must be a whole number from 1 to ${most}.`);
  }
  return value;
}

function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}
