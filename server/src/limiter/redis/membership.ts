import { randomBytes } from 'node:crypto';
import type { LoneNode } from '../limiter.ts';
import type { RedisLink } from './link.ts';
import { notRedis } from './protocol.ts';
import { NOW, script } from './scripts.ts';
import { nodesKey } from './windows.ts';

/** A node whose last beat is older is not waited for when Redis has lost everything. */
const PEER_ABSENT_MS = 2_000;
/** How long a Redis that has lost everything waits for the nodes that were there before. */
const PEER_WAIT_MS = 1_000;
/** So often a node says that it is there, and finds out that Redis has fenced it off. */
export const BEAT_EVERY_MS = 100;
/**
 * It waits this long in any case: for nodes that the others have not heard of yet, because they came
 * since the others' last beat, and that find out at their own next beat.
 */
const UNKNOWN_PEER_WAIT_MS = 2.5 * BEAT_EVERY_MS;
/** A node that Redis no longer knows merges everything again, which does no harm. */
const NODE_KEPT_MS = 10 * 60_000;
const NODES_KEPT_MS = 24 * 3_600_000;
/** First in the name of a node that does not admit. */
const LOOKS_ONLY = '~';

/** KEYS: the nodes. ARGV: the node. Returns the nodes that are there besides; nil if it is not. */
const BEAT = script(`${NOW}
local nodes, node = KEYS[1], ARGV[1]
if redis.call('HEXISTS', nodes, node) == 0 then return false end
redis.call('HSET', nodes, node, string.format('%.0f', now))
redis.call('PEXPIRE', nodes, ${NODES_KEPT_MS})
local fields, peers = redis.call('HGETALL', nodes), {}
for i = 1, #fields, 2 do
  local other, absent = fields[i], now - (tonumber(fields[i + 1]) or now)
  if string.sub(other, 1, 1) ~= '#' and other ~= node then
    if absent > ${NODE_KEPT_MS * 1_000} then redis.call('HDEL', nodes, other)
    elseif absent < ${PEER_ABSENT_MS * 1_000} then peers[#peers + 1] = other end
  end
end
return peers
`);

/**
 * KEYS: the nodes, those that want to be. ARGV: the node, Redis's run, a new epoch, how many milliseconds
 * it has asked for, the nodes that this one knows. Returns the epoch that the node is part of now; nil while
 * others are waited for.
 */
const JOIN = script(`${NOW}
local nodes, joining, node, run, epoch = KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[3]
now = string.format('%.0f', now)
local known = redis.call('HGET', nodes, '#run')
-- A node that may not ask for the run takes any for its own, and the others take it in.
if known and (known == run or known == '' or run == '') then
  -- If others were cut off too, they have admissions that Redis lacks. A beat does not mean much at first: a
  -- Redis that hung finds old ones in its sockets.
  local asked_for = tonumber(ARGV[4])
  local function is_recent(key, field)
    local seen = redis.call('HGET', key, field)
    return seen and now - seen < ${UNKNOWN_PEER_WAIT_MS * 1_000}
  end
  redis.call('HSET', joining, 'back ' .. node, now)
  redis.call('PEXPIRE', joining, ${NODE_KEPT_MS})
  for i = 5, asked_for < ${PEER_WAIT_MS} and #ARGV or 0 do
    local other = ARGV[i]
    local is_back = is_recent(joining, 'back ' .. other)
    local was_there = asked_for > ${UNKNOWN_PEER_WAIT_MS} and is_recent(nodes, other)
    if not is_back and not was_there and redis.call('HEXISTS', nodes, other) == 1 then return false end
  end
  redis.call('HSET', nodes, node, now)
  return redis.call('HGET', nodes, '#epoch')
end

-- It does not begin anew either if others have begun: it and they would do so in turns, for ever.
local joined_run = redis.call('HGET', joining, '#run')
if not joined_run or (run ~= '' and joined_run ~= run) then
  joined_run = run
  redis.call('DEL', joining)
  redis.call('HSET', joining, '#run', run, '#since', now)
  redis.call('PEXPIRE', joining, ${NODE_KEPT_MS})
end
redis.call('HSET', joining, node, 'here')
for i = 5, #ARGV do redis.call('HSETNX', joining, ARGV[i], 'awaited') end
local fields, here, awaited = redis.call('HGETALL', joining), {}, false
for i = 1, #fields, 2 do
  if fields[i + 1] == 'here' then here[#here + 1] = fields[i] end
  if fields[i + 1] == 'awaited' then awaited = true end
end
local waited = now - redis.call('HGET', joining, '#since')
if waited < ${UNKNOWN_PEER_WAIT_MS * 1_000} then return false end
if awaited and waited < ${PEER_WAIT_MS * 1_000} then return false end

redis.call('DEL', nodes, joining)
redis.call('HSET', nodes, '#run', joined_run, '#epoch', epoch)
for _, other in ipairs(here) do redis.call('HSET', nodes, other, now) end
redis.call('PEXPIRE', nodes, ${NODES_KEPT_MS})
return epoch
`);

