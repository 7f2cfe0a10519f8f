-- Stores a webhook with what waits for it, unless it is there, and lets it be looked at.
--   KEYS  records  the owner's webhooks  cursors  due  backlog
--   ARGV  id  record  cursor  now  [game  what waits there ...]
if redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2]) == 0 then return 0 end
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('HSET', KEYS[3], ARGV[1], ARGV[3])
for i = 5, #ARGV, 2 do redis.call('HSET', KEYS[5], ARGV[i], ARGV[i + 1]) end
redis.call('ZADD', KEYS[4], ARGV[4], ARGV[1])
return 1
