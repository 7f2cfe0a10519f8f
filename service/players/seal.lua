-- Writes the row of an archived game in a player's list: without its text, which is in the archive.
--   KEYS  player  rows  games  awaiting  counts
--   ARGV  game  row
-- Rows begin as `note.lua` says.
local game, row = ARGV[1], ARGV[2]
local before = redis.call('HGET', KEYS[2], game)
if before == row or redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local function change(row, sign)
  local changed, _, status, edition, won = string.match(row, '^(%d+)|(%d+)|(%w+)|([^|]*)|(%d)|')
  local member = changed .. '|' .. game
  if sign > 0 then
    redis.call('ZADD', KEYS[3], 0, member)
  else
    redis.call('ZREM', KEYS[3], member)
    redis.call('ZREM', KEYS[4], member)
  end
  if won == '2' then return end
  redis.call('HINCRBY', KEYS[5], status, sign)
  if edition ~= '' then
    redis.call('HINCRBY', KEYS[5], 'finished:' .. edition, sign)
    if won == '1' then redis.call('HINCRBY', KEYS[5], 'won:' .. edition, sign) end
  end
end
if before then change(before, -1) end
redis.call('HSET', KEYS[2], game, row)
change(row, 1)
return 1
