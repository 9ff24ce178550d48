-- Calls with many keys. Arguments: file of Authorization values, "in turn" or "at random", where to
-- start, method, body. Reports one line of JSON.
local authorizations = {}
local before, after
local count = 0
local at = 0
local at_random = false

function init(args)
  at_random = args[2] == "at random"
  wrk.method = args[4]
  if args[5] ~= "" then
    wrk.body = args[5]
    wrk.headers["Content-Type"] = "application/json"
  end
  for line in io.lines(args[1]) do
    count = count + 1
    authorizations[count] = line
  end
  -- Put together call by call: a million whole requests take longer to make than a round lasts.
  wrk.headers["Authorization"] = "VALUE"
  before, after = wrk.format():match("^(.*)VALUE(.*)$")
  at = tonumber(args[3]) % count
  math.randomseed(tonumber(args[3]))
end

function request()
  at = at_random and math.random(count) or at % count + 1
  return before .. authorizations[at] .. after
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  print(string.format(
    '{"callsPerSecond":%.1f,"p50Ms":%.3f,"p99Ms":%.3f,"failed":%d}',
    summary.requests / summary.duration * 1e6,
    latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3,
    failed
  ))
end
