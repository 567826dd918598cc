/**
 * The environment variables that a person may set: for `agentd help environment` and docs/configuration.md.
 */

/** Variable → what it does; an empty one says nothing. */
export const VARIABLES: readonly (readonly [string, string])[] = [
  ['AGENTD_SOCKET', "the daemon's socket, as --socket"],
  ['AGENTD_TOKEN', 'act as the session that registered with this token, as --token'],
  ['AGENTD_AS', 'speak for another handle of yours, as --as'],
  ['AGENTD_NO_START', 'do not start the daemon, as --no-start'],
  ['AGENTD_CONFIG', 'the configuration (~/.config/agentd/config.json)'],
  ['AGENTD_STATE_DIR', 'where messages and keys are kept (~/.local/state/agentd)'],
  ['AGENTD_PRINCIPAL', 'your handle, for the daemon that is started'],
  ['AGENTD_PROFILE', 'its profile: default or conformance'],
  ['AGENTD_DEBUG', 'a file, absolute, for what hooks, requests and wakes come to'],
  ['NO_COLOR', 'no colours, as --no-color; whatever the others say'],
  ['FORCE_COLOR, CLICOLOR_FORCE', 'colours in a pipe too; 0 is none'],
  ['CLICOLOR', '0: no colours'],
]
