-- Begins each script that tells a reader what happened in a game, each thing once. A reader is a player, an API key, or
-- everybody. The marks of a journal say how far each game was told: version, hash and epoch. '#' counts its entries, and
-- '#back' says how often something was taken back, and where the first of it was.
local WIDTH = 8

local function is_before(id, other)
  local at, number = string.match(id, '^(%d+)-(%d+)$')
  local other_at, other_number = string.match(other, '^(%d+)-(%d+)$')
  if at ~= other_at then return tonumber(at) < tonumber(other_at) end
  return tonumber(number) < tonumber(other_number)
end

-- Notes the place in the feed that something is derived from, beside the epochs; a process that is behind leaves it.
local function reach(epochs, field, place)
  if place == '' then return end
  local known = redis.call('HGET', epochs, field)
  if not known or is_before(known, place) then redis.call('HSET', epochs, field, place) end
end

-- Takes back what was told of a game and is not in its log. Replies the last version that stays, or nil, whether the
-- journal still has its first entry, and where to go on if it was read in so many pages and not to its end.
-- What was told of a game stands in the order of its versions, so that the journal is read from its end, page by page, and
-- only as far as the first entry that stays, or the first of the game: a commit whose hash is in the log follows from all
-- before it, and all that was told of version 1 was told together.
local PAGE = 100
local function take_back(journal, marks, game, is_in_log, upper, pages)
  local first_gone, kept, is_done, has_begun, entries = nil, nil, false, false, nil
  upper, pages = upper or '+', pages or math.huge
  local oldest = redis.call('XRANGE', journal, '-', '+', 'COUNT', 1)[1]
  local is_whole = not oldest
  for i = 1, oldest and #oldest[2] or 0, 2 do
    if oldest[2][i] == 'i' then is_whole = oldest[2][i + 1] == '1' end
  end
  repeat
    entries = redis.call('XREVRANGE', journal, upper, '-', 'COUNT', PAGE)
    for _, entry in ipairs(entries) do
      local fields = {}
      for i = 1, #entry[2], 2 do fields[entry[2][i]] = entry[2][i + 1] end
      local version = fields.g == game and tonumber(fields.v)
      if version and is_in_log(version, fields.h) then
        kept = kept or version
        -- An entry of an earlier release has no hash, and does not tell what stands before it.
        is_done = fields.h ~= nil
      elseif version then
        redis.call('XDEL', journal, entry[1])
        first_gone = entry[1]
      end
      has_begun = has_begun or version == 1
      is_done = is_done or (has_begun and version ~= 1)
      if is_done then break end
      upper = '(' .. entry[1]
    end
    pages = pages - 1
    is_done = is_done or #entries < PAGE
  until is_done or pages == 0
  if first_gone then
    local count, from = string.match(redis.call('HGET', marks, '#back') or '', '^(%d+) (%S+)$')
    if from and is_before(from, first_gone) then first_gone = from end
    redis.call('HSET', marks, '#back', (tonumber(count or '0') + 1) .. ' ' .. first_gone)
  end
  return kept, is_whole, not is_done and upper or nil
end

-- Tells what is new of a page: journal, marks, game, edition, newest version, most entries, first version, hashes from the
-- one before it on, version after which all is new on another log, version up to which all was told of a game without a
-- mark, number of the epoch, place of the events in ARGV, of which each has version, word, seat, awaited seats, hash, player
-- and name.
-- Replies how many were told, and whether the epoch is a new one; -1 where what came before the first version was never
-- told or is needed to see what to take back, -3 where more or something else was told in this epoch.
local function tell(page)
  local game, hashes, first = page.game, page.hashes, page.first
  local last = first - 2 + #hashes / WIDTH
  local function hash_of(version)
    local start = (version - first + 1) * WIDTH
    return string.sub(hashes, start + 1, start + WIDTH)
  end
  local told, elsewhere, known_hash, is_later = 0, false, '', false
  local known = redis.call('HGET', page.marks, game)
  if known then
    local version, hash, epoch = string.match(known, '^(%d+):(%x+):?(%d*)$')
    told, known_hash = tonumber(version), hash
    elsewhere = told > page.newest or (told >= first - 1 and told <= last and hash_of(told) ~= hash)
    is_later = page.epoch > tonumber(epoch ~= '' and epoch or '0')
    if elsewhere and not is_later then return -3, false end
  else
    told = page.sealed
  end
  if elsewhere then
    if first > 1 then return -1, false end
    local kept, is_whole = take_back(page.journal, page.marks, game, function(version, hash)
      return version <= last and (not hash or hash == hash_of(version))
    end)
    told = kept or (is_whole and 0) or math.min(page.since, last)
  end
  if told < first - 1 then return -1, false end

  local count = 0
  for i = page.events, #ARGV, 7 do
    if tonumber(ARGV[i]) > told then
      local number = redis.call('HINCRBY', page.marks, '#', 1)
      local entry = {'g', game, 'v', ARGV[i], 'w', ARGV[i + 1], 's', ARGV[i + 2], 'e', page.edition, 'a', ARGV[i + 3],
        'h', ARGV[i + 4], 'i', number}
      for field, value in pairs({p = ARGV[i + 5], m = ARGV[i + 6]}) do
        if value ~= '' then
          entry[#entry + 1] = field
          entry[#entry + 1] = value
        end
      end
      redis.call('XADD', page.journal, 'MAXLEN', '~', page.most, '*', unpack(entry))
      count = count + 1
    end
  end
  if last > told or elsewhere then
    redis.call('HSET', page.marks, game, last .. ':' .. hash_of(last) .. ':' .. page.epoch)
  elseif is_later then
    redis.call('HSET', page.marks, game, told .. ':' .. known_hash .. ':' .. page.epoch)
  end
  return count, is_later
end
