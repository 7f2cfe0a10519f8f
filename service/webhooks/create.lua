-- Stores a webhook, once, unless its owner has too many.
--   KEYS  records  the owner's webhooks  cursors
--   ARGV  id  record  most of an owner, 0 for any number  cursor
-- Replies nil where it was stored, -1 where there are too many, else the record that was there before.
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known then return known end
local most = tonumber(ARGV[3])
if most > 0 and redis.call('SCARD', KEYS[2]) >= most then return -1 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('HSET', KEYS[3], ARGV[1], ARGV[4])
return false
