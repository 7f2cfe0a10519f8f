-- Counts a game once, however often it is counted: what it had brought before is taken back.
--   KEYS  counts  games  results  waiting  unrated  epochs  entries of archived games
--   ARGV  game, its counts as JSON, when it ended, its result as JSON or '', field of the epoch, epoch or * for any
--         entry that says that the game was counted for good, as an archived one
-- In another epoch the game may not be over any more: it waits to be counted again.
if ARGV[6] ~= '*' and (redis.call('HGET', KEYS[6], ARGV[5]) or '') ~= ARGV[6] then return 0 end
redis.call('SREM', KEYS[4], ARGV[1])
local before = redis.call('HGET', KEYS[2], ARGV[1])
if before == ARGV[2] then return 0 end
-- It may have been counted and archived since this one read it.
local least = redis.call('ZREVRANGEBYLEX', KEYS[7], '[' .. ARGV[7], '-', 'LIMIT', 0, 1)[1]
if not before and least and redis.call('ZSCORE', KEYS[7] .. ':' .. least, ARGV[7]) then return 0 end
if before then
  for name, number in pairs(cjson.decode(before)) do redis.call('HINCRBY', KEYS[1], name, -number) end
end
for name, number in pairs(cjson.decode(ARGV[2])) do redis.call('HINCRBY', KEYS[1], name, number) end
if ARGV[2] == '{}' then
  redis.call('HDEL', KEYS[2], ARGV[1])
  redis.call('ZREM', KEYS[3], ARGV[1])
  redis.call('HDEL', KEYS[5], ARGV[1])
  return 1
end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
-- A game is rated once: its result is dropped after that.
if ARGV[4] ~= '' and not before then
  redis.call('ZADD', KEYS[3], ARGV[3], ARGV[1])
  redis.call('HSET', KEYS[5], ARGV[1], ARGV[4])
end
return 1
