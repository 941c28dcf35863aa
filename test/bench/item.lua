-- Ask for datasets at random: wrk ... -s item.lua URL -- SIZE.  The requests are made beforehand.
local requests = {}
local next = 0

function init(arguments)
   local size = tonumber(arguments[1])
   math.randomseed(os.time())
   for i = 1, 20000 do
      local id = string.format("%.0f", 100000000000000 + math.random(size))
      requests[i] = wrk.format("GET", "/datasets/" .. id)
   end
end

function request()
   next = next % #requests + 1
   return requests[next]
end
