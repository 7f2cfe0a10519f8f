-- Puts a game of the archive back in place of its stub, or changes nothing at all.
--   KEYS  stream  requests  vault  feed  stubs
--   ARGV  game  version of the last  stub  longest feed  channel  number of requests  number of secrets
--         [key version:request ...] [field value ...] [hash entry ...]
-- Replies 0 when restored, -1 when the stub is another or has gone.
local game, requests, secrets = ARGV[1], tonumber(ARGV[6]), tonumber(ARGV[7])
if redis.call('HGET', KEYS[5], game) ~= ARGV[3] then return -1 end

local version, i = 0, 8
local last = 8 + 2 * (requests + secrets)
for i = last, #ARGV, 2 do
  version = version + 1
  redis.call('XADD', KEYS[1], version .. '-0', 'e', ARGV[i + 1], 'h', ARGV[i])
end
while i < last do
  local name = i < 8 + 2 * requests and KEYS[2] or KEYS[3]
  redis.call('HSET', name, ARGV[i], ARGV[i + 1])
  i = i + 2
end
redis.call('HDEL', KEYS[5], game)
-- The projector lists the game again, and says when it leaves again.
redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[4], '*', 'g', game, 'v', ARGV[2])
redis.call('PUBLISH', ARGV[5], game .. '|' .. ARGV[2])
return 0
