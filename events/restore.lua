-- Writes a game as a backup has it: a new one, or what follows the log that is there. Or changes nothing at all.
--   KEYS  stream  requests  vault  feed  stubs
--   ARGV  game  version there  hash there  hash there in hex  longest feed  channel
--         number of vault fields  number of requests
--         [field value ...] of the vault  [key value ...] of the requests  [version hash entry ...]
-- Replies 0 when it was written, -1 when the log there is another one.
local game, there = ARGV[1], tonumber(ARGV[2])
local fields, requests = tonumber(ARGV[7]), tonumber(ARGV[8])

local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
-- A game in the archive is stored as version and hash, and comes back whole.
local stub = redis.call('HGET', KEYS[5], game)
local stored, at, head = 0, 0, string.rep('\0', 32)
if last then
  at = tonumber(string.match(last[1], '^(%d+)-'))
  stored = at
  for i = 1, #last[2], 2 do
    if last[2][i] == 'h' then head = last[2][i + 1] end
  end
elseif stub then
  for i = 1, 4 do at = at * 256 + string.byte(stub, i) end
  head = string.sub(stub, 5)
end
if at ~= there then return -1 end
-- Entries of 0.2 and before have their hash in hex.
if head ~= ARGV[3] and head ~= ARGV[4] then return -1 end

local first = 9 + 2 * fields + 2 * requests
local newest = ARGV[2]
for i = first, #ARGV, 3 do
  newest = ARGV[i]
  if tonumber(newest) > stored then
    redis.call('XADD', KEYS[1], newest .. '-0', 'e', ARGV[i + 2], 'h', ARGV[i + 1])
  end
end
redis.call('HDEL', KEYS[5], game)
-- What is stored beside the log belongs to its newest version.
redis.call('DEL', KEYS[2], KEYS[3])
for i = 9, 8 + 2 * fields, 2 do redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1]) end
for i = 9 + 2 * fields, first - 1, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[5], '*', 'g', game, 'v', newest)
redis.call('PUBLISH', ARGV[6], game .. '|' .. newest)
return 0
