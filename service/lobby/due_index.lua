-- Takes games that are due and puts each off until its lease ends, so that nobody else takes it meanwhile.
--   KEYS  times  lobby's mark
--   ARGV  now  end of the lease  most games  name of the mark
-- Replies whether lobby and index are whole, when the next game is due, and the games taken.
local whole = redis.call('EXISTS', KEYS[2]) == 1 and redis.call('ZSCORE', KEYS[1], ARGV[4])
local games = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, game in ipairs(games) do redis.call('ZADD', KEYS[1], ARGV[2], game) end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return {whole and 1 or 0, first[2] or 'inf', games}
