-- Puts a game's line into the lobby unless the lobby has come further already on the same branch of the log.
--   KEYS  lines  then the indexes the game is to be in, then those it must leave
--   ARGV  game  progress  line  member  number of indexes to be in  1 on another branch
local known = redis.call('HGET', KEYS[1], ARGV[1])
if ARGV[6] ~= '1' and known and string.sub(known, 1, #ARGV[2]) > ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ARGV[3])
for i = 2, #KEYS do
  if i <= 1 + tonumber(ARGV[5]) then
    redis.call('ZADD', KEYS[i], 0, ARGV[4])
  else
    redis.call('ZREM', KEYS[i], ARGV[4])
  end
end
return 1
