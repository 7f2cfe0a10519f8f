-- Leases webhooks that are due: each is due again when its lease ends.
--   KEYS  due  leases  rung
--   ARGV  now  end of the lease  who leases  most
-- Replies those that were leased, and when the next one is due.
local taken = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[4])
for _, webhook in ipairs(taken) do
  redis.call('ZADD', KEYS[1], ARGV[2], webhook)
  redis.call('HSET', KEYS[2], webhook, ARGV[3])
  redis.call('SREM', KEYS[3], webhook)
end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
return {taken, first or false}
