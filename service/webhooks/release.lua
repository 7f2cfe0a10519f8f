-- Gives up a lease. If there was news meanwhile, the webhook is due at once.
--   KEYS  due  leases  rung
--   ARGV  webhook  who leases  when it is due again, or empty  now
if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[2], ARGV[1])
if redis.call('SREM', KEYS[3], ARGV[1]) == 1 then
  redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
elseif ARGV[3] ~= '' then
  redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
else
  redis.call('ZREM', KEYS[1], ARGV[1])
end
return 1
