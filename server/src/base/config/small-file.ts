/** Reads a file that a setting names, however large or odd it is. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

class Unusable extends Error {}

/** Throws if there is nothing in it. `whyUnusable` makes a part of a sentence of every error. */
export function readSmallFile(file: string, mostBytes: number): string {
  // Opening a pipe without a writer would wait forever.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw new Unusable('is not a file');
    const buffer = Buffer.alloc(mostBytes + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size < buffer.length; size += read) {
      read = readSync(descriptor, buffer, size, buffer.length - size, null);
    }
    if (size > mostBytes) throw new Unusable(`is larger than ${mostBytes} bytes`);
    const text = buffer.toString('utf8', 0, size);
    if (text.trim() === '') throw new Unusable('is empty');
    return text;
  } finally {
    closeSync(descriptor);
  }
}

export function whyUnusable(file: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return `${file} ${error instanceof Unusable ? message : `cannot be read (${code})`}`;
}
