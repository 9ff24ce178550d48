/** Why a cost may grow with the data. A cost that grows and is not explained here is a defect. */
import type { EngineName } from './stocked-bellhop.ts';

interface Explanation {
  names: RegExp;
  dimension: string | readonly string[];
  engine?: EngineName;
  why: string;
}

const EXPLANATIONS: Explanation[] = [
  {
    names: /^stats/,
    dimension: 'pending',
    why: 'It counts what is pending, exactly. The count is cached for 20 times as long as it takes, so it never takes more than a twentieth of the time.',
  },
  {
    names: /^(midoffice|portal: (home|receiver))$/,
    dimension: 'pending',
    why: 'It counts what is pending for the midoffice, exactly: here a hundredth of everything that is pending.',
  },
  {
    names: /^midoffices: with exhausted deliveries$/,
    dimension: 'pending',
    why: 'It counts what is pending for each midoffice of the page, up to 10,000.',
  },
  {
    names: /^portal: (home|count of exhausted webhooks)$/,
    dimension: 'deliveries',
    why: "It reads what was given up and nobody has acknowledged until it has counted 1,000 of the partner's, whose deliveries are a hundredth of all.",
  },
  {
    names: /^portal: webhooks: (exhausted|cancelled)$/,
    dimension: 'deliveries',
    why: 'As the list of support for a partner: it reads what was given up until it has found a page of the partner.',
  },
  {
    names: /^notices: of a rare kind, with a mail that was given up$/,
    dimension: 'audit',
    why: 'No index has both: it looks at the newest 10,000 mails that were given up, and at no more.',
  },
  {
    names: /name$|^search/,
    dimension: 'midoffices',
    why: 'A name may match anywhere, so a search reads the names, from an index that holds nothing else.',
  },
  {
    names: /^deliveries: count, (pending|of a partner|answered with 4xx)$/,
    dimension: ['deliveries', 'pending'],
    why: 'It counts exactly, up to a million, in pages: other work goes on between them.',
  },
  {
    names: /answered with 4xx/,
    dimension: 'pending',
    why: 'It reads everything that is pending. An index of results would have to be changed after each failed attempt.',
  },
  {
    names: /^deliveries: pending, of a midoffice$/,
    dimension: 'pending',
    why: 'It sorts what is pending for that midoffice. An index in the order of the list would make every delivery more expensive.',
  },
  {
    names: /^deliveries: exhausted, by the beginning of an order$/,
    dimension: 'deliveries',
    why: 'Up to a thousand exhausted ones are sorted. With more, it reads orders until it has found a page of exhausted ones.',
  },
  {
    names: /(exhausted|cancelled|answered with 4xx), of a partner$/,
    dimension: 'deliveries',
    why: 'It reads what was given up until it has found a page of the partner, whose deliveries are a hundredth of all.',
  },
  {
    names: /^deliveries: exhausted, of a day$/,
    dimension: 'deliveries',
    why: 'It reads what was exhausted on that day.',
  },
  {
    names: /^accept an event, in PostgreSQL$/,
    dimension: 'deliveries',
    why: 'Event ids come in no order, so PostgreSQL reads and writes all over their index, which is a few hundred megabytes then.',
  },
  {
    names: /^accept and deliver, all nodes$/,
    dimension: 'nodes',
    why: 'All events come in at one node here. What belongs to the others goes through the queue, and they read it a few rows at a time; with one node, it goes from intake to the attempt in memory.',
  },
  {
    names: /^delete an old delivery$/,
    dimension: 'deliveries',
    why: "The oldest rows and their places in the indexes are no longer in the database's cache.",
  },
  {
    names: /of a partner and a midoffice$|of a rare type and a midoffice$/,
    dimension: ['deliveries', 'pending'],
    why: 'Two filters, each with its own index: it reads what the narrower one finds, here a hundredth of all deliveries.',
  },
];

export function explanationOf(name: string, dimension: string, engine: EngineName): string {
  const found = EXPLANATIONS.find(
    (one) =>
      one.names.test(name) &&
      [one.dimension].flat().includes(dimension) &&
      (one.engine === undefined || one.engine === engine),
  );
  return found?.why ?? '**Not explained: a defect.**';
}
