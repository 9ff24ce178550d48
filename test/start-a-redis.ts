/** A process for ends-with-its-run.test.ts to end: starts a Redis, tells where, and then waits. */
import { chmodSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedisServer } from './provide/redis.ts';

// Made for its owner alone, but the server may run as someone else.
chmodSync(tmpdir(), 0o755);
const { pid } = await startRedisServer();
process.send?.({ pid, folders: readdirSync(tmpdir()).map((name) => join(tmpdir(), name)) });
