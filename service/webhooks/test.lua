-- Lets a test event wait for a webhook, unless too many do.
--   KEYS  backlog  records
--   ARGV  webhook  place of the test  what waits there  most tests
-- Replies 0 where too many wait.
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 0 then return 1 end
local waiting = 0
for _, place in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(place, 1, 5) == 'test:' then waiting = waiting + 1 end
end
if waiting >= tonumber(ARGV[4]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
return 1
