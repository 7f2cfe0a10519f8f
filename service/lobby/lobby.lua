-- Puts a game's line into the lobby unless the lobby has come further already on the same branch of the log.
--   KEYS  lines  lists by game
--   ARGV  game  version in eight digits  line  member  changed  prefix  1 on another branch  [name of a list ...]
-- Each list is there twice: in the order of creation by its members' names, of change by their scores.
local known = redis.call('HGET', KEYS[1], ARGV[1])
-- Lines from before began with four digits that meant something else.
if ARGV[7] ~= '1' and known and string.find(known, '{', 1, true) == 9 and string.sub(known, 1, 8) > ARGV[2] then
  return 0
end
local names, prefix = {}, ARGV[6]
for i = 8, #ARGV do names[ARGV[i]] = true end
local before = redis.call('HGET', KEYS[2], ARGV[1])
for name in string.gmatch(before or '', '[^\n]+') do
  if not names[name] then
    redis.call('ZREM', prefix .. name, ARGV[4])
    redis.call('ZREM', prefix .. 'changed:' .. name, ARGV[1])
  end
end
-- A line from before does not say where it stands: it may be under another status.
if not before then
  for _, status in ipairs({'lobby', 'playing', 'over'}) do
    local edition = string.match(ARGV[3], '"edition":"([^"]*)"')
    for _, name in ipairs({status .. ':' .. edition, status .. ':*'}) do
      if not names[name] then redis.call('ZREM', prefix .. name, ARGV[4]) end
    end
  end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ARGV[3])
redis.call('HSET', KEYS[2], ARGV[1], table.concat(ARGV, '\n', 8))
for name in pairs(names) do
  redis.call('ZADD', prefix .. name, 0, ARGV[4])
  redis.call('ZADD', prefix .. 'changed:' .. name, ARGV[5], ARGV[1])
end
return 1
