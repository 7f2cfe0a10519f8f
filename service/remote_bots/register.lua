-- Stores a bot, once, unless its owner has too many.
--   KEYS  records  the owner's bots  bots that everyone may seat
--   ARGV  id  record  most of an owner, 0 for any number  1 if everyone may seat it
-- Replies nil where it was stored, -1 where there are too many, else the record that was there before.
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known then return known end
local most = tonumber(ARGV[3])
if most > 0 and redis.call('SCARD', KEYS[2]) >= most then return -1 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('SADD', KEYS[2], ARGV[1])
if ARGV[4] == '1' then redis.call('ZADD', KEYS[3], 0, ARGV[1]) end
return false
