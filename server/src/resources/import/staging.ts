/**
 * What an import has read so far, in a scratch database, whatever engine Bellhop runs on. It keeps memory bounded for
 * any number of lines, finds duplicates and joins references. Secrets come here sealed.
 */
import { readPages } from '../../base/pages.ts';
import type { Changed } from '../record.ts';
import { REFERRED, type StagedKind } from './imported-fields.ts';
import { ScratchDatabase } from './scratch-database.ts';

/** `invalid`: the line has an error. References to it are not reported again. */
export type Action = 'create' | 'change' | 'unchanged' | 'skip' | 'invalid';

/** Grants are staged apart, because they are part of their key. */
export interface StagedRecord {
  line: number;
  kind: StagedKind;
  ref: string;
  /** The id in this environment, once it is known. */
  id: string | null;
  /** The reference to another record. */
  target: string | null;
  /** JSON: what the line gives to the record, and once that is decided, what has to be written. */
  body: string;
  action: Action | null;
  /** 1 if no earlier import had the ref. */
  newRef: number | null;
}

/** With the record of the file that its reference leads to, by its ref or else by its id. */
export interface LinkedRecord extends StagedRecord {
  targetLine: number | null;
  targetId: string | null;
  targetAction: Action | null;
}

export interface StagedGrant {
  line: number;
  keyRef: string;
  endpoint: string;
  /** JSON. */
  body: string;
  /** Its own `approval_reference`. */
  approval: string | null;
}

const TABLES = `
  create table record (
    line integer primary key, kind text not null, ref text not null, id text, target text,
    body text not null, action text, new_ref integer);
  create unique index record_ref on record (kind, ref);
  create unique index record_id on record (kind, id) where id is not null;
  create index record_changed on record (kind, line) where action = 'change';
  create index record_new_ref on record (kind, line) where new_ref = 1;
  create table granted (
    key_ref text not null, endpoint text not null, line integer not null, body text not null,
    approval text, primary key (key_ref, endpoint)) without rowid;
  create table grant_set (id text primary key, grants text not null) without rowid`;

/** Some 10 ms of work, so that webhooks and other requests hardly wait. */
const COMPARED_AT_ONCE = 200;
/** Writing this many takes about 5 ms. */
const WRITTEN_AT_ONCE = 500;
/** Each has its row twice. */
const CHANGED_AT_ONCE = 200;
/** Each has some 6 KB, and every key may have one of its own. */
const SETS_AT_ONCE = 100;

/**
 * `+kind` in the queries by line: with the plain column, SQLite would sort all records of the kind for every page.
 */
export class Staging implements Disposable {
  readonly #db = new ScratchDatabase(TABLES);

  [Symbol.dispose](): void {
    this.#db[Symbol.dispose]();
  }

