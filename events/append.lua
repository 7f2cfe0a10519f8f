-- Appends one commit, or changes nothing at all.
--   KEYS  stream  requests  vault  feed  stubs of archived games
--   ARGV  version  prev  hash  entry  key  request  game  prev in hex  longest feed  channel  [field value ...] for the vault
-- Replies 0 when appended, n when this request was carried out as version n, -1 on a conflict,
-- -2 when the key belongs to another request, -3 when the game is in the archive.
local version, prev, hash, entry = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local key, request, game = ARGV[5], ARGV[6], ARGV[7]

if key ~= '' then
  local known = redis.call('HGET', KEYS[2], key)
  if known then
    local colon = string.find(known, ':', 1, true)
    if string.sub(known, colon + 1) ~= request then return -2 end
    return tonumber(string.sub(known, 1, colon - 1))
  end
end

-- The version alone would let a writer that remembers a lost branch go on from it.
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
-- Of a new game: the chain begins with a hash of zeros.
local at, head = '0', string.rep('\0', 32)
if last then
  at = string.match(last[1], '^(%d+)-')
  for i = 1, #last[2], 2 do
    if last[2][i] == 'h' then head = last[2][i + 1] end
  end
elseif redis.call('HEXISTS', KEYS[5], game) == 1 then
  return -3
end
-- Entries of 0.2 and before have their hash in hex.
if head ~= prev and head ~= ARGV[8] then return -1 end
if tonumber(version) ~= tonumber(at) + 1 then return -1 end

-- The stream comes first: Redis refuses a script for want of memory only before its first write.
redis.call('XADD', KEYS[1], version .. '-0', 'e', entry, 'h', hash)
if key ~= '' then redis.call('HSET', KEYS[2], key, version .. ':' .. request) end
if #ARGV > 10 then redis.call('HSET', KEYS[3], unpack(ARGV, 11)) end
redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[9], '*', 'g', game, 'v', version)
redis.call('PUBLISH', ARGV[10], game .. '|' .. version)
return 0
