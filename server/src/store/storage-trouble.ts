/**
 * What can be wrong with the disk of a database, distinguished by what people must do about it. The codes
 * are problem codes of the back office. A refused change, readiness and the log use the same sentences.
 */
export const storageTroubles = {
  storage_full:
    'The disk of the database is full, so nothing can be stored; free some space and repeat the request, a restart is not needed.',
  storage_read_only:
    'The database can only be read, so nothing can be stored; make its disk or its PostgreSQL server writable and repeat the request, a restart is not needed.',
  storage_failing:
    'The disk of the database reports errors, so nothing can be stored; check the disk and the log, restart Bellhop if the errors last, and repeat the request.',
  storage_gone:
    'The data folder was deleted, moved or replaced while Bellhop was using it, so nothing can be stored and this process ends; repeat the request once Bellhop runs again.',
  storage_damaged:
    'A file of the database is damaged, so nothing can be stored; stop Bellhop, restore a backup (docs/operating/damaged-database.md), and repeat the request.',
} as const;

export type StorageTrouble = keyof typeof storageTroubles;

export class StorageError extends Error {
  readonly trouble: StorageTrouble;

  constructor(trouble: StorageTrouble, cause?: unknown, message?: string) {
    super(message ?? storageTroubles[trouble], { cause });
    this.trouble = trouble;
  }
}

/** SQLite's primary result codes: the low byte of the extended codes. */
const SQLITE: Record<number, { name: string; trouble: StorageTrouble }> = {
  8: { name: 'SQLITE_READONLY', trouble: 'storage_read_only' },
  10: { name: 'SQLITE_IOERR', trouble: 'storage_failing' },
  11: { name: 'SQLITE_CORRUPT', trouble: 'storage_damaged' },
  13: { name: 'SQLITE_FULL', trouble: 'storage_full' },
  14: { name: 'SQLITE_CANTOPEN', trouble: 'storage_failing' },
  26: { name: 'SQLITE_NOTADB', trouble: 'storage_damaged' },
};
const SQLITE_EXTENDED: typeof SQLITE = {
  1032: { name: 'SQLITE_READONLY_DBMOVED', trouble: 'storage_gone' },
  // The shared-memory file could not grow: SQLite reports this on a full disk.
  4874: { name: 'SQLITE_IOERR_SHMSIZE', trouble: 'storage_full' },
};
/** Error names of the operating system, and PostgreSQL's SQLSTATEs. */
const BY_CODE: Record<string, StorageTrouble> = {
  ENOSPC: 'storage_full',
  EDQUOT: 'storage_full',
  EROFS: 'storage_read_only',
  EIO: 'storage_failing',
  '53100': 'storage_full',
  '25006': 'storage_read_only',
  '58030': 'storage_failing',
};
/** How many causes to follow; a longer chain is a loop. */
const MOST_CAUSES = 8;

/** Undefined if the disk is not the cause. */
export function storageTroubleOf(error: unknown): StorageTrouble | undefined {
  let one = error;
  for (let depth = 0; one instanceof Error && depth < MOST_CAUSES; depth++) {
    const trouble = one instanceof StorageError ? one.trouble : troubleOf(one);
    if (trouble) return trouble;
    one = one.cause;
  }
  return undefined;
}

/** The engine's own name for an error, for the log: `SQLITE_FULL`, `ENOSPC`, `53100`. */
export function storageErrorName(error: unknown): string | undefined {
  let name: string | undefined;
  let one = error;
  for (let depth = 0; one instanceof Error && depth < MOST_CAUSES; depth++) {
    const { code } = one as { code?: unknown };
    name = sqliteError(one)?.name ?? (typeof code === 'string' ? code : name);
    one = one.cause;
  }
  return name;
}

function troubleOf(error: Error): StorageTrouble | undefined {
  const { code } = error as { code?: unknown };
  const found = sqliteError(error);
  if (found) return found.trouble;
  return typeof code === 'string' && Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
}

function sqliteError(error: Error) {
  const { errcode } = error as { errcode?: unknown };
  if (typeof errcode !== 'number') return undefined;
  return SQLITE_EXTENDED[errcode] ?? SQLITE[errcode & 0xff];
}
