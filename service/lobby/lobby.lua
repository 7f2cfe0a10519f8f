-- Puts a game's line into the lobby unless the lobby has come further already in the same epoch of the log.
--   KEYS  lines  lists by game  list of all exports  epochs
--   ARGV  game  version in eight digits  line  member  changed  prefix  ended
--         name of the mark in the list of all exports, once it was whole
--         field of the epoch  epoch, or * for any  field of the place in the feed  that place, or empty
--         [name of a list ...]
-- Replies 0 when it was written, -1 in another epoch, else the version that the lobby has already.
-- Each list is there twice: in the order of creation by its members' names, of change by their scores.
-- Those of exports are there once: by their ends, and who comes late comes last, since others may have read on.
local function is_exports(name) return string.sub(name, 1, 8) == 'exports:' end
local function add_export(key)
  if redis.call('ZSCORE', key, ARGV[1]) then return end
  local last, score = redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2], tonumber(ARGV[7])
  if last and redis.call('ZSCORE', KEYS[3], ARGV[8]) then score = math.max(score, tonumber(last) + 1) end
  redis.call('ZADD', key, string.format('%.0f', score), ARGV[1])
end
local epoch = redis.call('HGET', KEYS[4], ARGV[9]) or ''
if ARGV[10] ~= '*' and ARGV[10] ~= epoch then return -1 end
local number = string.match(epoch, '^%d+') or '0'
-- A line begins with the number of its epoch, none for the first, and its version.
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known then
  local known_epoch, version = string.match(known, '^(%d*):?(%d%d%d%d%d%d%d%d){')
  -- Lines from before began with four digits that meant something else.
  if version and (known_epoch == number or known_epoch == '' and number == '0') and version > ARGV[2] then
    return tonumber(version)
  end
end
if ARGV[12] ~= '' then redis.call('HSET', KEYS[4], ARGV[11], ARGV[12]) end
local names, prefix = {}, ARGV[6]
for i = 13, #ARGV do names[ARGV[i]] = true end
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
redis.call('HSET', KEYS[1], ARGV[1], (number == '0' and '' or number .. ':') .. ARGV[2] .. ARGV[3])
redis.call('HSET', KEYS[2], ARGV[1], table.concat(ARGV, '\n', 13))
for name in pairs(names) do
  if is_exports(name) then
    add_export(prefix .. name)
  else
    redis.call('ZADD', prefix .. name, 0, ARGV[4])
    redis.call('ZADD', prefix .. 'changed:' .. name, ARGV[5], ARGV[1])
  end
end
return 0
