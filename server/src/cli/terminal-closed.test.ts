import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { terminalClosed } from './terminal-closed.ts';

function startedWith(terminals: Set<number>) {
  const events = new EventEmitter();
  const state = { closed: false, others: 0 };
  const isTerminal = (descriptor: number) => terminals.has(descriptor);
  void terminalClosed(() => state.others++, { events, isTerminal }).then(() => {
    state.closed = true;
  });
  return async () => {
    events.emit('SIGHUP');
    await undefined;
    return state;
  };
}

test('without a terminal, SIGHUP never stops the server', async () => {
  const hangUp = startedWith(new Set());
  expect(await hangUp()).toEqual({ closed: false, others: 1 });
  expect(await hangUp()).toEqual({ closed: false, others: 2 });
});

test('on a terminal, SIGHUP stops the server only if the terminal was closed', async () => {
  const terminals = new Set([0, 2]);
  const hangUp = startedWith(terminals);
  expect(await hangUp()).toEqual({ closed: false, others: 1 });
  terminals.clear();
  expect(await hangUp()).toEqual({ closed: true, others: 1 });
});
