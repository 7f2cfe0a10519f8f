-- Holds leases for longer.
--   KEYS  due  leases
--   ARGV  end of the leases  whose  [webhook ...]
for i = 3, #ARGV do
  if redis.call('HGET', KEYS[2], ARGV[i]) == ARGV[2] then redis.call('ZADD', KEYS[1], ARGV[1], ARGV[i]) end
end
return 1
