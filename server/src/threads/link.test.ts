import { MessageChannel } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigError } from '../config/config.ts';
import { link } from './link.ts';

interface Theirs {
  double(number: number): number;
  refuse(): void;
  never(): Promise<void>;
}

function linked() {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  link(port2, {
    double: (number: number) => 2 * number,
    refuse() {
      throw new ConfigError('BELLHOP_HOST is not set.');
    },
    never: () => new Promise(() => {}),
  });
  return link<Theirs>(port1, {});
}

test('calls are answered, with a value or an error', async () => {
  const { remote } = linked();
  expect(await remote.double(21)).toBe(42);
  await expect(remote.refuse()).rejects.toThrow(new ConfigError('BELLHOP_HOST is not set.'));
});

test('when the other side is gone, calls that wait for it reject, and so do later ones', async () => {
  const { remote, close } = linked();
  const waiting = [remote.never(), remote.never()];
  close(new Error('It is gone.'));
  for (const call of [...waiting, remote.double(1)]) {
    await expect(call).rejects.toThrow('It is gone.');
  }
});
