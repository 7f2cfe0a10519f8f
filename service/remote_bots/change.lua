-- Replaces the record of a bot, or removes it where the new record is empty.
--   KEYS  records  the owner's bots  bots that everyone may seat
--   ARGV  id  former record  new record  1 if everyone may seat it
-- Replies 0 where another record is there.
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('SREM', KEYS[2], ARGV[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
end
if ARGV[4] == '1' then
  redis.call('ZADD', KEYS[3], 0, ARGV[1])
else
  redis.call('ZREM', KEYS[3], ARGV[1])
end
return 1
