-- Sets when a game is due, unless its log has gone on, or back, since that was found out.
--   KEYS  index  stream
--   ARGV  game  time, empty to remove the game  LT to write earlier times only
--         version and hash of the newest commit, and the hash in hex; the version may be empty
-- Replies 1 if it was written, 0 if the log ends elsewhere. A game without a stream is gone, or in the archive:
-- whoever moved it there has set its time.
if ARGV[4] ~= '' then
  local last = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
  if not last or string.match(last[1], '^(%d+)-') ~= ARGV[4] then return 0 end
  for i = 1, #last[2], 2 do
    local hash = last[2][i + 1]
    -- Entries of 0.2 and before have their hash in hex.
    if last[2][i] == 'h' and hash ~= ARGV[5] and hash ~= ARGV[6] then return 0 end
  end
end
if ARGV[2] == '' then
  redis.call('ZREM', KEYS[1], ARGV[1])
elseif ARGV[3] == '' then
  redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
else
  redis.call('ZADD', KEYS[1], ARGV[3], ARGV[2], ARGV[1])
end
return 1
