-- Writes what became of events, if the lease still stands.
--   KEYS  leases  cursors  failing  backlog  deliveries
--   ARGV  webhook  who leases  cursor, or empty  delivery, or empty  failing since, or empty  most deliveries
--         [game  what waits there, or empty ...]
-- Replies 0 where the lease was lost.
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
if ARGV[3] ~= '' then redis.call('HSET', KEYS[2], ARGV[1], ARGV[3]) end
if ARGV[4] ~= '' then
  redis.call('LPUSH', KEYS[5], ARGV[4])
  redis.call('LTRIM', KEYS[5], 0, ARGV[6] - 1)
  if ARGV[5] == '' then
    redis.call('HDEL', KEYS[3], ARGV[1])
  else
    redis.call('HSET', KEYS[3], ARGV[1], ARGV[5])
  end
end
for i = 7, #ARGV, 2 do
  if ARGV[i + 1] == '' then
    redis.call('HDEL', KEYS[4], ARGV[i])
  else
    redis.call('HSET', KEYS[4], ARGV[i], ARGV[i + 1])
  end
end
return 1
