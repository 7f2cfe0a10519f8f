-- Writes ratings if nothing was rated since the known ones were read, and none of these games was removed.
--   KEYS  ratings  boards  results  unrated  pairs  steps
--   ARGV  number of steps when the ratings were read, prefix of the boards; number of games, the games;
--         number of pairs, the pairs, each once for a game; then name, board, ordinal, rating
if (redis.call('GET', KEYS[6]) or '0') ~= ARGV[1] then return 0 end
local last = tonumber(ARGV[3]) + 3
for i = 4, last do
  if not redis.call('ZSCORE', KEYS[3], ARGV[i]) then return 0 end
end
redis.call('INCR', KEYS[6])
for i = 4, last do
  redis.call('ZREM', KEYS[3], ARGV[i])
  redis.call('HDEL', KEYS[4], ARGV[i])
end
local first = last + 2
last = last + 1 + tonumber(ARGV[last + 1])
for i = first, last do redis.call('HINCRBY', KEYS[5], ARGV[i], 1) end
for i = last + 1, #ARGV, 4 do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 3])
  redis.call('SADD', KEYS[2], ARGV[i + 1])
  redis.call('ZADD', ARGV[2] .. ARGV[i + 1], ARGV[i + 2], ARGV[i])
end
return 1
