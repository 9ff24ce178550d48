/**
 * What an import has read so far: a private SQLite database on the disk, whatever engine Bellhop runs on. It keeps
 * memory bounded for any number of lines, finds duplicates and joins references. SQLite deletes the file as soon as
 * it is open, so nothing is left after a crash. API keys come here sealed.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

/** `invalid`: the line has an error. References to it are not reported again. */
export type Action = 'create' | 'change' | 'unchanged' | 'skip' | 'invalid';
export type RecordKind = 'partner' | 'key' | 'midoffice';

export interface StagedRecord {
  line: number;
  kind: RecordKind;
  ref: string;
  /** The id in this environment, once it is known. */
  id: string | null;
  /** The ref of the record that this one refers to. */
  target: string | null;
  /** JSON. */
  body: string;
  /** JSON of a key's sealed API keys and their digests. */
  secret: string | null;
  action: Action | null;
}

/** With what its reference leads to. */
export interface ResolvedRecord extends StagedRecord {
  targetId: string | null;
  targetAction: Action | null;
  /** 1 if it refers to a certified partner. */
  targetCertified: number | null;
}

export interface StagedGrant {
  line: number;
  keyRef: string;
  endpoint: string;
  /** JSON. */
  body: string;
}

/** For SQLite's pages in memory; the rest is on the disk. */
const CACHE_KIB = 16_384;

const TABLES = `
  pragma journal_mode = off; pragma synchronous = off; pragma temp_store = file;
  pragma cache_size = -${CACHE_KIB};
  create table record (
    line integer primary key, kind text not null, ref text not null, id text, target text,
    body text not null, secret text, action text, write text, certified integer);
  create unique index record_ref on record (kind, ref);
  create unique index record_id on record (kind, id) where id is not null;
  create index record_changed on record (kind, line) where action = 'change';
  create table granted (
    key_ref text not null, endpoint text not null, line integer not null, body text not null,
    primary key (key_ref, endpoint)) without rowid;
  create table outside (
    kind text not null, ref text not null, id text not null, certified integer,
    primary key (kind, ref)) without rowid;
  create table grant_set (id text primary key, grants text not null) without rowid`;

const REFERRED: Record<RecordKind, RecordKind> = {
  key: 'partner',
  midoffice: 'key',
  partner: 'midoffice',
};

/**
 * `+kind` in the queries by line: with the plain column, SQLite would sort all records of the kind for every page.
 */
export class Staging implements Disposable {
  readonly #db = new DatabaseSync('');
  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();

