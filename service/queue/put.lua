-- A game waits in its creator's lane.
--   KEYS  ring  since
--   ARGV  prefix  creator  game  1 if somebody waits for it  now  milliseconds of credit
-- Replies 1 when it is new there, 0 when it waits already.
local prefix, creator, game, urgent = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1'
local credit = tonumber(ARGV[6])
local awaited, others = prefix .. 'awaited:' .. creator, prefix .. 'others:' .. creator

local function number_at(key)
  return tonumber(redis.call('GET', prefix .. key) or '0')
end

-- Who used no time lately begins a little before where the others stand, and can save up no more than that.
local function first_place(stands, used)
  return math.max(number_at(stands) - credit, number_at(used))
end

local waits = redis.call('ZSCORE', awaited, game) or redis.call('ZSCORE', others, game)
if not waits then
  redis.call('HSET', KEYS[2], game, ARGV[5])
end
if urgent then
  redis.call('ZREM', others, game)
  redis.call('ZADD', awaited, 'NX', first_place('now:awaited:' .. creator, 'used:' .. game), game)
elseif not waits then
  redis.call('ZADD', others, first_place('now:others:' .. creator, 'used:' .. game), game)
end
redis.call('ZADD', KEYS[1], 'NX', first_place('now', 'used:by:' .. creator), creator)
return waits and 0 or 1
