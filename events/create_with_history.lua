-- Creates a game with all of its commits at once, or changes nothing at all.
--   KEYS  stream  requests  vault  feed  stubs of archived games
--   ARGV  game  version of the last  key  request  longest feed  channel  number of vault fields
--         [field value ...] [hash entry ...]
-- Replies 0 when the game was created, n when this request was carried out before as version n,
-- -1 when the game has a log already, -2 when the key belongs to another request, -3 when the game is in the
-- archive.
local game, last, key, request, fields = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[7])

if key ~= '' then
  local known = redis.call('HGET', KEYS[2], key)
  if known then
    local colon = string.find(known, ':', 1, true)
    if string.sub(known, colon + 1) ~= request then return -2 end
    return tonumber(string.sub(known, 1, colon - 1))
  end
end
if redis.call('EXISTS', KEYS[1]) == 1 then return -1 end
if redis.call('HEXISTS', KEYS[5], game) == 1 then return -3 end

local version = 0
for i = 8 + 2 * fields, #ARGV, 2 do
  version = version + 1
  redis.call('XADD', KEYS[1], version .. '-0', 'e', ARGV[i + 1], 'h', ARGV[i])
end
if key ~= '' then redis.call('HSET', KEYS[2], key, last .. ':' .. request) end
for i = 8, 7 + 2 * fields, 2 do redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1]) end
redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[5], '*', 'g', game, 'v', last)
redis.call('PUBLISH', ARGV[6], game .. '|' .. last)
return 0
