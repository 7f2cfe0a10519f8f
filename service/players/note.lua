-- Tells a player what happened in a game, each thing once, and writes the game's row in the player's lists. Comes after
-- `journal.lua`.
--   KEYS  player  rows  games  awaiting  events  marks  counts  departures  epochs
--   ARGV  player  game  newest version  row, empty where the player has left
--         1 if awaited  channel  most events  first version  hashes from the one before it on
--         version after which all is new on another log
--         version up to which all was told, though it is not noted: of a game that comes back from the archive
--         field of the epoch  epoch, or * for any  field of the place in the feed  that place, or empty
--         edition  [version what seat awaits hash player name ...]
-- Replies how many were told, -1 and -3 as `tell` does, -2 in another epoch.
local player, game, newest = ARGV[1], ARGV[2], tonumber(ARGV[3])
local epoch = redis.call('HGET', KEYS[9], ARGV[12]) or ''
if ARGV[13] ~= '*' and ARGV[13] ~= epoch then return -2 end
if redis.call('EXISTS', KEYS[1]) == 0 then
  -- Nobody can give up this seat any more: that is left to us.
  local status = string.match(ARGV[4], '^%d+|%d+|(%w+)|')
  if status and status ~= 'over' then redis.call('SADD', KEYS[8], game .. '|' .. player) end
  reach(KEYS[9], ARGV[14], ARGV[15])
  return 0
end

local count, is_later = tell({
  journal = KEYS[5], marks = KEYS[6], game = game, edition = ARGV[16], newest = newest, most = ARGV[7],
  first = tonumber(ARGV[8]), hashes = ARGV[9], since = tonumber(ARGV[10]), sealed = tonumber(ARGV[11]),
  epoch = tonumber(string.match(epoch, '^%d+') or '0'), events = 17,
})
if count < 0 then return count end
reach(KEYS[9], ARGV[14], ARGV[15])

-- A row begins with when it changed, its version, its status, and for the counts the edition and whether it was won:
-- 1 if so, 2 for a private game, which everybody's profile would tell of, and for a sandbox game.
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
