-- Takes the row of an archived game out of a player's list, where the list of archived games has it; a game that is in
-- no public list keeps a row without its text, which is in the archive.
--   KEYS  player  rows  games  awaiting  counts  how far events were told
--   ARGV  game  row, empty for one that is listed
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
if row == '' then
  redis.call('HDEL', KEYS[2], game)
  -- How far events were told keeps a process that was stopped from telling them again. Only the newest stay.
  local most, dropped = 64, 0
  if redis.call('HLEN', KEYS[6]) - redis.call('HLEN', KEYS[2]) > most then
    for _, other in ipairs(redis.call('HKEYS', KEYS[6])) do
      local is_game = other ~= game and string.sub(other, 1, 1) ~= '#'
      if dropped < most / 2 and is_game and redis.call('HEXISTS', KEYS[2], other) == 0 then
        redis.call('HDEL', KEYS[6], other)
        dropped = dropped + 1
      end
    end
  end
  return 1
end
redis.call('HSET', KEYS[2], game, row)
change(row, 1)
return 1
