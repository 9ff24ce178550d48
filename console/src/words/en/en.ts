/** English. */
import { durations } from './durations.ts';
import { parts } from './parts.tsx';
import { records } from './records.tsx';

export const en = { durations, ...parts, ...records };
