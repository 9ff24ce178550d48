/**
 * What an import has read so far, in a scratch database, whatever engine Bellhop runs on. It keeps memory bounded for
 * any number of lines, finds duplicates and joins references. Secrets come here sealed.
 */
import { readPages } from '../../base/pages.ts';
import { ScratchDatabase } from './scratch-database.ts';

/** `invalid`: the line has an error. References to it are not reported again. */
export type Action = 'create' | 'change' | 'unchanged' | 'skip' | 'invalid';
/** Grants are staged apart, because they are part of their key. */
export type StagedKind = 'partner' | 'key' | 'midoffice';

export interface StagedRecord {
  line: number;
  kind: StagedKind;
  ref: string;
  /** The id in this environment, once it is known. */
  id: string | null;
  /** The reference to another record. */
  target: string | null;
  /** JSON. */
  body: string;
  /** Of a key: JSON of its sealed API keys and their digests. Of a midoffice: its headers, sealed. */
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
  /** Its own `approval_reference`. */
  approval: string | null;
}

export interface Reference {
  ref: string;
  /** The ref of the record in the import that it leads to, by its ref or else by its id. */
  inside: string | null;
}

export interface Writes {
  count: number;
  /** An array of rows. */
  json: string;
}

/**
 * `referred` has each distinct reference once, so that the references of any number of lines can be read in pages.
 * Its `inside` is set where a reference names a record of the import by its id, and its `id` where it leads outside.
 */
const TABLES = `
  create table record (
    line integer primary key, kind text not null, ref text not null, id text, target text,
    body text not null, secret text, action text, write text, certified integer, new_ref integer);
  create unique index record_ref on record (kind, ref);
  create unique index record_id on record (kind, id) where id is not null;
  create index record_changed on record (kind, line) where action = 'change';
  create index record_new_ref on record (kind, line) where new_ref = 1;
  create table granted (
    key_ref text not null, endpoint text not null, line integer not null, body text not null,
    approval text, primary key (key_ref, endpoint)) without rowid;
  create table referred (
    kind text not null, ref text not null, inside text, id text, certified integer,
    primary key (kind, ref)) without rowid;
  create table grant_set (id text primary key, grants text not null) without rowid`;

const REFERRED: Record<StagedKind, StagedKind> = {
  key: 'partner',
  midoffice: 'key',
  partner: 'midoffice',
};

/** Some 10 ms of work, so that webhooks and other requests hardly wait. */
const COMPARED_AT_ONCE = 200;
/** Writing this many takes about 5 ms. */
const WRITTEN_AT_ONCE = 500;
/** Each has some 6 KB, and every key may have one of its own. */
const SETS_AT_ONCE = 100;

/**
 * `+kind` in the queries by line: with the plain column, SQLite would sort all records of the kind for every page.
 */
export class Staging implements Disposable {
  readonly #db = new ScratchDatabase(TABLES);
  readonly #lastReferred = new Map<StagedKind, string>();

  [Symbol.dispose](): void {
    this.#db[Symbol.dispose]();
  }

