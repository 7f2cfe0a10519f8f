-- Renames a player, or gives them another token: the old one ends with it.
--   KEYS  player  old token  new token, the same where it stays  requests  count of changed names
--   ARGV  id  old token's hash  new token's hash  channel  field of the request, empty without a key
--         what to keep there  seconds  [field value ...] to set
-- Replies 0 where the old token is no longer the player's, 1 where it was done, else what was kept there before.
local request = ARGV[5]
local known = request ~= '' and redis.call('HGET', KEYS[4], request)
if known then return known end
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[2] then return 0 end
if request ~= '' then
  redis.call('HSET', KEYS[4], request, ARGV[6])
  redis.call('EXPIRE', KEYS[4], ARGV[7])
end
if KEYS[2] ~= KEYS[3] then
  -- What an earlier rotation gave is no token any more.
  local earlier = redis.call('HGET', KEYS[1], 'rotation')
  if earlier then redis.call('DEL', earlier) end
  redis.call('HDEL', KEYS[1], 'rotation')
  if request ~= '' then redis.call('HSET', KEYS[1], 'rotation', KEYS[4]) end
  redis.call('DEL', KEYS[2])
  redis.call('SET', KEYS[3], ARGV[1])
  -- A player who never played is forgotten together with the token.
  local rest = redis.call('TTL', KEYS[1])
  if rest > 0 then redis.call('EXPIRE', KEYS[3], rest) end
  redis.call('HSET', KEYS[1], 'token', ARGV[3])
  redis.call('PUBLISH', ARGV[4], ARGV[1] .. '|0')
end
if #ARGV > 7 then
  redis.call('HINCRBY', KEYS[1], 'renames', 1)
  redis.call('HSET', KEYS[1], unpack(ARGV, 8))
  redis.call('INCR', KEYS[5])
end
return 1
