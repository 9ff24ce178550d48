/**
 * Failed sign-ins, counted for all nodes. A failure is counted when it has happened, and one beyond the limit is not
 * told to whoever tried, so all nodes together tell no more of them than one node would. Sign-ins that succeed do not
 * ask: at its next beat, every node hears which addresses are held back.
 */
import type { FailureRule } from '../limiter.ts';
import type { RedisLink } from './link.ts';
import { notRedis } from './protocol.ts';
import { NOW, script } from './scripts.ts';

/** Of more, those whose last failure is the longest ago are forgotten: about 35 MB. */
const MOST_ADDRESSES = 100_000;
/** Those that nothing counts any more are forgotten by so many with each failure. */
const FORGOTTEN_AT_ONCE = 10;
const HEARD_AT_ONCE = 500;

/**
 * KEYS: failures by address, addresses by their last failure, addresses by the time since which they are held back.
 * ARGV: the address, the most failures, the span in microseconds. Returns whether this one was counted, and
 * microseconds until the next one can be, if none can now.
 */
export const FAIL = script(`${NOW}
local failed, last, held = KEYS[1], KEYS[2], KEYS[3]
local address, most, span = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local before, times, oldest, count = redis.call('HGET', failed, address) or '', '', now, 0
for at = 1, #before, 8 do
  local time = struct.unpack('>d', before, at)
  if time + span > now then
    if count == 0 then oldest = time end
    times, count = times .. struct.pack('>d', time), count + 1
  end
end
if count >= most then return { 0, oldest + span - now } end

redis.call('HSET', failed, address, times .. struct.pack('>d', now))
redis.call('ZADD', last, now, address)
if count + 1 == most then redis.call('ZADD', held, now, address) end
local old = redis.call('ZRANGEBYSCORE', last, '-inf', string.format('%.0f', now - span),
  'LIMIT', 0, ${FORGOTTEN_AT_ONCE})
if redis.call('ZCARD', last) > ${MOST_ADDRESSES} then old[#old + 1] = redis.call('ZRANGE', last, 0, 0)[1] end
for _, one in ipairs(old) do
  redis.call('HDEL', failed, one)
  redis.call('ZREM', last, one)
  redis.call('ZREM', held, one)
end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, math.ceil(span / 1000)) end
return { 1, count + 1 == most and oldest + span - now or 0 }
`);

/**
 * KEYS: failures by address, addresses by the time since which they are held back. ARGV: the time up to which the node
 * has heard, the span in microseconds. Returns the time up to which it has now, then in turns an address and the
 * microseconds until it is free.
 */
export const HEAR_HELD = script(`${NOW}
local since, span = tonumber(ARGV[1]), tonumber(ARGV[2])
if since > now then since = 0 end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now - span))
local found = redis.call('ZRANGEBYSCORE', KEYS[2], string.format('(%.0f', since), '+inf', 'WITHSCORES',
  'LIMIT', 0, ${HEARD_AT_ONCE})
local reply = { string.format('%.0f', found[#found] or since) }
for i = 1, #found, 2 do
  local times = redis.call('HGET', KEYS[1], found[i])
  if times then
    reply[#reply + 1], reply[#reply + 2] = found[i], struct.unpack('>d', times) + span - now
  end
end
return reply
`);

export class RedisFailures {
  #link: RedisLink;
  #prefix: string;
  #rule: FailureRule | undefined;
  #since = '0';

  constructor(link: RedisLink, prefix: string) {
    this.#link = link;
    this.#prefix = prefix;
  }

  /** What is heard from now on goes there. */
  follow(rule: FailureRule): void {
    this.#rule = rule;
  }

  async count(address: string, { failures, spanMs }: FailureRule) {
    const keys = [this.#key('failed'), this.#key('failed-last'), this.#key('held')];
    const args = [address, String(failures), String(spanMs * 1_000)];
    const [isCounted, freesInUs] = listIn(await this.#link.run(FAIL, keys, args), this.#link);
    return { isCounted: isCounted === 1, freesInMs: Number(freesInUs) / 1_000 };
  }

  async hear(): Promise<void> {
    const rule = this.#rule;
    if (!rule) return;
    for (;;) {
      const keys = [this.#key('failed'), this.#key('held')];
      const args = [this.#since, String(rule.spanMs * 1_000)];
      const [since, ...held] = listIn(await this.#link.run(HEAR_HELD, keys, args), this.#link);
      this.#since = String(since ?? '0');
      for (let i = 0; i + 1 < held.length; i += 2) {
        rule.onHeld(String(held[i]), Number(held[i + 1]) / 1_000);
      }
      if (held.length < 2 * HEARD_AT_ONCE) return;
    }
  }

  #key(name: string): string {
    return `${this.#prefix}:${name}`;
  }
}

function listIn(reply: unknown, link: RedisLink): unknown[] {
  if (!Array.isArray(reply)) throw link.giveUp(notRedis());
  return reply;
}
