/**
 * How a node hears of windows that others fill and that nobody asks it about: each time that a window was filled by
 * another quarter, Redis notes when, and every node reads at its beats what was noted since. If Redis is lost, no node
 * takes such a window for empty. Keys that use less than a quarter of their limits cost nothing.
 */
import type { RedisLink } from './link.ts';
import { notRedis } from './protocol.ts';
import { HEAD_BYTES, ID_LENGTH, NOW, script } from './scripts.ts';
import { toldKey, type UsedWindow, windowIn } from './windows.ts';

/** More than one `ADMIT` can tell, because all that it tells has the same time. */
const MOST_AT_ONCE = 500;
/** Of more, those that were told first are forgotten: about 12 MB. */
const MOST_TOLD = 100_000;
const KEPT_MS = 24 * 3_600_000;
/** So many are looked at each time, at random, whether Redis still has the window. */
const LOOKED_AT = 5;

/**
 * KEYS: the windows that were told. ARGV: the time up to which the node has heard. Returns the time up to which it has
 * now, and for each window its key, how many it counts, its requests and its span in microseconds.
 */
export const HEAR = script(`${NOW}
local told, since = KEYS[1], tonumber(ARGV[1])
-- After a failover, the clock may be behind the one that the node has heard of.
if since > now then since = 0 end
local found = redis.call('ZRANGEBYSCORE', told, string.format('%.0f', since), '+inf', 'WITHSCORES',
  'LIMIT', 0, ${MOST_AT_ONCE})
local reply = { string.format('%.0f', found[#found] or since) }
for i = 1, #found, 2 do
  local head = redis.call('GETRANGE', found[i], 0, ${HEAD_BYTES - 1})
  if head == '' then
    redis.call('ZREM', told, found[i])
  else
    local _, requests, span = struct.unpack('>c${ID_LENGTH}dd', head)
    reply[#reply + 1], reply[#reply + 2] = found[i], (struct.unpack('>d', head, ${ID_LENGTH + 8 * 8 + 1}))
    reply[#reply + 1], reply[#reply + 2] = requests, span
  end
end
for _, key in ipairs(redis.call('ZRANDMEMBER', told, ${LOOKED_AT})) do
  if redis.call('EXISTS', key) == 0 then redis.call('ZREM', told, key) end
end
redis.call('ZREMRANGEBYRANK', told, 0, -${MOST_TOLD + 1})
if #found > 0 then redis.call('PEXPIRE', told, ${KEPT_MS}) end
return reply
`);

export class ToldWindows {
  #link: RedisLink;
  #prefix: string;
  #since = '0';

  constructor(link: RedisLink, prefix: string) {
    this.#link = link;
    this.#prefix = prefix;
  }

  /** Another Redis may answer from here on, and its clock may be another one. */
  startAgain(): void {
    this.#since = '0';
  }

  async hear(): Promise<UsedWindow[]> {
    const windows: UsedWindow[] = [];
    for (;;) {
      const reply = await this.#link.run(HEAR, [toldKey(this.#prefix)], [this.#since]);
      if (!Array.isArray(reply)) throw this.#link.giveUp(notRedis());
      const [since = '0', ...fields] = reply;
      this.#since = String(since);
      for (let i = 0; i + 3 < fields.length; i += 4) {
        const [counted, requests, spanUs] = fields.slice(i + 1, i + 4).map(Number) as [
          number,
          number,
          number,
        ];
        const window = { requests, seconds: spanUs / 1_000_000 };
        windows.push({ ...windowIn(this.#prefix, String(fields[i])), window, counted });
      }
      if (fields.length < 4 * MOST_AT_ONCE) return windows;
    }
  }
}