  constructor() {
    this.#db.exec(TABLES);
    this.#db.exec('begin');
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  /** Returns the line of an earlier record with the same ref or id, if there is one. */
  add(record: Omit<StagedRecord, 'action'>, action: Action | null = null): number | undefined {
    const { line, kind, ref, id, target, body, secret } = record;
    const isNew = this.#run(
      `insert or ignore into record (line, kind, ref, id, target, body, secret, action)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
      [line, kind, ref, id, target, body, secret, action],
    );
    return isNew ? undefined : this.#lineOf(kind, ref, id);
  }

  #lineOf(kind: RecordKind, ref: string, id: string | null): number | undefined {
    const sql = `select line from record where kind = ? and ref = ?
                 union select line from record where kind = ? and id = ? limit 1`;
    const [found] = this.#all<{ line: number }>(sql, [kind, ref, kind, id]);
    return found?.line;
  }

  /** Returns the line of an earlier grant of the same endpoint to the same key, if there is one. */
  addGrant({ line, keyRef, endpoint, body }: StagedGrant): number | undefined {
    const isNew = this.#run('insert or ignore into granted values (?, ?, ?, ?)', [
      keyRef,
      endpoint,
      line,
      body,
    ]);
    if (isNew) return undefined;
    const sql = 'select line from granted where key_ref = ? and endpoint = ?';
    return this.#all<{ line: number }>(sql, [keyRef, endpoint])[0]?.line;
  }

  addGrantSet(id: string, grants: string): void {
    this.#run('insert or ignore into grant_set values (?, ?)', [id, grants]);
  }

  /** Records of a kind in the order of their lines, a page at a time. */
  *pages(kind: RecordKind, size: number): Generator<ResolvedRecord[]> {
    const sql = `
      select r.line, r.kind, r.ref, r.id, r.target, r.body, r.secret, r.action,
             coalesce(t.id, o.id) as "targetId", t.action as "targetAction",
             coalesce(t.certified, o.certified) as "targetCertified"
        from record r
        left join record t on t.kind = ? and t.ref = r.target
        left join outside o on o.kind = ? and o.ref = r.target
       where +r.kind = ? and r.line > ? order by r.line limit ?`;
    const referred = REFERRED[kind];
    for (let after = 0; ; ) {
      const page = this.#all<ResolvedRecord>(sql, [referred, referred, kind, after, size]);
      if (page.length > 0) yield page;
      if (page.length < size) return;
      after = page.at(-1)?.line as number;
    }
  }

  grantsOf(keyRef: string): StagedGrant[] {
    const sql = `select line, key_ref as "keyRef", endpoint, body from granted where key_ref = ?`;
    return this.#all<StagedGrant>(sql, [keyRef]);
  }

  /** References to records that the import does not contain. */
  *refsOutside(kind: RecordKind, size: number): Generator<string[]> {
    const sql = `
      select distinct ref from (
        select target as ref from record where kind = ? and target is not null
        union select key_ref from granted where ? = 'key') as refs
       where ref > ? and not exists (select 1 from record r where r.kind = ? and r.ref = refs.ref)
       order by ref limit ?`;
    const [referring] = Object.entries(REFERRED).find(([, to]) => to === kind) as [string, string];
    for (let after = ''; ; ) {
      const rows = this.#all<{ ref: string }>(sql, [referring, kind, after, kind, size]);
      if (rows.length > 0) yield rows.map(({ ref }) => ref);
      if (rows.length < size) return;
      after = rows.at(-1)?.ref as string;
    }
  }

  addOutside(kind: RecordKind, ref: string, id: string, isCertified = false): void {
    this.#run('insert or ignore into outside values (?, ?, ?, ?)', [
      kind,
      ref,
      id,
      Number(isCertified),
    ]);
  }

  /** The lines of grants to keys that neither the import nor this environment has. */
  *grantsOfUnknownKeys(): Generator<number> {
    const sql = `
      select line from granted g
       where not exists (select 1 from record where kind = 'key' and ref = g.key_ref)
         and not exists (select 1 from outside where kind = 'key' and ref = g.key_ref)
       order by line`;
    for (const { line } of this.#prepared(sql).iterate()) yield line as number;
  }

  /** Adds a record for every known key that gets grants without a line of its own. */
  addKeysOfGrants(): void {
    this.#run(
      `insert into record (line, kind, ref, id, body)
       select min(g.line), 'key', g.key_ref, o.id, '{}'
         from granted g join outside o on o.kind = 'key' and o.ref = g.key_ref
        group by g.key_ref`,
      [],
    );
  }

  /** Returns the line of another record that has this id. */
  setId(record: StagedRecord, id: string, isCertified = false): number | undefined {
    const isSet = this.#run('update or ignore record set id = ?, certified = ? where line = ?', [
      id,
      Number(isCertified),
      record.line,
    ]);
    if (isSet) return undefined;
    const sql = 'select line from record where kind = ? and id = ?';
    return this.#all<{ line: number }>(sql, [record.kind, id])[0]?.line;
  }

  /** `write` is what the store has to write for this record. */
  decide(line: number, action: Action, write?: object): void {
    const json = write === undefined ? null : JSON.stringify(write);
    this.#run('update record set action = ?, write = ? where line = ?', [action, json, line]);
  }

  /** What has to be written, each page as a JSON array. */
  *writes(kind: RecordKind, action: 'create' | 'change', size: number): Generator<Writes> {
    // Few records are changed, and an index has them. Nearly all are created.
    const of =
      action === 'change' ? `kind = ? and action = 'change'` : `+kind = ? and action = 'create'`;
    const sql = `select line, write from record where ${of} and line > ? order by line limit ?`;
    for (let after = 0; ; ) {
      const rows = this.#all<{ line: number; write: string }>(sql, [kind, after, size]);
      if (rows.length > 0) {
        yield { count: rows.length, json: `[${rows.map(({ write }) => write).join(',')}]` };
      }
      if (rows.length < size) return;
      after = rows.at(-1)?.line as number;
    }
  }

  /** The refs of new records under which a later import finds them. */
  *newRefs(kind: 'partner' | 'midoffice', size: number): Generator<Writes> {
    const sql = `select line, ref, id from record
                  where +kind = ? and action in ('create', 'change', 'unchanged') and ref <> id and line > ?
                  order by line limit ?`;
    for (let after = 0; ; ) {
      const rows = this.#all<{ line: number; ref: string; id: string }>(sql, [kind, after, size]);
      const refs = rows.map(({ ref, id }) => ({ kind, ref, id }));
      if (rows.length > 0) yield { count: rows.length, json: JSON.stringify(refs) };
      if (rows.length < size) return;
      after = rows.at(-1)?.line as number;
    }
  }

  /** Each set has some 6 KB, and every key may have one of its own. */
  *grantSets(size: number): Generator<Writes> {
    const sql = 'select id, grants from grant_set where id > ? order by id limit ?';
    for (let after = ''; ; ) {
      const rows = this.#all<{ id: string; grants: string }>(sql, [after, size]);
      if (rows.length > 0) yield { count: rows.length, json: JSON.stringify(rows) };
      if (rows.length < size) return;
      after = rows.at(-1)?.id as string;
    }
  }

  #run(sql: string, values: SQLInputValue[]): boolean {
    return Number(this.#prepared(sql).run(...values).changes) > 0;
  }

  #all<Row>(sql: string, values: SQLInputValue[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  #prepared(sql: string) {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

export interface Writes {
  count: number;
  /** An array of rows. */
  json: string;
}
