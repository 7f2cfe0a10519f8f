-- Deletes a webhook with all that is kept for it.
--   KEYS  records  the owner's webhooks  due  leases  rung  cursors  failing  backlog  deliveries
--   ARGV  id
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('SREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('HDEL', KEYS[4], ARGV[1])
redis.call('SREM', KEYS[5], ARGV[1])
redis.call('HDEL', KEYS[6], ARGV[1])
redis.call('HDEL', KEYS[7], ARGV[1])
return redis.call('DEL', KEYS[8], KEYS[9])
