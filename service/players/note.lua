-- Tells a player what happened in a game, each thing once, and writes the game's row in the player's lists.
--   KEYS  player  rows  games  awaiting  events  marks  counts  departures  epochs
--   ARGV  player  game  newest version  row, empty where the player has left
--         1 if awaited  channel  most events  first version  hashes from the one before it on
--         version after which all is new on another log
--         field of the epoch  epoch, or * for any  field of the place in the feed  that place, or empty
--         [version what seat ...]
-- Replies how many were told, -1 where what came before the first version was never told, -2 in another epoch,
-- -3 where more or something else was told in this one.
local player, game, newest = ARGV[1], ARGV[2], tonumber(ARGV[3])
local epoch = redis.call('HGET', KEYS[9], ARGV[11]) or ''
if ARGV[12] ~= '*' and ARGV[12] ~= epoch then return -2 end
local number = tonumber(string.match(epoch, '^%d+') or '0')
if redis.call('EXISTS', KEYS[1]) == 0 then
  -- Nobody can give up this seat any more: that is left to us.
  local status = string.match(ARGV[4], '^%d+|%d+|(%w+)|')
  if status and status ~= 'over' then redis.call('SADD', KEYS[8], game .. '|' .. player) end
  return 0
end

local first, width = tonumber(ARGV[8]), 8
local hashes = ARGV[9]
local last = first - 2 + #hashes / width
local function hash_of(version)
  local start = (version - first + 1) * width
  return string.sub(hashes, start + 1, start + width)
end

-- How far was told, on which log, and in which epoch: a log that went back may lead elsewhere.
local known, told, elsewhere, known_hash, is_later = redis.call('HGET', KEYS[6], game), 0, false, '', false
if known then
  local version, hash, known_epoch = string.match(known, '^(%d+):(%x+):?(%d*)$')
  told, known_hash = tonumber(version), hash
  elsewhere = told > newest or (told >= first - 1 and told <= last and hash_of(told) ~= hash)
  is_later = number > tonumber(known_epoch ~= '' and known_epoch or '0')
  if elsewhere and not is_later then return -3 end
end
if elsewhere then told = tonumber(ARGV[10]) end
if told < first - 1 then return -1 end
if ARGV[14] ~= '' then redis.call('HSET', KEYS[9], ARGV[13], ARGV[14]) end

local count = 0
for i = 15, #ARGV, 3 do
  if tonumber(ARGV[i]) > told then
    redis.call('XADD', KEYS[5], 'MAXLEN', '~', ARGV[7], '*', 'g', game, 'v', ARGV[i], 'w', ARGV[i + 1], 's', ARGV[i + 2])
    count = count + 1
  end
end
if last > told or elsewhere then
  redis.call('HSET', KEYS[6], game, last .. ':' .. hash_of(last) .. ':' .. number)
elseif is_later then
  redis.call('HSET', KEYS[6], game, told .. ':' .. known_hash .. ':' .. number)
end

-- A row begins with when it changed, its version, its status, and for the counts the edition and whether it was won:
-- 1 if so, 2 for a private game, which everybody's profile would tell of.
local function parts(row)
  return string.match(row, '^(%d+)|(%d+)|(%w+)|([^|]*)|(%d)|')
end
local function add(row, sign)
  local _, _, status, edition, won = parts(row)
  if won == '2' then return end
  redis.call('HINCRBY', KEYS[7], status, sign)
  if edition ~= '' then
    redis.call('HINCRBY', KEYS[7], 'finished:' .. edition, sign)
    if won == '1' then redis.call('HINCRBY', KEYS[7], 'won:' .. edition, sign) end
  end
end

local before = redis.call('HGET', KEYS[2], game)
if before and not is_later and tonumber((select(2, parts(before)))) > newest then return count end
if before and before ~= ARGV[4] then
  local member = parts(before) .. '|' .. game
  redis.call('ZREM', KEYS[3], member)
  redis.call('ZREM', KEYS[4], member)
  redis.call('HDEL', KEYS[2], game)
  add(before, -1)
end
if ARGV[4] ~= '' and before ~= ARGV[4] then
  local member = parts(ARGV[4]) .. '|' .. game
  redis.call('HSET', KEYS[2], game, ARGV[4])
  redis.call('ZADD', KEYS[3], 0, member)
  if ARGV[5] == '1' then redis.call('ZADD', KEYS[4], 0, member) end
  add(ARGV[4], 1)
end
if count > 0 then redis.call('PUBLISH', ARGV[6], player .. '|0') end
return count
