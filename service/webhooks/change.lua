-- Replaces the record of a webhook, ends the lease of the process that delivers it, and lets it be looked at.
--   KEYS  records  due  leases  failing
--   ARGV  id  former record  new record  now
-- Replies 0 where another record is there.
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
redis.call('HDEL', KEYS[3], ARGV[1])
redis.call('HDEL', KEYS[4], ARGV[1])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
return 1
