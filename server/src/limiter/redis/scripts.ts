/**
 * What runs inside Redis. A window is one string: a head of fixed size, then a ring of slots, one for
 * each admission. A slot holds the instant in microseconds on Redis's clock and an id that the
 * admitting node chose. The id makes merging a union: an admission whose reply was lost, or which is
 * sent again after an outage, still counts once.
 *
 * The head knows how many admissions are inside the window in force and when the oldest of those was,
 * so a check reads the head, writes one slot and writes the head, whatever the window's size. Only
 * when the oldest has left the window does it read more slots, a few at a time.
 *
 * The generation in the head is new with each ring: a node that knows another one knows that Redis has
 * lost admissions. The rules for a window that is changed are those of `Ring`.
 */
import { createHash } from 'node:crypto';
import { TOLD_PARTS } from './lone-window.ts';

export interface Script {
  source: string;
  sha: string;
}

export function script(source: string): Script {
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

export const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]`;

/** Characters of an id or a generation in Redis; shorter ones are padded with spaces. */
export const ID_LENGTH = 24;

export const HEAD_BYTES = ID_LENGTH + 12 * 8;
export const SLOT_BYTES = 8 + ID_LENGTH;
const SMALLEST_CAPACITY = 4;
/** Slots read in one go when the oldest have left the window. */
const CHUNK = 16;
/** A busy ring is kept a little longer than needed, so that not every admission sets its expiry. */
const BUSY = 32;
const SPARE_SHARE = 1 / 16;

/** First in an answer about a window: Redis has lost it. */
export const WINDOW_LOST = -1;
/** The whole answer: the node is fenced off, because Redis has lost what it knew of it. */
export const NODE_FENCED = -2;

/** `offset` counts from the newest slot, which is 0. */
export const RINGS = `
local HEAD, SLOT = '>c${ID_LENGTH}dddddddddddd', '>dc${ID_LENGTH}'
local call, unpacked, packed, max, min = redis.call, struct.unpack, struct.pack, math.max, math.min
local function at(key, capacity, newest, offset)
  local slot = ${HEAD_BYTES} + (newest - offset) % capacity * ${SLOT_BYTES}
  return (unpacked('>d', call('GETRANGE', key, slot, slot + 7)))
end
-- How many of the newest \`size\` are inside, and when the oldest of those was.
local function count(key, capacity, newest, size, span, now)
  local inside, outside, oldest_at = 0, size, 0
  while inside < outside do
    local middle = math.floor((inside + outside) / 2)
    local middle_at = at(key, capacity, newest, middle)
    if middle_at + span > now then inside, oldest_at = middle + 1, middle_at else outside = middle end
  end
  return inside, oldest_at
end
-- The same, knowing that the oldest of \`size\` is outside: mostly few have left with it.
local function leave(key, capacity, newest, size, span, now)
  local first = (newest - size + 1) % capacity
  local slots = min(${CHUNK}, size, capacity - first)
  local from = ${HEAD_BYTES} + first * ${SLOT_BYTES}
  local chunk = call('GETRANGE', key, from, from + slots * ${SLOT_BYTES} - 1)
  for slot = 1, slots - 1 do
    local slot_at = unpacked('>d', chunk, slot * ${SLOT_BYTES} + 1)
    if slot_at + span > now then return size - slot, slot_at end
  end
  return count(key, capacity, newest, size - slots, span, now)
end
-- All slots, oldest first, as one string.
local function slots_of(key, capacity, newest, size)
  local first = (newest - size + 1) % capacity
  local from, to = ${HEAD_BYTES} + first * ${SLOT_BYTES}, ${HEAD_BYTES} + (newest + 1) * ${SLOT_BYTES} - 1
  if first + size <= capacity then return call('GETRANGE', key, from, to) end
  local wrapped = call('GETRANGE', key, from, ${HEAD_BYTES} + capacity * ${SLOT_BYTES} - 1)
  return wrapped .. call('GETRANGE', key, ${HEAD_BYTES}, to)
end
-- A window of before is kept until it can't come back unnoticed, several as one that covers them.
local function cover(past_requests, past_span, past_until, requests, span, until_then)
  return max(past_requests, requests), max(past_span, span), max(past_until, until_then)
end`;

/**
 * KEYS: the nodes, the windows that were told, then windows. ARGV: the node; then for each window its requests, its span in
 * microseconds, the generation that the node knows (empty: none), how many of its requests nodes without Redis may
 * admit by themselves, the number of checks, and for each check the admission's id (empty: only look). Returns for each window its generation, and for each
 * check admitted (0 or 1), remaining, and microseconds until the reset. A window is told (`HEAR`) each
 * time that it was filled by another part, so that nodes which nobody asks about it hear of it.
 */
