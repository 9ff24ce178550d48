import { createHash } from 'node:crypto';

/**
 * What runs inside Redis. A window is a list of its admissions, oldest first, each written as
 * sixteen digits of microseconds on Redis's clock, a colon, and an id that the admitting node
 * chose. The id makes merging a union: an admission whose reply was lost, or which is sent again
 * after an outage, is still counted once.
 *
 * The newest entry ends in a note: `|`, the list's generation, then `requests` and span of the window
 * in force and, while it must be held, of the window before and until when (see `Ring`, which has the
 * same rule). The generation is new with each list: a node that knows another one knows that Redis
 * has lost admissions.
 */
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

const NOTES = `
local function split(entry)
  local bar = string.find(entry, '|', 18, true)
  if not bar then return entry end
  return string.sub(entry, 1, bar - 1), string.sub(entry, bar + 1)
end
local function read(note, now)
  local generation, requests, span, rest = string.match(note or '', '^(%S+) (%d+) (%d+)(.*)$')
  local past_requests, past_span, past_until = string.match(rest or '', '(%d+) (%d+) (%d+)')
  local past = { tonumber(past_requests), tonumber(past_span), tonumber(past_until) }
  if not past[3] or past[3] <= now then past = { 0, 0, 0 } end
  return generation, tonumber(requests), tonumber(span), past
end
local function cover(past, requests, span, until_then)
  past[1], past[2] = math.max(past[1], requests), math.max(past[2], span)
  past[3] = math.max(past[3], until_then)
end
-- What is kept besides the window in force: nothing if that covers it, or if its time is over.
local function write(generation, requests, span, past, now)
  local note = string.format('%s %.0f %.0f', generation, requests, span)
  if past[3] <= now or (past[1] <= requests and past[2] <= span) then
    return note, requests, span, 0
  end
  note = note .. string.format(' %.0f %.0f %.0f', past[1], past[2], past[3])
  return note, math.max(requests, past[1]), math.max(span, past[2]), past[3]
end`;

/** First in an answer of ADMIT: Redis has lost this window, or all that it knew of the node. */
export const WINDOW_FORGOTTEN = -1;
export const NODE_FORGOTTEN = -2;

/**
 * KEYS: the window's list, the nodes. ARGV: requests, span in microseconds, the node, the
 * admission's id (empty: only look), the generation that the node knows (empty: none). Returns
 * admitted (0 or 1), remaining, microseconds until the reset, and the generation if it is news.
 */
export const ADMIT = script(`${NOW}
if redis.call('HEXISTS', KEYS[2], ARGV[3]) == 0 then return { ${NODE_FORGOTTEN} } end
local key, requests, span, id, known = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[4], ARGV[5]
local function at(index)
  return tonumber(string.sub(redis.call('LINDEX', key, index), 1, 16))
end

local size = redis.call('LLEN', key)
local note = known .. ' ' .. ARGV[1] .. ' ' .. ARGV[2]
local most, longest, past_until = requests, span, 0
local newest_at, bare, generation, changed
if size > 0 then
  local newest = redis.call('LINDEX', key, -1)
  newest_at = tonumber(string.sub(newest, 1, 16))
  -- The server's clock may be set back; a window's must not.
  now = math.max(now, newest_at)
  if known ~= '' and string.sub(newest, -#note - 1) == '|' .. note then
    -- Mostly it is the note that was expected, which need not be taken apart.
    bare = string.sub(newest, 1, -#note - 2)
  else
    ${NOTES}
    local written, used_requests, used_span, past
    bare, written = split(newest)
    generation, used_requests, used_span, past = read(written, now)
    if known ~= '' and known ~= generation then return { ${WINDOW_FORGOTTEN} } end
    if generation and (used_requests ~= requests or used_span ~= span) then
      cover(past, used_requests, used_span, now + used_span)
    end
    generation = generation or string.sub(bare, 18)
    note, most, longest, past_until = write(generation, requests, span, past, now)
    changed = note ~= written
  end
elseif known ~= '' then
  return { ${WINDOW_FORGOTTEN} }
elseif id ~= '' then
  generation = id
  note = id .. note
end

local oldest_at = size > 0 and at(0) or now
local first, beyond = 0, size
-- Mostly all of them are inside: not searching then takes 15 instead of 28 microseconds.
if oldest_at + span > now then beyond = 0 end
while first < beyond do
  local middle = math.floor((first + beyond) / 2)
  if at(middle) + span > now then beyond = middle else first = middle + 1 end
end
local counted = size - first

local admitted, keep = 0, nil
if counted < requests then admitted = 1 end
if admitted == 1 and id ~= '' then
  if bare then redis.call('LSET', key, -1, bare) end
  redis.call('RPUSH', key, string.format('%016.0f:%s|%s', now, id, note))
  counted, size = counted + 1, size + 1
  if size > most then
    redis.call('LTRIM', key, -most, -1)
  elseif size > requests and oldest_at + longest <= now then
    redis.call('LPOP', key)
  end
  keep = longest
elseif changed then
  redis.call('LSET', key, -1, bare .. '|' .. note)
  keep = math.max(newest_at + longest, past_until) - now
end

local reset = 0
if requests <= 0 then
  reset = span
elseif counted > 0 and counted == size and counted <= requests then
  reset = oldest_at + span - now
elseif counted > 0 then
  reset = at(-math.min(counted, requests)) + span - now
end
-- Last, since a script that was held up may find the list expired at once.
if keep then redis.call('PEXPIRE', key, math.max(math.ceil(keep / 1000), 1)) end
return { admitted, math.max(requests - counted, 0), reset, generation }
`);

/**
 * KEYS: the window's list. ARGV: a new generation, in case the list is new; requests and span of the
 * node's window; requests, span and time left of the one it keeps besides (0 if none); then for each
 * admission its age and its id. All times in microseconds. Adds the admissions that the list does
 * not hold yet, keeps what the node's windows need, and returns the list's generation.
 */
export const MERGE = script(`${NOW}${NOTES}
local key, requests, span = KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local entries = redis.call('LRANGE', key, 0, -1)
local held, written, generation, past = #entries, nil, nil, { 0, 0, 0 }
if held > 0 then
  local used_requests, used_span
  entries[held], written = split(entries[held])
  generation, used_requests, used_span, past = read(written, now)
  if generation then
    cover(past, requests, span, now + span)
    requests, span = used_requests, used_span
  end
end
generation = generation or ARGV[1]
cover(past, tonumber(ARGV[4]), tonumber(ARGV[5]), now + tonumber(ARGV[6]))
local note, most, longest, past_until = write(generation, requests, span, past, now)

local known = {}
for _, entry in ipairs(entries) do known[string.sub(entry, 18)] = true end
for i = 7, #ARGV, 2 do
  local age, id = tonumber(ARGV[i]), ARGV[i + 1]
  if not known[id] then
    entries[#entries + 1] = string.format('%016.0f:%s', now - age, id)
  end
end
if #entries == 0 or (#entries == held and note == written) then return generation end

table.sort(entries)
local newest_at = tonumber(string.sub(entries[#entries], 1, 16))
entries[#entries] = entries[#entries] .. '|' .. note
redis.call('DEL', key)
for i = math.max(#entries - math.max(most, 1), 0) + 1, #entries, 1000 do
  redis.call('RPUSH', key, unpack(entries, i, math.min(i + 999, #entries)))
end
local left = math.max(newest_at + longest, past_until) - now
redis.call('PEXPIRE', key, math.max(math.ceil(left / 1000), 1))
return generation
`);

export const WINDOW_SCRIPTS = [ADMIT, MERGE];
