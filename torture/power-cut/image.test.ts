import { expect, test } from 'vitest';
import { Random } from '../random.ts';
import { imageAt } from './image.ts';
import { parseRecording } from './recording.ts';

const FILE = '/d/some.db-wal';
const hex = (text: string) =>
  [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
const named = `7<${hex(FILE)}>`;
const write = (text: string, offset: number) =>
  `pwrite64(${named}, "${hex(text)}", ${text.length}, ${offset}`;

async function contentAt(lines: string[], at: number, luck: number): Promise<string | undefined> {
  const recording = await parseRecording(
    lines.map((line, i) => `${line.replace(' ', ` ${i}.5 `)}`),
  );
  return imageAt(recording, { at, luck }, new Random('any')).files.get(FILE)?.toString();
}

test('what a sync confirmed survives; of the rest as much as luck allows', async () => {
  const lines = [
    `1 ${write('aaaa', 0)}) = 4`,
    `1 fdatasync(${named}) = 0`,
    `1 ${write('bbbb', 4)}) = 4`,
  ];
  expect(await contentAt(lines, 0, 0)).toBe('');
  expect(await contentAt(lines, 1, 0)).toBe('aaaa');
  expect(await contentAt(lines, 2, 0)).toBe('aaaa');
});

test('a sync confirms nothing before it has ended, and no write that began after it', async () => {
  const lines = [
    `1 ${write('aaaa', 0)}) = 4`,
    `2 fdatasync(${named} <unfinished ...>`,
    `1 ${write('bbbb', 4)}) = 4`,
    '2 <... fdatasync resumed>) = 0',
    '1 +++ exited with 0 +++',
  ];
  expect(await contentAt(lines, 2, 0)).toBe('');
  expect(await contentAt(lines, 3, 0)).toBe('aaaa');
  expect(await contentAt(lines, 4, 0)).toBe('aaaa');
});

test('a write that had not ended when the sync began is not confirmed by it', async () => {
  const lines = [
    `1 ${write('aaaa', 0)} <unfinished ...>`,
    `2 fdatasync(${named} <unfinished ...>`,
    '1 <... pwrite64 resumed>) = 4',
    '2 <... fdatasync resumed>) = 0',
  ];
  expect(await contentAt(lines, 3, 0)).toBe('');
});

test('a sync that failed confirms nothing', async () => {
  const lines = [
    `1 ${write('aaaa', 0)}) = 4`,
    `1 fdatasync(${named}) = -1 EIO (Input/output error)`,
  ];
  expect(await contentAt(lines, 1, 0)).toBe('');
});

test('a torn write keeps whole sectors of the disk', async () => {
  const bytes = 'x'.repeat(4_096);
  const lines = [`1 ${write(bytes, 24)}) = 4096`];
  const recording = await parseRecording([lines[0]?.replace(' ', ' 1.5 ') as string]);
  const seen = new Set<number>();
  for (let i = 0; i < 50; i++) {
    const image = imageAt(recording, { at: 0, luck: 1 }, new Random(`seed ${i}`)).files.get(FILE);
    const content = image ?? Buffer.alloc(0);
    // Between two changes from lost to kept there is a whole number of sectors.
    for (let at = 1; at < content.length; at++) {
      if (content[at] !== content[at - 1] && at !== 24) expect(at % 512).toBe(0);
    }
    seen.add(content.filter((byte) => byte !== 0).length);
  }
  expect(seen.size).toBeGreaterThan(5);
});

test('a file is cut, and grows again with zeros', async () => {
  const lines = [
    `1 ${write('abcd', 0)}) = 4`,
    `1 ftruncate(${named}, 2) = 0`,
    `1 ${write('z', 3)}) = 1`,
    `1 fsync(${named}) = 0`,
  ];
  expect(await contentAt(lines, 3, 0)).toBe('ab\0z');
});
