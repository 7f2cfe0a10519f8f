-- Puts the time of a slice to the account of its game and its creator.
--   KEYS  ring
--   ARGV  prefix  creator  game  start  milliseconds  milliseconds expected  seconds that it counts
local prefix, creator, game = ARGV[1], ARGV[2], ARGV[3]
local used, memory = tonumber(ARGV[5]), ARGV[7]
local more = used - tonumber(ARGV[6])

redis.call('SET', prefix .. 'used:' .. game, tonumber(ARGV[4]) + used, 'EX', memory)
if redis.call('ZSCORE', KEYS[1], creator) then
  redis.call('ZINCRBY', KEYS[1], more, creator)
else
  local account = prefix .. 'used:by:' .. creator
  redis.call('SET', account, tonumber(redis.call('GET', account) or '0') + more, 'EX', memory)
end
return 0
