/**
 * A record is the table of its fields: how each is stored, shown, given and imported. What a caller may send, what a
 * reply, the audit and an export show, and what an import writes and compares all come from this table, so a field is
 * added in one place. `record<Row>()` does not compile while a column of the row is missing.
 */
import type { Static, TSchema } from 'typebox';
import type { Database } from '../store/schema.ts';
import { Type } from './type.ts';

/** A column that nobody is shown. */
export interface Column<Stored = unknown> {
  type: 'text' | 'integer' | 'bigint';
  /** What a new record has unless something else is given; without it, something must be given. */
  initial?: Stored;
  /** An import may change it. */
  isImported?: boolean;
  /** It has the id of such a record, which an import names by its ref. */
  refersTo?: 'key' | 'midoffice';
  /** What a list of such records can be narrowed to by it: record-list.ts. */
  only?: Readonly<Record<string, Condition>>;
}

/**
 * A condition in SQL, spelt as in the index that finds its rows: a parameter could not use a partial index. Several
 * that exclude each other are found one by one.
 */
export type Condition = string | ((nowMs: number) => string) | readonly string[] | IdSource;

/** Reads the ids of the records that meet it, in their order, where another table has the index. */
export interface IdSource {
  readIds(db: Database, steps: IdSteps): Promise<string[]>;
}

export interface IdSteps {
  limit: number;
  /** From the id after this one. */
  after?: string | undefined;
  ascending?: boolean | undefined;
}

export interface Field<Stored, Shown extends TSchema, Given extends TSchema = Shown>
  extends Column<Stored> {
  shown: Shown;
  given: Given;
  show(stored: Stored): Static<Shown>;
  /** `field` names it in the problem with a value that the schema lets through. */
  read(given: Static<Given>, field: string): Stored;
}

/** Shown, but not a column: made of the row. */
export interface Derived<Row, Shown extends TSchema> {
  shown: Shown;
  from(row: Row): Static<Shown>;
}

type Columns<Row> = { [N in keyof Row]-?: Column<Row[N]> };

export interface RecordTable<Row = object, Fields = unknown> {
  table: 'partner' | 'api_key' | 'midoffice';
  key: keyof Row & string;
  fields: Fields;
}

/** A row that was changed. */
export interface Changed<Row> {
  before: Row;
  after: Row;
}

export function record<Row>() {
  return <Fields extends Columns<Row>>(
    table: RecordTable['table'],
    key: keyof Row & string,
    fields: Fields,
  ): RecordTable<Row, Fields> => ({ table, key, fields });
}

export function derived<Row, Shown extends TSchema>(
  shown: Shown,
  from: (row: Row) => Static<Shown>,
): Derived<Row, Shown> {
  return { shown, from };
}

/** The schemas of what is shown, in the order of the table. */
type ShownIn<Fields> = {
  [N in keyof Fields as Fields[N] extends { shown: TSchema } ? N : never]: Fields[N] extends {
    shown: infer Shown extends TSchema;
  }
    ? Shown
    : never;
};

type GivenIn<Fields, Names extends keyof Fields> = {
  [N in Names]: Fields[N] extends { given: infer Given extends TSchema } ? Given : never;
};

export function shownOf<Row, Fields extends object>({
  fields,
}: RecordTable<Row, Fields>): ShownIn<Fields> {
  return schemasOf(fields, 'shown', Object.keys(fields)) as ShownIn<Fields>;
}

export function givenOf<Row, Fields extends object, const Names extends keyof Fields & string>(
  { fields }: RecordTable<Row, Fields>,
  names: readonly Names[],
): GivenIn<Fields, Names> {
  return schemasOf(fields, 'given', names) as GivenIn<Fields, Names>;
}

/** The same, each of them optional. */
export function optionalOf<Row, Fields extends object, const Names extends keyof Fields & string>(
  table: RecordTable<Row, Fields>,
  names: readonly Names[],
) {
  return Type.Partial(Type.Object(givenOf(table, names))).properties;
}

function schemasOf(fields: object, kind: 'shown' | 'given', names: readonly string[]) {
  const all = fields as Record<string, Partial<Record<'shown' | 'given', TSchema>>>;
  return Object.fromEntries(
    names.flatMap((name) => {
      const schema = all[name]?.[kind];
      return schema ? [[name, schema]] : [];
    }),
  );
}

export type Shown<Fields> = { [N in keyof ShownIn<Fields>]: Static<ShownIn<Fields>[N]> };

/** The row as replies and the audit show it. */
export function show<Row extends object, Fields extends object>(
  { fields }: RecordTable<Row, Fields>,
  row: Row,
): Shown<Fields> {
  const shown: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(fields as Record<string, Readers>)) {
    if (one.from) shown[name] = one.from(row);
    else if (one.show) shown[name] = one.show(valueIn(row, name));
  }
  return shown as Shown<Fields>;
}

/** A row as its table's fields see it: by names that vary. */
export function valueIn(row: object, name: string): unknown {
  return (row as Record<string, unknown>)[name];
}

/** A field of any kind. */
interface Readers extends Partial<Column> {
  show?(stored: unknown): unknown;
  read?(given: unknown, field: string): unknown;
  from?(row: object): unknown;
}

/** The columns that somebody has given; whatever else the input has is left out. */
export function columnsOf<Row extends object, Fields extends object>(
  { fields }: RecordTable<Row, Fields>,
  input: object,
): Partial<Row> {
  const columns: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    const { read } = (fields as Record<string, Readers>)[name] ?? {};
    if (read && value !== undefined) columns[name] = read(value, `/${name}`);
  }
  return columns as Partial<Row>;
}

/** A whole row: what is given, and the initial values of the rest. */
export function newRow<Row extends object, Fields extends object>(
  { table, fields }: RecordTable<Row, Fields>,
  given: NoInfer<Partial<Row>>,
): Row {
  const row: Record<string, unknown> = {};
  for (const [name, column] of columnsIn(fields)) {
    const value = given[name as keyof Row] ?? column.initial;
    if (value === undefined) throw new Error(`a new ${table} without ${name}`);
    row[name] = value;
  }
  return row as Row;
}

/** Every column of the table, with its type. */
export function columnsIn(fields: object): [name: string, column: Column][] {
  return Object.entries(fields as Record<string, Column | Derived<never, TSchema>>).flatMap(
    ([name, one]) => ('type' in one ? [[name, one] as [string, Column]] : []),
  );
}
