-- Renames a player, or gives them another token: the old one ends with it.
--   KEYS  player  old token  new token, the same where it stays
--   ARGV  id  old token's hash  new token's hash  channel  [field value ...] to set
-- Replies 0 where the old token is no longer the player's.
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[2] then return 0 end
if KEYS[2] ~= KEYS[3] then
  redis.call('DEL', KEYS[2])
  redis.call('SET', KEYS[3], ARGV[1])
  redis.call('HSET', KEYS[1], 'token', ARGV[3])
  redis.call('PUBLISH', ARGV[4], ARGV[1] .. '|0')
end
if #ARGV > 4 then
  redis.call('HINCRBY', KEYS[1], 'renames', 1)
  redis.call('HSET', KEYS[1], unpack(ARGV, 5))
end
return 1
