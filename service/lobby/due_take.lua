-- Takes games that are due and puts each off until its lease ends, so that nobody else takes it meanwhile.
--   KEYS  indexes  [lobby's mark]
--   ARGV  now  end of the lease  most games of an index  name of the mark  number of indexes
-- Replies whether all of them are whole, when the next game is due, and the games taken.
local whole, following, taken = 1, nil, {}
local number = tonumber(ARGV[5])
if #KEYS > number and redis.call('EXISTS', KEYS[#KEYS]) == 0 then whole = 0 end
for i = 1, number do
  local key = KEYS[i]
  if not redis.call('ZSCORE', key, ARGV[4]) then whole = 0 end
  local games = redis.call('ZRANGEBYSCORE', key, '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
  for _, game in ipairs(games) do
    redis.call('ZADD', key, ARGV[2], game)
    taken[#taken + 1] = game
  end
  local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2]
  if first and (not following or tonumber(first) < tonumber(following)) then following = first end
end
return {whole, following or 'inf', taken}
