/**
 * Notices that the files of an embedded store are no longer those that were opened. A process goes on
 * writing to a file that was deleted, and all of that is lost when it ends; and a second process can
 * start on the same path, since the lock that would stop it went with the folder.
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

  /** The files must be open by now: an inode that is open is never given to another file. */
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
    if (at < 0) return;
    const what = found[at] === undefined ? 'is no longer there' : 'is another file than was opened';
    // Another check at the same time may have reported it already.
    if (!this.#gone) {
      this.#gone = new StorageError('storage_gone', new Error(`${this.#files[at]} ${what}`));
      this.#onGone(this.#gone);
    }
    throw this.#gone;
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
        // A disk that cannot even be asked; the next write tells.
        () => !this.#gone && this.#schedule(),
      );
    }, LOOK_EVERY_MS);
    this.#timer.unref();
  }
}

/** Undefined if there is no such file. */
async function identityOf(file: string): Promise<string | undefined> {
  try {
    // As bigints: some file systems number their files beyond what a double can tell apart.
    const { dev, ino } = await stat(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
