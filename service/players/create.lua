-- Makes a player, or finds the one that the same request made before.
--   KEYS  player  token  request
--   ARGV  id  name  salt  token's hash  now  fingerprint, empty without a key  spice  seconds
--         seconds after which a player who never played is forgotten, 0 for never
--         the API key that makes the player, empty without one
-- Replies nil where it was made, else fingerprint, id and spice of the request that came first.
if ARGV[6] ~= '' then
  local known = redis.call('HMGET', KEYS[3], 'fingerprint', 'player', 'spice')
  if known[1] then return known end
  redis.call('HSET', KEYS[3], 'fingerprint', ARGV[6], 'player', ARGV[1], 'spice', ARGV[7])
  redis.call('EXPIRE', KEYS[3], ARGV[8])
  redis.call('HSET', KEYS[1], 'request', KEYS[3])
end
redis.call('HSET', KEYS[1], 'name', ARGV[2], 'salt', ARGV[3], 'token', ARGV[4], 'created', ARGV[5], 'renames', 0)
if ARGV[10] ~= '' then redis.call('HSET', KEYS[1], 'key', ARGV[10]) end
redis.call('SET', KEYS[2], ARGV[1])
if ARGV[9] ~= '0' then
  redis.call('EXPIRE', KEYS[1], ARGV[9])
  redis.call('EXPIRE', KEYS[2], ARGV[9])
end
return false
