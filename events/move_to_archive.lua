-- Drops a game that is in the archive, and leaves a stub under its name; or changes nothing at all.
--   KEYS  stream  requests  vault  stubs
--   ARGV  game  version  hash  hash in hex  stub  number of requests  number of secrets
-- Replies 0 when moved, -1 when the log has gone on or what is beside it has changed.
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not last or string.match(last[1], '^(%d+)-') ~= ARGV[2] then return -1 end
for i = 1, #last[2], 2 do
  -- Entries of 0.2 and before have their hash in hex.
  if last[2][i] == 'h' and last[2][i + 1] ~= ARGV[3] and last[2][i + 1] ~= ARGV[4] then return -1 end
end
if redis.call('HLEN', KEYS[2]) ~= tonumber(ARGV[6]) then return -1 end
if redis.call('HLEN', KEYS[3]) ~= tonumber(ARGV[7]) then return -1 end
redis.call('HSET', KEYS[4], ARGV[1], ARGV[5])
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
return 0
