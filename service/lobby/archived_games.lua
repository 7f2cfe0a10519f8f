-- Reads and writes the lists of archived games: one order of all entries, in small sorted sets.
--   KEYS  names of the sets: the least entry that each may hold; counts of archived games, of others, and by game
--   ARGV  'seal' or 'unseal'  game  its counts as JSON  those of its players as JSON
--         entry that says that it is sealed  [entry ...], or
--         'unlist'  [entry ...], or 'read'  1 to go down, 0 to go up  number  [low high ...]
-- Sealing a game moves what it counts from the counts of the others, once; unsealing takes it back.
-- Replies for each range that was read its first entries from that end.
-- A small set takes a third of the memory that a large one needs for an entry.
-- Below the 128 at which a server by its defaults stores a set in another way, for good.
local MOST = 120

local function set_of(least) return KEYS[1] .. ':' .. least end
local function find_set(entry) return redis.call('ZREVRANGEBYLEX', KEYS[1], '[' .. entry, '-', 'LIMIT', 0, 1)[1] end

local function add(entry)
  local least = find_set(entry)
  if not least then
    least = ''
    redis.call('ZADD', KEYS[1], 0, least)
  end
  local added = redis.call('ZADD', set_of(least), 0, entry)
  if redis.call('ZCARD', set_of(least)) > MOST then
    local upper = redis.call('ZRANGE', set_of(least), MOST / 2, -1)
    redis.call('ZREMRANGEBYRANK', set_of(least), MOST / 2, -1)
    redis.call('ZADD', KEYS[1], 0, upper[1])
    for _, one in ipairs(upper) do redis.call('ZADD', set_of(upper[1]), 0, one) end
  end
  return added
end

local function remove(entry)
  local least = find_set(entry)
  if not least then return 0 end
  local removed = redis.call('ZREM', set_of(least), entry)
  if redis.call('EXISTS', set_of(least)) == 0 then redis.call('ZREM', KEYS[1], least) end
  return removed
end

local function read(down, number, low, high)
  local found, first = {}, true
  local least = find_set(string.sub(down and high or low, 2)) or redis.call('ZRANGE', KEYS[1], 0, 0)[1]
  while least and #found < number do
    local entries
    if down then
      entries = redis.call('ZREVRANGEBYLEX', set_of(least), high, low, 'LIMIT', 0, number - #found)
      least = redis.call('ZREVRANGEBYLEX', KEYS[1], '(' .. least, '-', 'LIMIT', 0, 1)[1]
    else
      entries = redis.call('ZRANGEBYLEX', set_of(least), low, high, 'LIMIT', 0, number - #found)
      least = redis.call('ZRANGEBYLEX', KEYS[1], '(' .. least, '+', 'LIMIT', 0, 1)[1]
    end
    -- The first set may hold only entries beyond the end where the reading begins.
    if #entries == 0 and not first then break end
    first = false
    for _, entry in ipairs(entries) do found[#found + 1] = entry end
  end
  return found
end

if ARGV[1] == 'read' then
  local replies = {}
  for i = 4, #ARGV, 2 do replies[#replies + 1] = read(ARGV[2] == '1', tonumber(ARGV[3]), ARGV[i], ARGV[i + 1]) end
  return replies
end
if ARGV[1] == 'unlist' then
  for i = 2, #ARGV do remove(ARGV[i]) end
  return 0
end

local function add_up(key, counts, sign)
  for name, number in pairs(counts) do
    if redis.call('HINCRBY', key, name, sign * number) == 0 then redis.call('HDEL', key, name) end
  end
end
local function count(key, counts, sign) add_up(key, cjson.decode(counts), sign) end
local sealing = ARGV[1] == 'seal'
local change = sealing and add or remove
if change(ARGV[5]) == 1 then
  count(KEYS[2], ARGV[3], sealing and 1 or -1)
  for player, counts in pairs(cjson.decode(ARGV[4])) do
    add_up(KEYS[2] .. ':' .. player, counts, sealing and 1 or -1)
  end
  local before = redis.call('HGET', KEYS[4], ARGV[2])
  if before then
    count(KEYS[3], before, -1)
    redis.call('HDEL', KEYS[4], ARGV[2])
  end
end
for i = 6, #ARGV do change(ARGV[i]) end
return 0
