#!lua name=bench
-- A frame as the daemon takes one, in Redis: decoded, each of its fields looked at, its id remembered, published.
--
-- It knows the one kind that the bench sends, and nothing else; it does not look for members that are named twice, for
-- text that is not UTF-8, or for days that a month does not have, which the daemon does.
--
-- A library of functions, so that its tables are made once; a script would make them at every call.


local function refuse(code, field)
  return redis.error_reply(code .. ' ' .. field)
end

local function text_within(value, least, most)
  return type(value) == 'string' and #value >= least and #value <= most
end

local function is_list(value, least)
  if type(value) ~= 'table' then return false end
  local count = 0
  for _ in pairs(value) do count = count + 1 end
  if count ~= #value or count < least then return false end
  for i = 1, count do
    if type(value[i]) ~= 'string' then return false end
  end
  return true
end

local function is_handle(value)
  if type(value) ~= 'string' or #value > 33 or value == '~org' then return false end
  return value:find('^~[a-z0-9][a-z0-9-]*[a-z0-9]$') ~= nil or value:find('^~[a-z0-9]$') ~= nil
end

local UUID = '^%x%x%x%x%x%x%x%x%-%x%x%x%x%-4%x%x%x%-[89ABab]%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x$'

local function is_uuid(value)
  return type(value) == 'string' and value:find(UUID) ~= nil
end

local DAYS = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 }

-- Milliseconds since 1970, or nothing.
local function read_time(value)
  if type(value) ~= 'string' then return nil end
  local year, month, day, hour, minute, second, rest =
    value:match('^(%d%d%d%d)%-(%d%d)%-(%d%d)[Tt](%d%d):(%d%d):(%d%d)(.*)$')
  if not year then return nil end
  year, month, day = tonumber(year), tonumber(month), tonumber(day)
  hour, minute, second = tonumber(hour), tonumber(minute), tonumber(second)
  if month < 1 or month > 12 or day < 1 or day > 31 or hour > 23 or minute > 59 or second > 60 then return nil end
  local fraction, zone = rest:match('^(%.%d+)(.+)$')
  if not fraction then fraction, zone = '0', rest end
  local offset = 0
  if zone ~= 'Z' and zone ~= 'z' then
    local sign, hours, minutes = zone:match('^([+-])(%d%d):(%d%d)$')
    if not sign or tonumber(hours) > 23 or tonumber(minutes) > 59 then return nil end
    offset = (tonumber(hours) * 60 + tonumber(minutes)) * (sign == '-' and -1 or 1)
  end
  local leaps = math.floor((year - 1) / 4) - math.floor((year - 1) / 100) + math.floor((year - 1) / 400) - 477
  if month > 2 and year % 4 == 0 and (year % 100 ~= 0 or year % 400 == 0) then leaps = leaps + 1 end
  local days = (year - 1970) * 365 + leaps + DAYS[month] + day - 1
  return ((days * 24 + hour) * 60 + minute - offset) * 60000 + (second + tonumber(fraction)) * 1000
end

-- Of the frame at hand; one is looked at at a time.
local created

local LOCATIONS = { ['server-active'] = true, ['server-aggregate'] = true, ['local-only'] = true }
local CHECKS = { passed = true, skipped = true }

-- In the order of the memo: the name, whether it has to be there, and what it has to be.
local FIELDS = {
  { 'envelope_version', true, function(value) return value == '1.0' end },
  { 'frame_id', true, is_uuid },
  { 'kind', true, function(value) return value == 'agent_advisory' end },
  { 'sender_handle', true, is_handle },
  { 'recipient_handle', true, is_handle },
  { 'created_at', true, function(value)
    created = read_time(value)
    return created ~= nil
  end },
  { 'ttl_ms', false, function(value) return type(value) == 'number' and value >= 0 and value % 1 == 0 end },
  { 'payload', true, function(value) return type(value) == 'table' end },
  { 'acted_by', true, is_handle },
  { 'drafted_with', true, is_handle },
  { 'provenance_compute_location', true, function(value) return LOCATIONS[value] ~= nil end },
  { 'provenance_method', true, function(value) return is_list(value, 1) end },
  { 'provenance_return_ref', false, function(value) return type(value) == 'string' end },
  { 'provenance_context_check', true, function(value) return CHECKS[value] ~= nil end },
  { 'provenance_basis', true, function(value) return type(value) == 'string' end },
}

local PAYLOAD = {
  { 'advisory_text', true, function(value) return text_within(value, 1, 2048) end },
  { 'file_refs', false, function(value) return is_list(value, 0) end },
  { 'worktree', false, function(value) return text_within(value, 0, 512) end },
  { 'branch', false, function(value) return text_within(value, 0, 256) end },
}

-- The code and the field of a fault, or nothing.
local function fault_of(object, fields)
  local unknown = 0
  for _ in pairs(object) do unknown = unknown + 1 end
  for i = 1, #fields do
    local field = fields[i]
    local value = object[field[1]]
    if value == nil then
      if field[2] then return 'field-missing', field[1] end
    else
      unknown = unknown - 1
      if not field[3](value) then return 'field-invalid', field[1] end
    end
  end
  if unknown > 0 then return 'field-unknown', '' end
end

-- args: the frame's text · the time in milliseconds since 1970 · how many entries the stream keeps, or '' for no stream.
-- Returns how many got it, or an error with the code and the field.
redis.register_function('take_frame', function(_, args)
  local text, now, kept = args[1], tonumber(args[2]), args[3]
  if #text > 65536 then return refuse('frame-too-large', 'frame') end
  local is_json, frame = pcall(cjson.decode, text)
  if not is_json or type(frame) ~= 'table' then return refuse('field-invalid', 'frame') end
  local code, field = fault_of(frame, FIELDS)
  if not code then code, field = fault_of(frame.payload, PAYLOAD) end
  if code then return refuse(code, field) end
  if created > now + 300000 or created < now - 86400000 then return refuse('field-invalid', 'created_at') end
  if frame.acted_by == frame.drafted_with then return refuse('field-invalid', 'drafted_with') end
  if frame.sender_handle ~= '~alice' then return refuse('sender-mismatch', 'sender_handle') end

  -- As long as the daemon remembers one.
  if not redis.call('SET', frame.frame_id:lower(), '1', 'NX', 'PX', 600000) then return refuse('duplicate-id', 'frame_id') end
  if kept ~= '' then redis.call('XADD', 'bench:ring', 'MAXLEN', '~', kept, '*', 'f', text) end
  return redis.call('PUBLISH', 'bench', text)
end)
