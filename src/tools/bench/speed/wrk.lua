-- Asks for the pages of a file, one after another: a line each, its path and, after a tab, its cookie.
local requests = {}
local last = 0

function init(arguments)
  for line in io.lines(arguments[1]) do
    local path, cookie = line:match("^([^\t]*)\t?(.*)$")
    wrk.headers["cookie"] = cookie ~= "" and cookie or nil
    requests[#requests + 1] = wrk.format("GET", path)
  end
end

function request()
  last = last % #requests + 1
  return requests[last]
end

-- Microseconds, as JSON on the last line.
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"duration":%d,"refused":%d,"failed":%d,"p50":%d,"p99":%d}\n',
    summary.requests, summary.duration, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
