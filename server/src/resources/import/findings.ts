/** What an import reports: how many records of each kind, the first errors, and the first skipped lines. */
import type { Static } from 'typebox';
import { like } from '../examples.ts';
import { reply } from '../forms.ts';
import { Problem } from '../problem.ts';
import { Type } from '../type.ts';
import type { StagedKind } from './imported-fields.ts';
import type { RecordKind } from './lines.ts';

/** The report lists this many errors and this many skipped lines; of the others it has the number. */
export const MOST_FINDINGS = 100;

export interface LineError {
  line: number;
  /** A JSON pointer into the line; empty for the whole line. */
  field: string;
  detail: string;
}

const Counts = reply('ImportCounts', {
  created: Type.Integer(),
  changed: Type.Integer(),
  unchanged: Type.Integer(),
  skipped: Type.Integer(),
});

export const ImportReport = reply('ImportReport', {
  dry_run: Type.Boolean({ description: 'True: nothing was changed.' }),
  lines: Type.Integer(),
  partners: Counts,
  keys: Counts,
  grants: Counts,
  midoffices: Counts,
  skipped_lines: Type.Array(
    Type.Object({
      line: Type.Integer(),
      reason: like('The line has no api_key, and there is no such key yet.'),
    }),
    {
      description: `The first ${MOST_FINDINGS} lines that were skipped or imported only in part, and why.`,
    },
  ),
});

export type ImportReport = Static<typeof ImportReport>;
type Counts = Static<typeof Counts>;
type Skipped = ImportReport['skipped_lines'][number];
type Outcome = keyof Counts;

const PLURAL = {
  partner: 'partners',
  key: 'keys',
  grant: 'grants',
  midoffice: 'midoffices',
} as const satisfies Record<RecordKind, string>;

export class Findings {
  lines = 0;
  errorCount = 0;
  /** Refs of known or new records that no earlier import had. */
  newRefs = 0;
  /** Limits in production that let more through than before. */
  raises = 0;
  readonly #approvals = new Set<string>();
  readonly #errors: LineError[] = [];
  readonly #skipped: Skipped[] = [];
  readonly #counts: Record<(typeof PLURAL)[RecordKind], Counts> = {
    partners: noCounts(),
    keys: noCounts(),
    grants: noCounts(),
    midoffices: noCounts(),
  };

  error(line: number, field: string, detail: string): void {
    this.errorCount++;
    keepFirst(this.#errors, { line, field, detail });
  }

  /** A problem with fields of a line. */
  problem(line: number, error: unknown): void {
    if (!(error instanceof Problem) || !error.errors) throw error;
    for (const { field, detail } of error.errors) this.error(line, field, detail);
  }

  raise(approval: string): void {
    this.raises++;
    if (this.#approvals.size < MOST_FINDINGS) this.#approvals.add(approval);
  }

  /** The first approvals of those raises, each once. */
  get approvals(): string[] {
    return [...this.#approvals];
  }

  count(kind: RecordKind, outcome: Outcome): void {
    this.#counts[PLURAL[kind]][outcome]++;
  }

  skip(kind: RecordKind, line: number, reason: string): void {
    this.count(kind, 'skipped');
    keepFirst(this.#skipped, { line, reason });
  }

  /** Something about a line that is imported all the same. */
  note(line: number, reason: string): void {
    keepFirst(this.#skipped, { line, reason });
  }

  get counts() {
    return this.#counts;
  }

  get hasChanges(): boolean {
    const counts = Object.values(this.#counts);
    return this.newRefs > 0 || counts.some(({ created, changed }) => created + changed > 0);
  }

  report(isDryRun: boolean): ImportReport {
    return {
      dry_run: isDryRun,
      lines: this.lines,
      ...this.#counts,
      skipped_lines: this.#skipped,
    };
  }

  throwIfAny(): void {
    const [first] = this.#errors;
    if (!first) return;
    const many = this.errorCount.toLocaleString('en');
    const errors = this.errorCount === 1 ? 'There is one error' : `There are ${many} errors`;
    throw new Problem(
      'import_refused',
      `${errors}, so nothing was imported. Line ${first.line}: ${first.field || 'The line'} ${first.detail}.`,
      this.#errors,
    );
  }
}

/** Keeps the list short and in the order of the lines. Lines are mostly checked in their order. */
function keepFirst<T extends { line: number }>(list: T[], one: T): void {
  let place = list.length;
  while (place > 0 && (list[place - 1]?.line ?? 0) > one.line) place--;
  list.splice(place, 0, one);
  if (list.length > MOST_FINDINGS) list.pop();
}

function noCounts(): Counts {
  return { created: 0, changed: 0, unchanged: 0, skipped: 0 };
}

/** For a reference that leads nowhere. */
export function noSuch(kind: StagedKind): string {
  return `must be the ref of a ${kind} in this file, or of one that exists already`;
}
