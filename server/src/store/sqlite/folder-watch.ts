/**
 * Notices when the files of an embedded store are no longer the ones that were opened. A process can keep
 * writing to a deleted file, and loses all of it when it ends. A second process could also start on the
 * same path, because the lock that would stop it was deleted with the folder.
 */
import { stat } from 'node:fs/promises';
import { StorageError } from '../storage-trouble.ts';

const LOOK_EVERY_MS = 2_000;

export class FolderWatch {
  readonly #files: readonly string[];
  readonly #onGone: (error: StorageError) => void;
  #opened: readonly (string | undefined)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #gone: StorageError | undefined;
  #stopped = false;

  private constructor(files: readonly string[], onGone: (error: StorageError) => void) {
    this.#files = files;
    this.#onGone = onGone;
  }

  /** The files must already be open, because an open inode is never reused for another file. */
  static async start(
    files: readonly string[],
    onGone: (error: StorageError) => void,
  ): Promise<FolderWatch> {
    const watch = new FolderWatch(files, onGone);
    watch.#opened = await Promise.all(files.map(identityOf));
    watch.#schedule();
    return watch;
  }

  /** Rejects if a file was deleted, moved or replaced since it was opened. */
  async check(): Promise<void> {
    if (this.#gone) throw this.#gone;
    const found = await Promise.all(this.#files.map(identityOf));
    const at = this.#opened.findIndex((identity, i) => identity && identity !== found[i]);
    // SQLite deletes the log of a database that is closed.
    if (at < 0 || this.#stopped) return;
    const what = found[at] === undefined ? 'is no longer there' : 'is another file than was opened';
    // A concurrent check may have reported it already.
    if (!this.#gone) {
      this.#gone = new StorageError('storage_gone', new Error(`${this.#files[at]} ${what}`));
      this.#onGone(this.#gone);
    }
    throw this.#gone;
  }

  /**
   * For a change: a commit to a deleted file succeeds, so look after it. If the look itself fails, the file counts as
   * present.
   */
  async confirm<T>(change: Promise<T>): Promise<T> {
    const result = await change;
    await this.check().catch((error) => {
      if (error instanceof StorageError) throw error;
    });
    return result;
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.check().then(
        () => this.#schedule(),
        // The disk does not even answer this; the next write will report it.
        () => !this.#gone && this.#schedule(),
      );
    }, LOOK_EVERY_MS);
    this.#timer.unref();
  }
}

/** Undefined if the file does not exist. */
async function identityOf(file: string): Promise<string | undefined> {
  try {
    // As bigints, because some file systems have inode numbers that a double cannot represent.
    const { dev, ino } = await stat(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
