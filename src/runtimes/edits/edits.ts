/**
 * Which files a tool writes, from its name and its input.
 *
 * @see docs/runtimes.md §§1.2, 2.1, 3, 4, 5
 */
import { firstTextOf, listMember, objectOf, textMember } from '../../core/text/json-object.ts'
import type { EventMembers } from '../events/members.ts'
import { PATCH_BEGIN, patchedFiles } from './patch.ts'
import { shellPatch } from './shell-patch.ts'
import { placedFrom } from './shell-places.ts'
import { recordedChanges } from './recorded-changes.ts'
import { isViewer } from './views.ts'
import { readShellRun } from './shell-writes.ts'
import { plainToolName } from './tool-name.ts'
import type { ToolUse } from '../events/event.ts'

/** Tools of all runtimes that write the file they name; a name means the same in each of them. */
const WRITERS: ReadonlySet<string> = new Set([
  'edit',
  'multiedit',
  'write',
  'notebookedit',
  'delete',
  'strreplace',
  'searchreplace',
  'writefile',
  'replace',
  'create',
  'createfile',
  'strreplaceeditor',
  'replacestringinfile',
  'multireplacestringinfile',
  'inserteditintofile',
  'editnotebookfile',
  'editfiles',
  'editfile',
  'patch',
  'applypatch',
])

/** Tools that run a line of shell. */
const SHELLS: ReadonlySet<string> = new Set([
  'bash',
  'shell',
  'runshellcommand',
  'runinterminal',
  'execcommand',
])

const PATH_NAMES = ['file_path', 'filePath', 'notebook_path', 'path', 'target_file', 'target_notebook']
const PATCH_NAMES = ['input', 'patch', 'command', 'patchText']

/** Of Copilot's one tool that also looks: the words that write. */
const EDITOR_WRITES = new Set(['create', 'str_replace', 'insert'])

/** Files one call is taken to write. */
const MAX_FILES = 64

/** @returns paths as the tool was given them, each once; nothing for a tool that writes no file we can name */
export function editedFiles(tool: ToolUse): readonly string[] {
  const name = plainToolName(tool.name)
  const { input } = tool
  const command = textMember(input, 'command')
  if (SHELLS.has(name)) return inShell(tool, command).slice(0, MAX_FILES)
  if (!WRITERS.has(name)) return []
  if (name === 'strreplaceeditor' && command !== undefined && !EDITOR_WRITES.has(command)) return []
  return [...new Set([...namedFiles(input), ...inPatch(input)])].slice(0, MAX_FILES)
}

/** Whether it may change what its input does not name: a shell, or a tool that nobody here knows. */
export function mayChangeAnything(tool: ToolUse): boolean {
  const name = plainToolName(tool.name)
  return !WRITERS.has(name) && !isViewer(name)
}

/** What the program says was written counts before what can be read off the line (OP-24). */
function inShell({ response, leftIn }: ToolUse, command: string | undefined): readonly string[] {
  const recorded = recordedChanges(response)
  if (recorded?.isWhole === true) return recorded.files
  const known = recorded?.files ?? []
  return command === undefined ? known : [...new Set([...known, ...inLine(command, leftIn)])]
}

function inLine(command: string, leftIn: string | undefined): readonly string[] {
  if (command.includes(PATCH_BEGIN)) return shellPatch(command) ?? patchedFiles(command)
  const run = readShellRun(command)
  return leftIn === undefined ? run.files : placedFrom(leftIn, run)
}

/** One file, several, or several changes that each name theirs. */
function namedFiles(input: EventMembers): readonly string[] {
  const one = firstTextOf(input, PATH_NAMES)
  const several = listMember(input, 'files').filter((file) => typeof file === 'string')
  const changes = [...listMember(input, 'replacements'), ...listMember(input, 'edits')]
  const changed = changes.map((change) => firstTextOf(objectOf(change), PATH_NAMES))
  return [...(one === undefined ? [] : [one]), ...several, ...changed.filter((path) => path !== undefined)]
}

function inPatch(input: EventMembers): readonly string[] {
  const text = PATCH_NAMES.map((name) => textMember(input, name)).find((found) =>
    found?.includes(PATCH_BEGIN),
  )
  return text === undefined ? [] : patchedFiles(text)
}
