-- The next game of the creator who had least of the workers' time.
--   KEYS  ring  since
--   ARGV  prefix  milliseconds expected  seconds that used time counts
-- Replies game, creator, lane, start and since when it waited; nil where no game waits.
local prefix, expected, memory = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local kinds = {'awaited', 'others'}

local function take_from(creator)
  for _, kind in ipairs(kinds) do
    local found = redis.call('ZPOPMIN', prefix .. kind .. ':' .. creator)
    if #found > 0 then return found[1], found[2], kind end
  end
end

local function has_more(creator)
  for _, kind in ipairs(kinds) do
    if redis.call('EXISTS', prefix .. kind .. ':' .. creator) == 1 then return true end
  end
  return false
end

while true do
  local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  if #first == 0 then return false end
  local creator, stands = first[1], first[2]
  local game, start, kind = take_from(creator)
  -- Charged beforehand, for another worker may take while this one plays; the report corrects it.
  local used = tonumber(stands) + (game and expected or 0)
  if has_more(creator) then
    redis.call('ZADD', KEYS[1], used, creator)
  else
    redis.call('ZREM', KEYS[1], creator)
    redis.call('SET', prefix .. 'used:by:' .. creator, used, 'EX', memory)
  end
  if game then
    redis.call('SET', prefix .. 'now', stands, 'EX', memory)
    redis.call('SET', prefix .. 'now:' .. kind .. ':' .. creator, start, 'EX', memory)
    local since = redis.call('HGET', KEYS[2], game) or ''
    redis.call('HDEL', KEYS[2], game)
    return {game, creator, kind, start, since}
  end
end
