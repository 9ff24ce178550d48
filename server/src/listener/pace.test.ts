import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import { watchReader, watchSender } from './pace.ts';

const PACE = { paceBytes: 100, paceMs: 1_000 };

describe('a sender', () => {
  function watched(isHeldUp?: () => boolean) {
    const clock = new ManualClock();
    const request = Object.assign(new EventEmitter(), { complete: false });
    let isTooSlow = false;
    const watch = watchSender(
      request as unknown as IncomingMessage,
      PACE,
      clock,
      () => {
        isTooSlow = true;
      },
      isHeldUp,
    );
    return {
      clock,
      request,
      watch,
      isTooSlow: () => isTooSlow,
      span(bytes: number) {
        request.emit('data', Buffer.alloc(bytes));
        clock.advance(PACE.paceMs);
      },
    };
  }

  test('that brings enough in every span is left alone; earlier bytes do not count', () => {
    const { span, isTooSlow } = watched();
    for (const bytes of [100, 100_000, 100]) span(bytes);
    expect(isTooSlow()).toBe(false);
    span(99);
    expect(isTooSlow()).toBe(true);
  });

  test('that has sent everything, or is no longer watched, is left alone', () => {
    const whole = watched();
    whole.request.complete = true;
    whole.span(0);
    const cancelled = watched();
    cancelled.span(100);
    cancelled.watch.cancel();
    cancelled.span(0);
    expect([whole, cancelled].map(({ isTooSlow }) => isTooSlow())).toEqual([false, false]);
    expect(whole.clock.nextTimerInMs).toBeUndefined();
  });

  test('is left alone while the upstream is not reading', () => {
    let isHeldUp = true;
    const { span, isTooSlow } = watched(() => isHeldUp);
    span(0);
    span(0);
    expect(isTooSlow()).toBe(false);
    isHeldUp = false;
    span(0);
    expect(isTooSlow()).toBe(true);
  });
});

describe('a reader', () => {
  /** Like a socket: `bytesWritten` includes what is still buffered. */
  function watched(waiting: number) {
    const clock = new ManualClock();
    const socket = { bytesWritten: waiting, writableLength: waiting };
    let isTooSlow = false;
    watchReader({ socket } as unknown as ServerResponse, 1_000, clock, () => {
      isTooSlow = true;
    });
    return {
      span(taken: number, added: number) {
        socket.bytesWritten += added;
        socket.writableLength += added - taken;
        clock.advance(1_000);
        return isTooSlow;
      },
    };
  }

  test('that reads what was waiting at the start of each span may lag forever', () => {
    const { span } = watched(300);
    for (let i = 0; i < 10; i++) expect(span(300, 300)).toBe(false);
    expect(span(299, 5_000)).toBe(true);
  });

  test('that reads a byte now and then is too slow', () => {
    expect(watched(300).span(1, 0)).toBe(true);
  });
});
