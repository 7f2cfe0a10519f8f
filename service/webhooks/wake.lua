-- Lets webhooks be looked at now. One that is leased is looked at again when its lease is given up.
--   KEYS  due  leases  rung  records  [webhooks of an owner ...], all webhooks without any
--   ARGV  now
local now = tonumber(ARGV[1])
local function wake(webhook)
  local due = tonumber(redis.call('ZSCORE', KEYS[1], webhook) or 'inf')
  if due > now and redis.call('HEXISTS', KEYS[2], webhook) == 1 then
    redis.call('SADD', KEYS[3], webhook)
  elseif due > now then
    redis.call('ZADD', KEYS[1], now, webhook)
  end
end
if #KEYS == 4 then
  for _, webhook in ipairs(redis.call('HKEYS', KEYS[4])) do wake(webhook) end
end
for i = 5, #KEYS do
  for _, webhook in ipairs(redis.call('SMEMBERS', KEYS[i])) do wake(webhook) end
end
return 1
