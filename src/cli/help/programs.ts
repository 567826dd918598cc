/**
 * Topics for whoever writes a script: exit codes, variables, JSON.
 */
import { EXIT_MEANINGS } from './exit-codes.ts'
import type { Topic } from './topic.ts'
import { VARIABLES } from './variables.ts'

export const EXIT_CODES: Topic = {
  name: 'exit-codes',
  says: 'what a command ends with',
  blocks: [
    { rows: EXIT_MEANINGS.map(({ code, brief }) => [String(code), brief] as const) },
    {
      text: 'The code of a refusal, such as field-invalid, stands on stderr in front of its sentence; docs/errors.md has all of them. "agentd hook" ends with 0 whatever happens, save when it wakes a session. "agentd wrap" ends with what its program ended with.',
    },
    { example: ['agentd needs --count >/dev/null || echo "something needs you"'] },
  ],
}

export const ENVIRONMENT: Topic = {
  name: 'environment',
  says: 'variables that agentd heeds',
  blocks: [
    { rows: VARIABLES },
    {
      text: 'An option is heeded before its variable, and a variable before the configuration. An empty variable says nothing.',
    },
  ],
}

export const JSON_TOPIC: Topic = {
  name: 'json',
  says: 'what --json prints',
  blocks: [
    {
      text: 'With --json a command prints objects for programs on stdout, one to a line, and no text for people. Each has a published JSON Schema (draft 2020-12), in the package under dist/schemas; docs/json.md names the one of each command. Members are not taken away or given another meaning; new ones may come, so ignore those you do not know.',
    },
    {
      text: 'An error is one object on stderr, also of a command that was written wrongly, with the exit code that the command ends with:',
    },
    { example: ['{"code":"usage","message":"unknown option \'--bogus\'","exit_code":2}'] },
    {
      text: '"code" is stable; "message" is a sentence and may change; "field" names the member at fault, where there is one. The exit code alone says whether a command did what was asked: 3 and 5 may come with an answer on stdout.',
    },
    { example: ['agentd roster --json | jq -r ".sessions[].name"', 'agentd --version --json'] },
  ],
}