/**
 * Which nodes Redis knows. It decides for a node only while that is one of them, and fences all others
 * off: a node joins only after it has merged all that it admitted. When Redis has lost everything, so
 * that it knows no node, it begins a new epoch, and not before every node that was there a moment ago
 * has merged: what one node admitted must not be admitted again by another.
 */
export class RedisMembership {
  readonly node: string;
  readonly admits: boolean;
  #link: RedisLink;
  #nodes: string;
  #joining: string;
  #peers: string[] = [];
  #hasBeaten = false;

  /** A node that does not admit only looks, and has no share of what is left when Redis is lost. */
  constructor(link: RedisLink, prefix: string, admits: boolean) {
    this.admits = admits;
    this.node = (admits ? '' : LOOKS_ONLY) + randomBytes(5).toString('base64url');
    this.#link = link;
    this.#nodes = nodesKey(prefix);
    this.#joining = `${prefix}:joining`;
  }

  /** What a Redis of this run remembers: its epoch, and whether this node is part of it. */
  async look(run: string): Promise<{ epoch?: string; isMember: boolean }> {
    const fields = ['#run', '#epoch', this.node];
    const reply = await this.#link.send(['HMGET', this.#nodes, ...fields]);
    const [knownRun, epoch, seen] = this.#listIn(reply);
    // Restarted from a copy, it may have lost what came after the copy was made.
    if (run === '' || knownRun !== run || typeof epoch !== 'string') return { isMember: false };
    return { epoch, isMember: seen !== null };
  }

  /** Resolves to the epoch, or to nothing while other nodes are waited for: ask again soon. */
  async join(run: string, askedForMs: number): Promise<string | undefined> {
    const newEpoch = randomBytes(4).toString('base64url');
    const args = [this.node, run, newEpoch, String(Math.floor(askedForMs)), ...this.#peers];
    const epoch = await this.#link.run(JOIN, [this.#nodes, this.#joining], args);
    if (epoch === null) return undefined;
    if (typeof epoch !== 'string') throw this.#link.giveUp(notRedis());
    return epoch;
  }

  /** Says that this node is there; whether Redis still knows it. */
  async beat(): Promise<boolean> {
    const peers = await this.#link.run(BEAT, [this.#nodes], [this.node]);
    if (peers === null) return false;
    this.#peers = this.#listIn(peers).map(String);
    this.#hasBeaten = true;
    return true;
  }

  /**
   * How many nodes admitted when this one last heard of the others, and which of them it is. Redis does not know of those
   * that have lost it. A node that never reached it is one more than those know of.
   */
  share(alone: readonly LoneNode[]): { nodes: number; rank: number } {
    if (!this.#hasBeaten) {
      const known = Math.max(0, alone.length, ...alone.map(({ nodes }) => nodes));
      return { nodes: known + 1, rank: known };
    }
    const all = new Set([this.node, ...this.#peers, ...alone.map(({ name }) => name)]);
    const names = [...all].filter((name) => !name.startsWith(LOOKS_ONLY)).sort();
    return { nodes: Math.max(names.length, 1), rank: Math.max(names.indexOf(this.node), 0) };
  }

  /** Nobody has to wait for this node any more. */
  async leave(): Promise<void> {
    await this.#link.send(['HDEL', this.#nodes, this.node]);
  }

  #listIn(reply: unknown): unknown[] {
    if (!Array.isArray(reply)) throw this.#link.giveUp(notRedis());
    return reply;
  }
}
