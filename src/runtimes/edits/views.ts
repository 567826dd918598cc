/**
 * Which files a tool shows to the model, from its name and its input: the last moment before an edit at which a word about
 * the file still comes in time.
 *
 * @see docs/runtimes.md §§1.2, 3, 4, 5; OP-21
 */
import { firstTextOf, listMember, textMember } from '../../core/text/json-object.ts'
import type { ToolUse } from '../events/event.ts'
import { plainToolName } from './tool-name.ts'

/** Tools of all runtimes that show the file they name; a name means the same in each of them. */
const VIEWERS: ReadonlySet<string> = new Set(['read', 'readfile', 'readmanyfiles', 'notebookread', 'view'])

/** Tools that edit too: only with this word they look. */
const EDITORS: ReadonlySet<string> = new Set(['strreplaceeditor', 'strreplacebasededittool'])
const EDITOR_VIEWS = 'view'

const PATH_NAMES = [
  'file_path',
  'filePath',
  'absolute_path',
  'notebook_path',
  'path',
  'target_file',
  'target_notebook',
]

/** Several at once, some of which may be patterns. */
const LIST_NAMES = ['paths', 'include']
const PATTERN = /[*?[\]{}]/

/** Files one call is taken to show. */
export const MAX_VIEWED_FILES = 64

/** Whether a tool of this name shows files and changes none. @param plain - the name in one spelling */
export function isViewer(plain: string): boolean {
  return VIEWERS.has(plain)
}

/** @returns paths as the tool was given them, each once; nothing for a tool that shows no file we can name */
export function viewedFiles({ name, input }: ToolUse): readonly string[] {
  const plain = plainToolName(name)
  const isView = VIEWERS.has(plain) || (EDITORS.has(plain) && textMember(input, 'command') === EDITOR_VIEWS)
  if (!isView) return []
  const one = firstTextOf(input, PATH_NAMES)
  const several = LIST_NAMES.flatMap((list) => listMember(input, list))
  const named = several.filter((file) => typeof file === 'string' && file !== '' && !PATTERN.test(file))
  const files = [...(one === undefined ? [] : [one]), ...named.map(String)]
  return [...new Set(files)].slice(0, MAX_VIEWED_FILES)
}
