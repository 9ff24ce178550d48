import { expect, test } from 'vitest';
import { closeAll, Drains } from './disposal.ts';

test('every closer runs even if others fail, newest first, and every failure is reported', async () => {
  const stack = new AsyncDisposableStack();
  const closed: string[] = [];
  for (const name of ['log', 'store', 'limits']) {
    stack.defer(async () => {
      closed.push(name);
      if (name !== 'store') throw new Error(`${name} failed`);
    });
  }
  const failure = await closeAll(stack).catch((error) => error);
  expect(closed).toEqual(['limits', 'store', 'log']);
  expect(failure).toBeInstanceOf(AggregateError);
  expect(failure.errors).toEqual([new Error('limits failed'), new Error('log failed')]);
  expect(failure.message).toBe('limits failed; log failed');
});

test('drains run in parallel, before earlier resources are closed, even if one fails', async () => {
  const stack = new AsyncDisposableStack();
  const events: string[] = [];
  stack.defer(() => {
    events.push('closed');
  });
  const drains = stack.use(new Drains());
  const second = Promise.withResolvers<void>();
  drains.add(async () => {
    await second.promise;
    events.push('first drained');
    throw new Error('first failed');
  });
  drains.add(async () => {
    events.push('second drained');
    second.resolve();
  });
  drains.add(() => {
    throw new Error('third failed');
  });
  await expect(closeAll(stack)).rejects.toThrow('first failed; third failed');
  expect(events).toEqual(['second drained', 'first drained', 'closed']);
});
