import { expect, test } from 'vitest';
import { sharingReads } from './sharing-reads.ts';

interface Started {
  key: string;
  answer: PromiseWithResolvers<string>;
}

function readsByHand() {
  const started: Started[] = [];
  const find = sharingReads((key: string) => {
    const answer = Promise.withResolvers<string>();
    started.push({ key, answer });
    return answer.promise;
  });
  const end = (at: number, result: string) => started[at]?.answer.resolve(result);
  return { started, find, end };
}

test('those who ask during a read share the next one, never the one that began before them', async () => {
  const { started, find, end } = readsByHand();
  const first = find('a');
  const during = [find('a'), find('a'), find('a')];
  expect(started).toHaveLength(1);
  end(0, 'before the change');
  expect(await first).toBe('before the change');
  expect(started).toHaveLength(2);
  end(1, 'after the change');
  expect(await Promise.all(during)).toEqual(Array(3).fill('after the change'));
});

test('other keys do not wait', () => {
  const { started, find } = readsByHand();
  find('a');
  find('b');
  expect(started.map(({ key }) => key)).toEqual(['a', 'b']);
});

test('a failed read fails those who shared it, and the next is tried all the same', async () => {
  const { started, find, end } = readsByHand();
  const first = find('a');
  const second = find('a');
  started[0]?.answer.reject(new Error('PostgreSQL is away'));
  await expect(first).rejects.toThrow('PostgreSQL is away');
  end(1, 'found');
  expect(await second).toBe('found');
});

test('each one who asks after the end of a read gets a new one', async () => {
  const { started, find, end } = readsByHand();
  const first = find('a');
  end(0, 'one');
  await first;
  const second = find('a');
  end(1, 'two');
  expect(await second).toBe('two');
  const third = find('a');
  const fourth = find('a');
  end(2, 'three');
  expect(await third).toBe('three');
  end(3, 'four');
  expect(await fourth).toBe('four');
  expect(started).toHaveLength(4);
});