export const ADMIT = script(`${RINGS}
local time = call('TIME')
local clock = time[1] * 1000000 + time[2]
if call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return { ${NODE_FENCED} } end
local reply, replies, arg = {}, 0, 2
for k = 3, #KEYS do
  local key, known = KEYS[k], ARGV[arg + 2]
  local requests, span, checks = tonumber(ARGV[arg]), tonumber(ARGV[arg + 1]), tonumber(ARGV[arg + 4])
  local open = requests - tonumber(ARGV[arg + 3])
  local generation, used_requests, used_span = '', requests, span
  local past_requests, past_span, past_until = 0, 0, 0
  local capacity, newest, size, inside, oldest_at, newest_at, kept_until = 0, -1, 0, 0, 0, 0, 0
  local head = call('GETRANGE', key, 0, ${HEAD_BYTES - 1})
  if head ~= '' then
    generation, used_requests, used_span, past_requests, past_span, past_until, capacity, newest, size,
      inside, oldest_at, newest_at, kept_until = unpacked(HEAD, head)
  end
  if known ~= '' and known ~= generation then
    reply[replies + 1] = ${WINDOW_LOST}
    replies = replies + 1
  else
    -- The server's clock may be set back; a window's must not.
    local now = max(clock, newest_at)
    local changed = false
    if past_until > 0 and past_until <= now then
      past_requests, past_span, past_until = 0, 0, 0
      if size > max(used_requests, 1) then
        -- Gives back what only the window of before needed.
        local kept = max(used_requests, 1)
        call('SET', key, head .. slots_of(key, capacity, newest, kept))
        capacity, newest, size, inside = kept, kept - 1, kept, min(inside, kept)
        if inside > 0 then oldest_at = at(key, capacity, newest, inside - 1) end
        kept_until, changed = 0, true
      end
    end
    if used_requests ~= requests or used_span ~= span then
      past_requests, past_span, past_until =
        cover(past_requests, past_span, past_until, used_requests, used_span, now + used_span)
      inside, oldest_at = count(key, capacity, newest, size, span, now)
      changed = true
    elseif inside > 0 and oldest_at + span <= now then
      inside, oldest_at = leave(key, capacity, newest, inside, span, now)
    end
    if past_requests <= requests and past_span <= span then
      past_requests, past_span, past_until = 0, 0, 0
    end
    local most, longest = max(requests, past_requests), max(span, past_span)

    local place, added = replies + 1, {}
    local part, is_told = math.ceil(requests / ${TOLD_PARTS}), false
    replies = place
    for check = arg + 5, arg + 4 + checks do
      local id, admitted = ARGV[check], 0
      if inside < open then admitted = 1 end
      if admitted == 1 and id ~= '' then
        if size == capacity then
          -- Makes room by dropping the oldest if no window needs it, else by growing.
          local room = max(capacity * 2, ${SMALLEST_CAPACITY})
          if #added > 0 then
            call('SETRANGE', key, ${HEAD_BYTES} + (newest - #added + 1) * ${SLOT_BYTES}, table.concat(added))
            added = {}
          end
          if size == 0 then
            capacity = min(room, most)
          elseif size < most and (size < requests or at(key, capacity, newest, size - 1) + longest > now) then
            call('SETRANGE', key, ${HEAD_BYTES}, slots_of(key, capacity, newest, size))
            newest, capacity = size - 1, min(room, most)
          else
            size = size - 1
          end
        end
        newest = newest + 1
        if newest >= capacity then
          if #added > 0 then
            call('SETRANGE', key, ${HEAD_BYTES} + (newest - #added) * ${SLOT_BYTES}, table.concat(added))
            added = {}
          end
          newest, is_told = 0, true
        end
        if newest % part == part - 1 then is_told = true end
        added[#added + 1] = packed(SLOT, now, id)
        if generation == '' then generation = id end
        size, inside, newest_at = size + 1, inside + 1, now
        if inside == 1 then oldest_at = now end
        changed = true
      end
      local reset = 0
      if open <= 0 then
        reset = span
      elseif inside > open then
        reset = at(key, capacity, newest, open - 1) + span - now
      elseif inside > 0 then
        reset = oldest_at + span - now
      end
      reply[replies + 1], reply[replies + 2], reply[replies + 3] =
        admitted, max(open - inside, 0), reset
      replies = replies + 3
    end
    reply[place] = generation

    if changed and size > 0 then
      if #added > 0 then
        call('SETRANGE', key, ${HEAD_BYTES} + (newest - #added + 1) * ${SLOT_BYTES}, table.concat(added))
      end
      local needed_until = max(newest_at + longest, past_until)
      local must_be_kept = kept_until < needed_until
      if must_be_kept then
        kept_until = needed_until
        if size >= ${BUSY} then kept_until = needed_until + longest * ${SPARE_SHARE} end
      end
      call('SETRANGE', key, 0, packed(HEAD, generation, requests, span, past_requests, past_span,
        past_until, capacity, newest, size, inside, oldest_at, newest_at, kept_until))
      if must_be_kept then
        call('PEXPIRE', key, max(math.ceil((kept_until - now) / 1000), 1))
      end
      if is_told then call('ZADD', KEYS[2], clock, key) end
    end
  end
  arg = arg + 5 + checks
end
return reply
`);
