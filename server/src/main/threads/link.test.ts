import { MessageChannel } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigError } from '../../base/config/config.ts';
import { link } from './link.ts';

interface Theirs {
  double(number: number): number;
  refuse(): void;
  take(value: unknown): void;
  never(): Promise<void>;
}

/** Not offered by either side. */
interface More extends Theirs {
  unknown(): void;
}

function linked() {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  link<Theirs, object>(port2, {
    double: (number) => 2 * number,
    refuse() {
      throw new ConfigError('The port is taken.', 'busy');
    },
    take() {},
    never: () => new Promise(() => {}),
  });
  return { ...link<object, More>(port1, {}), otherPort: port2 };
}

test('calls are answered, with a value or an error', async () => {
  const { call } = linked();
  expect(await call('double', 21)).toBe(42);
  const refusal = new ConfigError('The port is taken.', 'busy');
  await expect(call('refuse')).rejects.toEqual(refusal);
  await expect(call('refuse')).rejects.toMatchObject({ refusal: 'busy' });
});

test('a call that the other side does not offer rejects', async () => {
  const { call } = linked();
  await expect(call('unknown')).rejects.toThrow('The other thread offers no "unknown".');
});

test('a value that no message can carry rejects only its own call', async () => {
  const { call } = linked();
  await expect(call('take', () => {})).rejects.toThrow('could not be cloned');
  expect(await call('double', 21)).toBe(42);
});

test('once the link is closed, calls in progress reject with the reason, and so do later ones', async () => {
  const { call, close } = linked();
  const waiting = [call('never'), call('never')];
  close(new Error('It is gone.'));
  for (const one of [...waiting, call('double', 1)]) {
    await expect(one).rejects.toThrow('It is gone.');
  }
});

test('when the other side closes its port, calls in progress reject, and so do later ones', async () => {
  const { call, otherPort } = linked();
  const waiting = call('never');
  // The call has arrived: closing earlier would drop it.
  await call('double', 1);
  otherPort.close();
  await expect(waiting).rejects.toThrow('The other thread is gone.');
  await expect(call('double', 1)).rejects.toThrow('The other thread is gone.');
});
