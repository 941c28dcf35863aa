-- Send the requests in a file: wrk ... -s replay.lua URL -- FILE START
-- The file has the verb, header lines, an empty line, targets, an empty line, and optionally a body.
-- A target may be followed by its own header lines, each after a tab, when the body has no {n};
-- {n} in the body is replaced by a different number each time, from START on.
local targets, own, body, requests = {}, {}, nil, {}
local verb, count, made = nil, 0, 0

local function read(file)
   verb = file:read("l")
   for line in file:lines() do
      if line == "" then break end
      local name, value = line:match("^([^:]+): (.*)$")
      wrk.headers[name] = value
   end
   for line in file:lines() do
      if line == "" then break end
      targets[#targets + 1] = line:match("^[^\t]+")
      own[#targets] = line:match("\t(.+)$")
   end
   body = file:read("a")
   if body == "" then body = nil end
end

-- Parse header lines: those of all requests, or those of one target.
local function headers_of(lines)
   if not lines then return nil end
   local headers = {}
   for name, value in pairs(wrk.headers) do headers[name] = value end
   for name, value in lines:gmatch("([^:\t]+): ([^\t]*)") do headers[name] = value end
   return headers
end

function init(arguments)
   local file = assert(io.open(arguments[1]))
   read(file)
   file:close()
   made = tonumber(arguments[2])
   for i, target in ipairs(targets) do
      requests[i] = wrk.format(verb, target, headers_of(own[i]), body)
   end
end

function request()
   count = count % #targets + 1
   if not body or not body:find("{n}", 1, true) then return requests[count] end
   made = made + 1
   return wrk.format(verb, targets[count], nil, (body:gsub("{n}", string.format("%.0f", made))))
end
