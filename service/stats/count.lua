-- Counts a game once, however often it is counted: what it had brought before is taken back.
--   KEYS  counts  games  results  waiting  placed  ratings  rated  boards
--   ARGV  game, its counts as JSON, when it ended (15 digits) or '', its result as JSON, prefix of the boards
redis.call('SREM', KEYS[4], ARGV[1])
local before = redis.call('HGET', KEYS[2], ARGV[1])
if before == ARGV[2] then return 0 end
if before then
  for name, number in pairs(cjson.decode(before)) do redis.call('HINCRBY', KEYS[1], name, -number) end
end
for name, number in pairs(cjson.decode(ARGV[2])) do redis.call('HINCRBY', KEYS[1], name, number) end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
local rated = redis.call('GET', KEYS[7]) or ''
if before or (ARGV[3] ~= '' and ARGV[3] .. '|' .. ARGV[1] <= rated) then
  -- Ratings depend on the order in which games ended: what comes late is rated with all the others.
  for _, board in ipairs(redis.call('SMEMBERS', KEYS[8])) do redis.call('DEL', ARGV[5] .. board) end
  redis.call('DEL', KEYS[6], KEYS[7], KEYS[8])
end
redis.call('ZREM', KEYS[3], ARGV[1])
if ARGV[3] ~= '' then
  redis.call('ZADD', KEYS[3], tonumber(ARGV[3]), ARGV[1])
  redis.call('HSET', KEYS[5], ARGV[1], ARGV[4])
end
return 1