  /** Returns the line of an earlier record with the same ref or id, if there is one. */
  add(record: Omit<StagedRecord, 'action'>, action: Action | null = null): number | undefined {
    const { line, kind, ref, id, target, body, secret } = record;
    const isNew = this.#db.run(
      `insert or ignore into record (line, kind, ref, id, target, body, secret, action)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
      [line, kind, ref, id, target, body, secret, action],
    );
    if (!isNew) return this.#lineOf(kind, ref, id);
    if (target !== null) this.#refer(REFERRED[kind], target);
    return undefined;
  }

  /** Lines that refer to the same record mostly follow each other. */
  #refer(kind: StagedKind, ref: string): void {
    if (this.#lastReferred.get(kind) === ref) return;
    this.#lastReferred.set(kind, ref);
    this.#db.run('insert or ignore into referred (kind, ref) values (?, ?)', [kind, ref]);
  }

  #lineOf(kind: StagedKind, ref: string, id: string | null): number | undefined {
    const sql = `select line from record where kind = ? and ref = ?
                 union select line from record where kind = ? and id = ? limit 1`;
    return this.#db.all<{ line: number }>(sql, [kind, ref, kind, id])[0]?.line;
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
    if (isNew) {
      this.#refer('key', keyRef);
      return undefined;
    }
    const sql = 'select line from granted where key_ref = ? and endpoint = ?';
    return this.#db.all<{ line: number }>(sql, [keyRef, endpoint])[0]?.line;
  }

  addGrantSet(id: string, grants: string): void {
    this.#db.run('insert or ignore into grant_set values (?, ?)', [id, grants]);
  }

  /** Records of a kind in the order of their lines, a page at a time. */
  pages(kind: StagedKind): AsyncGenerator<readonly ResolvedRecord[]> {
    const sql = `
      select r.line, r.kind, r.ref, r.id, r.target, r.body, r.secret, r.action,
             coalesce(t.id, f.id) as "targetId", t.action as "targetAction",
             coalesce(t.certified, f.certified) as "targetCertified"
        from record r
        left join referred f on f.kind = ? and f.ref = r.target
        left join record t on t.kind = ? and t.ref = coalesce(f.inside, r.target)
       where +r.kind = ? and r.line > ? order by r.line limit ?`;
    const referred = REFERRED[kind];
    return readPages<ResolvedRecord>(COMPARED_AT_ONCE, (last, size) =>
      this.#db.all(sql, [referred, referred, kind, last?.line ?? 0, size]),
    );
  }

  grantsOf(keyRef: string): StagedGrant[] {
    const sql = `
      select line, key_ref as "keyRef", endpoint, body, approval from granted where key_ref = ?`;
    return this.#db.all<StagedGrant>(sql, [keyRef]);
  }

  /** Everything that lines refer to as a record of this kind, each once. */
  references(kind: StagedKind): AsyncGenerator<readonly Reference[]> {
    const sql = `
      select f.ref, coalesce(named.ref, identified.ref) as inside
        from referred f
        left join record named on named.kind = ? and named.ref = f.ref
        left join record identified on identified.kind = ? and identified.id = f.ref
       where f.kind = ? and f.ref > ? order by f.ref limit ?`;
    return readPages<Reference>(COMPARED_AT_ONCE, (last, size) =>
      this.#db.all(sql, [kind, kind, kind, last?.ref ?? '', size]),
    );
  }

  /** A reference that names a record of the import by its id. */
  pointInside(kind: StagedKind, ref: string, inside: string): void {
    const sql = 'update referred set inside = ? where kind = ? and ref = ?';
    this.#db.run(sql, [inside, kind, ref]);
  }

  /** A reference to a record that exists here already. */
  pointOutside(kind: StagedKind, ref: string, id: string, isCertified = false): void {
    const sql = 'update referred set id = ?, certified = ? where kind = ? and ref = ?';
    this.#db.run(sql, [id, Number(isCertified), kind, ref]);
  }

  /** Gives the grants of one reference to another, except those that the other has already. */
  moveGrants(from: string, to: string): void {
    this.#db.run('update or ignore granted set key_ref = ? where key_ref = ?', [to, from]);
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
  setId({ line, kind }: StagedRecord, id: string, known: Known): number | undefined {
    const isSet = this.#db.run(
      'update or ignore record set id = ?, certified = ?, new_ref = ? where line = ?',
      [id, Number(known.isCertified), Number(known.isNewRef), line],
    );
    if (isSet) return undefined;
    const sql = 'select line from record where kind = ? and id = ?';
    return this.#db.all<{ line: number }>(sql, [kind, id])[0]?.line;
  }

  /** `write` is what the store has to write for this record. */
  decide(line: number, action: Action, write?: object): void {
    const json = write === undefined ? null : JSON.stringify(write);
    this.#db.run('update record set action = ?, write = ? where line = ?', [action, json, line]);
  }

  /** What has to be written, each page as a JSON array. */
  async *writes(kind: StagedKind, action: 'create' | 'change'): AsyncGenerator<Writes> {
    // Few records are changed, and an index has them. Nearly all are created.
    const of =
      action === 'change' ? `kind = ? and action = 'change'` : `+kind = ? and action = 'create'`;
    const sql = `select line, write from record where ${of} and line > ? order by line limit ?`;
    const pages = readPages<{ line: number; write: string }>(WRITTEN_AT_ONCE, (last, size) =>
      this.#db.all(sql, [kind, last?.line ?? 0, size]),
    );
    for await (const rows of pages) {
      yield { count: rows.length, json: `[${rows.map(({ write }) => write).join(',')}]` };
    }
  }

  /** The refs under which a later import finds these records, unless they are known already. */
  async *newRefs(kind: 'partner' | 'midoffice'): AsyncGenerator<Writes> {
    const sql = `select line, ref, id from record
                  where kind = ? and new_ref = 1 and action in ${KEPT} and line > ?
                  order by line limit ?`;
    const pages = readPages<{ line: number; ref: string; id: string }>(
      WRITTEN_AT_ONCE,
      (last, size) => this.#db.all(sql, [kind, last?.line ?? 0, size]),
    );
    for await (const rows of pages) {
      const refs = rows.map(({ ref, id }) => ({ kind, ref, id }));
      yield { count: rows.length, json: JSON.stringify(refs) };
    }
  }

  get hasNewRefs(): boolean {
    const sql = `select 1 from record where new_ref = 1 and action in ${KEPT} limit 1`;
    return this.#db.all(sql, []).length > 0;
  }

  /** Grant sets that keys refer to, some of which may exist already: they are named by their contents. */
  async *grantSets(): AsyncGenerator<Writes> {
    const sql = 'select id, grants from grant_set where id > ? order by id limit ?';
    const pages = readPages<{ id: string; grants: string }>(SETS_AT_ONCE, (last, size) =>
      this.#db.all(sql, [last?.id ?? '', size]),
    );
    for await (const rows of pages) yield { count: rows.length, json: JSON.stringify(rows) };
  }
}

/** What is known of a record when it gets its id. */
interface Known {
  isCertified: boolean;
  /** Its ref was not imported before. */
  isNewRef: boolean;
}

const KEPT = `('create', 'change', 'unchanged')`;
