/** How a node merges what it admitted into Redis: the second of the scripts that work on windows. */
import { HEAD_BYTES, ID_LENGTH, NOW, RINGS, SLOT_BYTES, script, WINDOW_LOST } from './scripts.ts';

/** Merging looks for an admission among all slots of a ring up to this size. */
export const SMALL_RING = 20_000;
/** Clocks drift, so Redis may have counted an admission a little before the time that the node gives. */
const EARLY_US = 2_000_000;

/**
 * KEYS: the window, the windows that were told. ARGV: the generation that must be there (empty: any, or none); a new generation, in
 * case the ring is new; how much later than the node says Redis may have counted an admission; requests
 * and span of the node's window; requests, span and time left of the one it keeps besides (0 if none);
 * then for each admission its age and its id. All times in microseconds. Adds the admissions that the
 * ring does not hold yet, keeps what the node's windows need, and returns the ring's generation;
 * WINDOW_LOST if it is another one than it must be.
 *
 * A ring may have a million slots, and Redis does nothing else meanwhile. So in a large ring it looks for
 * the admissions only around their time, and writes only the slots from there on.
 */
export const MERGE = script(`${NOW}${RINGS}
local key, expected, generation, late = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
local requests, span = tonumber(ARGV[4]), tonumber(ARGV[5])
local past_requests, past_span, past_until = 0, 0, 0
local capacity, newest, size = 0, -1, 0
local head = call('GETRANGE', key, 0, ${HEAD_BYTES - 1})
if expected ~= '' and string.sub(head, 1, ${ID_LENGTH}) ~= expected then return ${WINDOW_LOST} end
if head ~= '' then
  local used_requests, used_span
  generation, used_requests, used_span, past_requests, past_span, past_until, capacity, newest, size =
    unpacked(HEAD, head)
  past_requests, past_span, past_until =
    cover(past_requests, past_span, past_until, requests, span, now + span)
  requests, span = used_requests, used_span
  if newest ~= size - 1 then
    -- From here on, the oldest is in the first slot.
    call('SET', key, head .. slots_of(key, capacity, newest, size))
    capacity = size
  end
end
past_requests, past_span, past_until = cover(past_requests, past_span, past_until,
  tonumber(ARGV[6]), tonumber(ARGV[7]), now + tonumber(ARGV[8]))
if past_until <= now or (past_requests <= requests and past_span <= span) then
  past_requests, past_span, past_until = 0, 0, 0
end
if size == 0 and #ARGV < 10 then return generation end

local function slots_between(from, to)
  if from >= to then return '' end
  return call('GETRANGE', key, ${HEAD_BYTES} + from * ${SLOT_BYTES}, ${HEAD_BYTES} + to * ${SLOT_BYTES} - 1)
end
local function instant(slot)
  local from = ${HEAD_BYTES} + slot * ${SLOT_BYTES}
  return (unpacked('>d', call('GETRANGE', key, from, from + 7)))
end
-- The first slot that is not from before, of those that \`instant_of\` reads.
local function first_since(time, from, to, instant_of)
  while from < to do
    local middle = math.floor((from + to) / 2)
    if instant_of(middle) < time then from = middle + 1 else to = middle end
  end
  return from
end

local given, lacking = {}, {}
for i = 9, #ARGV, 2 do
  given[#given + 1] = { now - tonumber(ARGV[i]), ARGV[i + 1] }
  lacking[ARGV[i + 1]] = true
end
table.sort(given, function(one, other) return one[1] < other[1] end)
if #given > 0 then
  local from, to = 0, size
  if size > ${SMALL_RING} then
    from = first_since(given[1][1] - ${EARLY_US}, 0, size, instant)
    to = first_since(given[#given][1] + late, from, size, instant)
  end
  local around = slots_between(from, to)
  for at = 9, #around, ${SLOT_BYTES} do
    local id = string.sub(around, at, at + ${ID_LENGTH - 1})
    if lacking[id] then lacking[id] = nil end
  end
  local first
  for n, one in ipairs(given) do
    if lacking[one[2]] then first = n break end
  end
  if first then
    local start = first_since(given[first][1], 0, size, instant)
    local tail, parts, copied, added = slots_between(start, size), {}, 0, 0
    local slots = #tail / ${SLOT_BYTES}
    local function in_tail(slot) return (unpacked('>d', tail, slot * ${SLOT_BYTES} + 1)) end
    for n = first, #given do
      local one = given[n]
      if lacking[one[2]] then
        lacking[one[2]] = nil
        local place = first_since(one[1], copied, slots, in_tail)
        parts[#parts + 1] = string.sub(tail, copied * ${SLOT_BYTES} + 1, place * ${SLOT_BYTES})
        parts[#parts + 1] = packed(SLOT, one[1], one[2])
        copied, added = place, added + 1
      end
    end
    parts[#parts + 1] = string.sub(tail, copied * ${SLOT_BYTES} + 1)
    call('SETRANGE', key, ${HEAD_BYTES} + start * ${SLOT_BYTES}, table.concat(parts))
    size = size + added
    capacity = max(capacity, size)
  end
end

local most, longest = max(requests, past_requests, 1), max(span, past_span)
if size > most then
  call('SET', key, string.rep('\\0', ${HEAD_BYTES}) .. slots_between(size - most, size))
  size, capacity = most, most
end
local newest_at = instant(size - 1)
now = max(now, newest_at)
local left = first_since(now - span, 0, size, instant)
while left < size and instant(left) + span <= now do left = left + 1 end
local inside, oldest_at = size - left, 0
if inside > 0 then oldest_at = instant(left) end
local kept_until = max(newest_at + longest, past_until)
call('SETRANGE', key, 0, packed(HEAD, generation, requests, span, past_requests, past_span, past_until,
  capacity, size - 1, size, inside, oldest_at, newest_at, kept_until))
call('PEXPIRE', key, max(math.ceil((kept_until - now) / 1000), 1))
call('ZADD', KEYS[2], time[1] * 1000000 + time[2], key)
return generation
`);
