/** Vitest runs this before every test file; what it imports runs once per process. */
import { afterAll } from 'vitest';
import { giveBack } from '../giving-back.ts';
import './end-worker-with-vitest.ts';

// Before the file's own hooks, so that it runs after them.
afterAll(giveBack);
