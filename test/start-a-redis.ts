/** A process that ends-with-its-run.test.ts ends: it starts a Redis, reports where it is, and waits. */
import { chmodSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedisServer } from '../kit/redis.ts';

// Created for its owner only, but the server may run as another user.
chmodSync(tmpdir(), 0o755);
const { pid } = await startRedisServer();
process.send?.({ pid, folders: readdirSync(tmpdir()).map((name) => join(tmpdir(), name)) });
