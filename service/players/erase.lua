-- Erases a player with everything that is kept about them here.
--   KEYS  player  token  what else there is
--   ARGV  id  token's hash  channel
-- Replies 0 where the token is no longer the player's.
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[2] then return 0 end
local request = redis.call('HGET', KEYS[1], 'request')
if request then redis.call('DEL', request) end
redis.call('DEL', unpack(KEYS))
redis.call('PUBLISH', ARGV[3], ARGV[1] .. '|0')
return 1
