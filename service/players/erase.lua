-- Erases a player with everything that is kept about them here, and notes the games where they still sit.
--   KEYS  player  token  departures  request  count of changed names  rows  what else there is
--   ARGV  id  token's hash  channel  1 with a key, else 0  seconds
-- Replies nil where the token is no longer the player's, else those games.
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[2] then return false end
local games, rows = {}, redis.call('HGETALL', KEYS[6])
for i = 1, #rows, 2 do
  if string.match(rows[i + 1], '^%d+|%d+|(%w+)|') ~= 'over' then
    games[#games + 1] = rows[i]
    redis.call('SADD', KEYS[3], rows[i] .. '|' .. ARGV[1])
  end
end
local rotation = redis.call('HGET', KEYS[1], 'rotation')
if rotation then redis.call('DEL', rotation) end
-- Its key makes nobody else: all it tells is that it was used, with a fingerprint that no request has.
local request = redis.call('HGET', KEYS[1], 'request')
if request and redis.call('EXISTS', request) == 1 then
  redis.call('HSET', request, 'fingerprint', 'erased', 'player', '', 'spice', '')
end
redis.call('DEL', KEYS[1], KEYS[2], unpack(KEYS, 6))
redis.call('INCR', KEYS[5])
-- Says nothing but that whoever has this token and this key was erased by them.
if ARGV[4] == '1' then
  redis.call('HSET', KEYS[4], 'erased', 1)
  redis.call('EXPIRE', KEYS[4], ARGV[5])
end
redis.call('PUBLISH', ARGV[3], ARGV[1] .. '|0')
return games
