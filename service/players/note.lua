-- Tells a player what happened in a game, each thing once, and writes the game's row in the player's lists.
--   KEYS  player  rows  games  awaiting  events  marks  counts  departures
--   ARGV  player  game  newest version  1 on another branch  row, empty where the player has left
--         1 if awaited  channel  most events  first version  hashes from the one before it on
--         version after which all is new on another log  [version what seat ...]
-- Replies how many were told, or -1 where what came before the first version was never told.
local player, game, newest = ARGV[1], ARGV[2], tonumber(ARGV[3])
if redis.call('EXISTS', KEYS[1]) == 0 then
  -- Nobody can give up this seat any more: that is left to us.
  local status = string.match(ARGV[5], '^%d+|%d+|(%w+)|')
  if status and status ~= 'over' then redis.call('SADD', KEYS[8], game .. '|' .. player) end
  return 0
end

local first, width = tonumber(ARGV[9]), 8
local hashes = ARGV[10]
local last = first - 2 + #hashes / width
local function hash_of(version)
  local start = (version - first + 1) * width
  return string.sub(hashes, start + 1, start + width)
end

-- How far was told, and on which log: one that went back may lead elsewhere.
local known, told, elsewhere = redis.call('HGET', KEYS[6], game), 0, false
if known then
  local version, hash = string.match(known, '^(%d+):(%x+)$')
  told = tonumber(version)
  elsewhere = told > newest or (told >= first - 1 and told <= last and hash_of(told) ~= hash)
end
if elsewhere then told = tonumber(ARGV[11]) end
if told < first - 1 then return -1 end

local count = 0
for i = 12, #ARGV, 3 do
  if tonumber(ARGV[i]) > told then
    redis.call('XADD', KEYS[5], 'MAXLEN', '~', ARGV[8], '*', 'g', game, 'v', ARGV[i], 'w', ARGV[i + 1], 's', ARGV[i + 2])
    count = count + 1
  end
end
if last > told or elsewhere then redis.call('HSET', KEYS[6], game, last .. ':' .. hash_of(last)) end

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
if before and ARGV[4] ~= '1' and tonumber((select(2, parts(before)))) > newest then return count end
if before and before ~= ARGV[5] then
  local member = parts(before) .. '|' .. game
  redis.call('ZREM', KEYS[3], member)
  redis.call('ZREM', KEYS[4], member)
  redis.call('HDEL', KEYS[2], game)
  add(before, -1)
end
if ARGV[5] ~= '' and before ~= ARGV[5] then
  local member = parts(ARGV[5]) .. '|' .. game
  redis.call('HSET', KEYS[2], game, ARGV[5])
  redis.call('ZADD', KEYS[3], 0, member)
  if ARGV[6] == '1' then redis.call('ZADD', KEYS[4], 0, member) end
  add(ARGV[5], 1)
end
if count > 0 then redis.call('PUBLISH', ARGV[7], player .. '|0') end
return count
