/**
 * Loaded into nodes by NODE_OPTIONS or --import: shifts the wall clock of this thread by what a variable says at
 * the start and a file later, as if someone had set the machine's clock. The monotonic clock and timers go on, as they do then.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const LOOK_EVERY_MS = 20;

const file = join(process.env.TORTURE_CLOCK_FOLDER ?? '', `clock-${process.pid}`);
const RealDate = Date;
let shiftMs = Number(process.env.TORTURE_CLOCK_SHIFT_MS ?? 0);

globalThis.Date = new Proxy(RealDate, {
  construct(target, args, newTarget) {
    const given = args.length > 0 ? args : [nowMs()];
    return Reflect.construct(target, given, newTarget);
  },
  apply: () => new RealDate(nowMs()).toString(),
  get: (target, name, receiver) => (name === 'now' ? nowMs : Reflect.get(target, name, receiver)),
});

setInterval(() => {
  try {
    shiftMs = Number(readFileSync(file, 'utf8'));
  } catch {
    // It is written when the clock is stepped for the first time.
  }
}, LOOK_EVERY_MS).unref();

function nowMs(): number {
  return RealDate.now() + shiftMs;
}
