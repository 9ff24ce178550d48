/** The faults that `npm run torture -- --fault NAME` knows. */
import { clockAhead, clockBehind } from './clock-faults.ts';
import { diskFull } from './disk-full.ts';
import { nodeFrozen, nodeKilled, nodeWithoutPostgres, nodeWithoutRedis } from './node-faults.ts';
import {
  postgresFailover,
  postgresKilled,
  postgresReadOnly,
  postgresReplicaPromoted,
  postgresRestarted,
  postgresSlow,
} from './postgres-faults.ts';
import {
  clusterPrimaryKilled,
  clusterSlotMoved,
  redisEmpty,
  redisFailover,
  redisKilled,
  redisPaused,
  sentinelFailover,
} from './redis-faults.ts';
import { rollingRestart, rollingUpgrade } from './rolling-faults.ts';
import type { SingleFault } from './single-fault.ts';

export const singleFaults = {
  'node-killed': nodeKilled,
  'node-frozen': nodeFrozen,
  'node-without-postgres': nodeWithoutPostgres,
  'node-without-redis': nodeWithoutRedis,
  'clock-ahead': clockAhead,
  'clock-behind': clockBehind,
  'redis-killed': redisKilled,
  'redis-empty': redisEmpty,
  'redis-paused': redisPaused,
  'redis-failover': redisFailover,
  'redis-sentinel-failover': sentinelFailover,
  'redis-cluster-failover': clusterPrimaryKilled,
  'redis-cluster-slot-moved': clusterSlotMoved,
  'postgres-restarted': postgresRestarted,
  'postgres-killed': postgresKilled,
  'postgres-failover': postgresFailover,
  'postgres-replica-promoted': postgresReplicaPromoted,
  'postgres-read-only': postgresReadOnly,
  'postgres-slow': postgresSlow,
  'postgres-disk-full': diskFull,
  'rolling-restart': rollingRestart,
  'rolling-upgrade': rollingUpgrade,
} satisfies Record<string, SingleFault>;

export type SingleFaultName = keyof typeof singleFaults;
