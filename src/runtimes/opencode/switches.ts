/**
 * What makes OpenCode leave us out without a word.
 *
 * @see docs/runtimes.md §5.3
 */
import { join } from 'node:path'
import { configFaults, memberAt, readJsonConfig, type ConfigValue } from '../doctor/config-text.ts'
import { isJsonObject } from '../../core/text/json-object.ts'
import { deniedTools } from '../doctor/denied-tools.ts'
import { notesOn, type DoctorFinding } from '../doctor/finding.ts'
import type { DoctorTarget, RuntimeDoctor } from '../doctor/target.ts'
import { SERVER_NAME } from '../setup/files/json-file.ts'
import { opencodeHome } from './paths.ts'

/** What the doctor knows of OpenCode alone. */
export const opencodeDoctor: RuntimeDoctor = { switches: opencodeSwitches }

function opencodeSwitches({ user }: DoctorTarget): readonly DoctorFinding[] {
  const notes = notesOn('opencode')
  const paths = [opencodeHome(user), user.project].flatMap((folder) =>
    ['opencode.json', 'opencode.jsonc'].map((name) => readJsonConfig(join(folder, name))),
  )
  return paths.flatMap((one) => [
    ...configFaults(notes, one, 'OpenCode cannot use it either.'),
    ...deniedTools(notes, one.path, deniedBy(one)),
    ...(memberAt(one.value, 'mcp', SERVER_NAME, 'enabled') === false
      ? [
          notes.fail(
            'mcp-enabled',
            `enabled is false in ${one.path}: the server of agentd does not start.`,
            `change it in ${one.path}`,
          ),
        ]
      : []),
  ])
}

/** It calls a tool of a server `<server>_<tool>`; `tools` is the former spelling of `permission`. */
function deniedBy({ value }: ConfigValue): readonly string[] {
  const rules = (member: string, denied: unknown): readonly string[] => {
    const found = value[member]
    if (!isJsonObject(found)) return []
    const names = Object.keys(found).filter((name) => found[name] === denied && isOwnTool(name))
    return names.map((name) => `${member} ${name}`)
  }
  return [...rules('permission', 'deny'), ...rules('tools', false)]
}

function isOwnTool(pattern: string): boolean {
  return pattern === `${SERVER_NAME}*` || pattern.startsWith(`${SERVER_NAME}_`)
}