  /** Returns the line of an earlier record with the same ref or id, if there is one. */
  add(
    { line, kind, ref, id, target, body }: Omit<StagedRecord, 'action' | 'newRef'>,
    action: Action | null = null,
  ): number | undefined {
    const isNew = this.#db.run(
      `insert or ignore into record (line, kind, ref, id, target, body, action)
       values (?, ?, ?, ?, ?, ?, ?)`,
      [line, kind, ref, id, target, body, action],
    );
    if (isNew) return undefined;
    return this.#line(
      `select line from record where kind = ? and ref = ?
       union select line from record where kind = ? and id = ? limit 1`,
      [kind, ref, kind, id],
    );
  }

  /** Returns the line of an earlier grant of the same endpoint to the same key, if there is one. */
  addGrant({ line, keyRef, endpoint, body, approval }: StagedGrant): number | undefined {
    const isNew = this.#db.run('insert or ignore into granted values (?, ?, ?, ?, ?)', [
      keyRef,
      endpoint,
      line,
      body,
      approval,
    ]);
    if (isNew) return undefined;
    const sql = 'select line from granted where key_ref = ? and endpoint = ?';
    return this.#line(sql, [keyRef, endpoint]);
  }

  #line(sql: string, values: (string | null)[]): number | undefined {
    return this.#db.all<{ line: number }>(sql, values)[0]?.line;
  }

  addGrantSet(id: string, grants: string): void {
    this.#db.run('insert or ignore into grant_set values (?, ?)', [id, grants]);
  }

  /** Records of a kind in the order of their lines, a page at a time. */
  pages(kind: StagedKind): AsyncGenerator<readonly LinkedRecord[]> {
    const sql = `
      select r.line, r.kind, r.ref, r.id, r.target, r.body, r.action, r.new_ref as "newRef",
             t.line as "targetLine", t.id as "targetId", t.action as "targetAction"
        from record r
        left join record t on t.line = coalesce(
          (select line from record where kind = ? and ref = r.target),
          (select line from record where kind = ? and id = r.target))
       where +r.kind = ? and r.line > ? order by r.line limit ?`;
    const referred = REFERRED[kind];
    return readPages<LinkedRecord>(COMPARED_AT_ONCE, (last, size) =>
      this.#db.all(sql, [referred, referred, kind, last?.line ?? 0, size]),
    );
  }

  /** What the line of this partner gives to it, if there is one. */
  partnerBody(id: string): string | undefined {
    const sql = `select body from record where kind = 'partner' and id = ?`;
    return this.#db.all<{ body: string }>(sql, [id])[0]?.body;
  }

  /** Those that name the key by its ref, and those that name it by its id. */
  grantsOf({ ref, id }: Pick<StagedRecord, 'ref' | 'id'>): StagedGrant[] {
    const byRef = this.grantsTo(ref);
    if (id === null || id === ref || this.hasKeyOfRef(id)) return byRef;
    return [...byRef, ...this.grantsTo(id)];
  }

  grantsTo(keyRef: string): StagedGrant[] {
    const sql = `
      select line, key_ref as "keyRef", endpoint, body, approval from granted where key_ref = ?`;
    return this.#db.all<StagedGrant>(sql, [keyRef]);
  }

  hasKeyOfRef(ref: string): boolean {
    return (
      this.#line(`select line from record where kind = 'key' and ref = ?`, [ref]) !== undefined
    );
  }

  /** Everything that grants refer to, each once. `isInside`: 1 if a line has this key. */
  grantedKeys(): AsyncGenerator<readonly { ref: string; isInside: number }[]> {
    const sql = `
      select ref, exists (select 1 from record where kind = 'key' and ref = g.ref)
               or exists (select 1 from record where kind = 'key' and id = g.ref) as "isInside"
        from (select key_ref as ref from granted
               where key_ref > ? group by key_ref order by key_ref limit ?) g`;
    return readPages(COMPARED_AT_ONCE, (last, size) => this.#db.all(sql, [last?.ref ?? '', size]));
  }

  /** Adds a record for a known key that gets grants without a line of its own. */
  addKeyOfGrants(keyId: string): void {
    this.#db.run(
      `insert into record (line, kind, ref, id, body)
       select min(line), 'key', key_ref, key_ref, '{}' from granted where key_ref = ? group by key_ref`,
      [keyId],
    );
  }

  /** Returns the line of another record that has this id. */
  setId({ line, kind }: StagedRecord, id: string, isNewRef: boolean): number | undefined {
    const sql = 'update or ignore record set id = ?, new_ref = ? where line = ?';
    if (this.#db.run(sql, [id, Number(isNewRef), line])) return undefined;
    return this.#line('select line from record where kind = ? and id = ?', [kind, id]);
  }

  /** `write` is what the store has to write for this record. */
  decide(line: number, action: Action, write?: object): void {
    const sql = 'update record set action = ?, body = coalesce(?, body) where line = ?';
    this.#db.run(sql, [action, write === undefined ? null : JSON.stringify(write), line]);
  }

  /** The rows of new records, each as JSON. */
  async *created(kind: StagedKind): AsyncGenerator<readonly string[]> {
    for await (const page of this.#decided(kind, `+kind = ? and action = 'create'`)) {
      yield page.map(({ body }) => body);
    }
  }

  /** Few records are changed, and an index has them. */
  async *changed<Row, One = Changed<Row>>(kind: StagedKind): AsyncGenerator<readonly One[]> {
    const pages = this.#decided(kind, `kind = ? and action = 'change'`, CHANGED_AT_ONCE);
    for await (const page of pages) {
      yield page.map(({ body }) => JSON.parse(body));
    }
  }

  /** The refs under which a later import finds these records, unless they are known already, each as JSON. */
  async *newRefs(kind: 'partner' | 'midoffice'): AsyncGenerator<readonly string[]> {
    const kept = `kind = ? and new_ref = 1 and action in ('create', 'change', 'unchanged')`;
    for await (const page of this.#decided(kind, kept)) {
      yield page.map(({ ref, id }) => JSON.stringify({ kind, ref, id }));
    }
  }

  #decided(kind: StagedKind, condition: string, atOnce = WRITTEN_AT_ONCE) {
    const sql = `
      select line, ref, id, body from record where ${condition} and line > ? order by line limit ?`;
    return readPages<StagedRecord>(atOnce, (last, size) =>
      this.#db.all(sql, [kind, last?.line ?? 0, size]),
    );
  }

  /** Grant sets that keys refer to, some of which may exist already: they are named by their contents. */
  async *grantSets(): AsyncGenerator<readonly string[]> {
    const sql = 'select id, grants from grant_set where id > ? order by id limit ?';
    const pages = readPages<{ id: string }>(SETS_AT_ONCE, (last, size) =>
      this.#db.all(sql, [last?.id ?? '', size]),
    );
    for await (const page of pages) yield page.map((set) => JSON.stringify(set));
  }
}
