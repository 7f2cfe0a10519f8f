-- Puts a game's line into the lobby unless the lobby has come further already on the same branch of the log.
--   KEYS  lines  lists by game  list of all exports
--   ARGV  game  version in eight digits  line  member  changed  prefix  1 on another branch  ended
--         name of the mark in the list of all exports, once it was whole  [name of a list ...]
-- Each list is there twice: in the order of creation by its members' names, of change by their scores.
-- Those of exports are there once: by their ends, and who comes late comes last, since others may have read on.
local function is_exports(name) return string.sub(name, 1, 8) == 'exports:' end
local function add_export(key)
  if redis.call('ZSCORE', key, ARGV[1]) then return end
  local last, score = redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2], tonumber(ARGV[8])
  if last and redis.call('ZSCORE', KEYS[3], ARGV[9]) then score = math.max(score, tonumber(last) + 1) end
  redis.call('ZADD', key, string.format('%.0f', score), ARGV[1])
end
local known = redis.call('HGET', KEYS[1], ARGV[1])
-- Lines from before began with four digits that meant something else.
if ARGV[7] ~= '1' and known and string.find(known, '{', 1, true) == 9 and string.sub(known, 1, 8) > ARGV[2] then
  return 0
end
local names, prefix = {}, ARGV[6]
for i = 10, #ARGV do names[ARGV[i]] = true end
local before = redis.call('HGET', KEYS[2], ARGV[1])
for name in string.gmatch(before or '', '[^\n]+') do
  if not names[name] then
    redis.call('ZREM', prefix .. name, ARGV[4], ARGV[1])
    redis.call('ZREM', prefix .. 'changed:' .. name, ARGV[1])
  end
end
-- A line from before does not say where it stands: it may be under another status. Nor does any say after the
-- lobby was cleared, and exports stay then, also of a game that went back and is not over any more.
if not before then
  for _, status in ipairs({'lobby', 'playing', 'over', 'exports'}) do
    local edition = string.match(ARGV[3], '"edition":"([^"]*)"')
    for _, name in ipairs({status .. ':' .. edition, status .. ':*'}) do
      if not names[name] then redis.call('ZREM', prefix .. name, ARGV[4], ARGV[1]) end
    end
  end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ARGV[3])
redis.call('HSET', KEYS[2], ARGV[1], table.concat(ARGV, '\n', 10))
for name in pairs(names) do
  if is_exports(name) then
    add_export(prefix .. name)
  else
    redis.call('ZADD', prefix .. name, 0, ARGV[4])
    redis.call('ZADD', prefix .. 'changed:' .. name, ARGV[5], ARGV[1])
  end
end
return 1
