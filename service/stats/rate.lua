-- Writes ratings if nobody else went on from the same place meanwhile.
--   KEYS  ratings  rated  boards
--   ARGV  the place they were worked out from, the new one, prefix of the boards; then name, board, ordinal, rating
if (redis.call('GET', KEYS[2]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[2])
for i = 4, #ARGV, 4 do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 3])
  redis.call('SADD', KEYS[3], ARGV[i + 1])
  redis.call('ZADD', ARGV[3] .. ARGV[i + 1], ARGV[i + 2], ARGV[i])
end
return 1
