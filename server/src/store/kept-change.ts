/** A change as it is kept for the case of a failover: who made it is in its audit, what it did in its statements. */
import {
  type CompiledQuery,
  type Kysely,
  type KyselyPlugin,
  type QueryExecutor,
  RawNode,
  type RootOperationNode,
  SelectQueryNode,
} from 'kysely';
import type { AuditRow } from './schema.ts';

/** A committed change as it could be made once more. */
export interface KeptChange {
  /** Where it was made; its audit is there, too. */
  db: Kysely<{ audit: AuditRow }>;
  at: number;
  /** None if it is not audited: then it can be made any number of times. */
  audits: { id: string; action: string; subject: string; after: string | null }[];
  /** What it wrote; empty if that was too much to keep. */
  statements: KeptStatement[];
}

/** Without the tree that it was made of, which takes many times its memory. */
export type KeptStatement = Pick<CompiledQuery, 'sql' | 'parameters'>;

/** A change with more is too much to keep, such as an import. Bulk changes of deliveries come in parts, and have less. */
const MOST_STATEMENTS = 200;
const MOST_CHARACTERS = 1_000_000;

/** Sees all that a transaction writes. */
export class Recording implements KyselyPlugin {
  readonly #nodes: RootOperationNode[] = [];

  transformQuery({ node }: { node: RootOperationNode }): RootOperationNode {
    if (!isRead(node) && this.#nodes.length <= MOST_STATEMENTS) this.#nodes.push(node);
    return node;
  }

  /** None if they are too many. */
  statements(executor: QueryExecutor): KeptStatement[] {
    if (this.#nodes.length > MOST_STATEMENTS) return [];
    const all = this.#nodes.map((node) => {
      const { sql, parameters } = executor.compileQuery(node, { queryId: 'kept' });
      return { sql: inOnePiece(sql), parameters };
    });
    return all.reduce((sum, one) => sum + sizeOf(one), 0) > MOST_CHARACTERS ? [] : all;
  }

  async transformResult<Result>({ result }: { result: Result }): Promise<Result> {
    return result;
  }
}

/** Notices to other nodes (`select pg_notify`) count as reads: a restored change tells them by its own rows. */
function isRead(node: RootOperationNode): boolean {
  if (RawNode.is(node)) return /^\s*select\b/i.test(node.sqlFragments[0] ?? '');
  return SelectQueryNode.is(node);
}

/** V8 keeps a text that was put together as the tree of its pieces: ten times as much for one with many parameters. */
function inOnePiece(text: string): string {
  return Buffer.from(text).toString();
}

/** About how many characters it takes. */
export function sizeOf({ sql, parameters }: KeptStatement): number {
  return parameters.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 8),
    sql.length,
  );
}
