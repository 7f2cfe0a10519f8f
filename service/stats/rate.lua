-- Writes ratings if nobody else has rated one of these games meanwhile.
--   KEYS  ratings  boards  results  unrated  pairs
--   ARGV  number of games, prefix of the boards, the games; number of pairs, the pairs, each once for a game;
--         then name, board, ordinal, rating
local last = tonumber(ARGV[1]) + 2
for i = 3, last do
  if not redis.call('ZSCORE', KEYS[3], ARGV[i]) then return 0 end
end
for i = 3, last do
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
