-- Puts the cursor of a webhook elsewhere and ends the lease of the process that delivers it.
--   KEYS  cursors  due  leases  backlog
--   ARGV  webhook  cursor  now
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HDEL', KEYS[3], ARGV[1])
redis.call('DEL', KEYS[4])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
return 1
