/** Which files a tool shows to the model (OP-21). */
import { expect, test } from 'vitest'
import { editedFiles } from '../../../src/runtimes/edits/edits.ts'
import { MAX_VIEWED_FILES, viewedFiles } from '../../../src/runtimes/edits/views.ts'

const use = (name: string, input: object) => ({ name, input: { ...input }, response: undefined })

test.each([
  ['Claude Code', 'Read', { file_path: '/r/a.ts', offset: 10 }, ['/r/a.ts']],
  ['Claude Code', 'NotebookRead', { notebook_path: '/r/a.ipynb' }, ['/r/a.ipynb']],
  ['Cursor', 'Read', { file_path: '/r/a.ts' }, ['/r/a.ts']],
  ['Cursor', 'read_file', { target_file: 'a.ts' }, ['a.ts']],
  ['Gemini CLI', 'read_file', { absolute_path: '/r/a.ts' }, ['/r/a.ts']],
  ['Gemini CLI', 'read_file', { file_path: 'a.ts' }, ['a.ts']],
  [
    'Gemini CLI',
    'read_many_files',
    { include: ['a.ts', 'src/**/*.ts', 'b.ts', 'a.ts', 7] },
    ['a.ts', 'b.ts'],
  ],
  ['Copilot CLI', 'view', { path: '/r/a.ts', view_range: [1, 20] }, ['/r/a.ts']],
  ['Copilot CLI', 'str_replace_editor', { command: 'view', path: '/r/a.ts' }, ['/r/a.ts']],
  ['an editor', 'str_replace_based_edit_tool', { command: 'view', path: '/r/a.ts' }, ['/r/a.ts']],
  ['VS Code', 'readFile', { filePath: '/r/a.ts' }, ['/r/a.ts']],
  ['OpenCode', 'read', { filePath: '/r/a.ts' }, ['/r/a.ts']],
] as const)('%s with %s shows what %j names (OP-21)', (_, name, input, files) => {
  expect(viewedFiles(use(name, input))).toEqual(files)
  expect(editedFiles(use(name, input))).toEqual([])
})

test.each([
  ['Edit', { file_path: '/r/a.ts' }],
  ['Write', { file_path: '/r/a.ts' }],
  ['str_replace_editor', { command: 'str_replace', path: '/r/a.ts' }],
  ['str_replace_editor', { path: '/r/a.ts' }],
  ['Bash', { command: 'cat a.ts' }],
  ['mcp__files__read', { path: 'a' }],
  ['Read', {}],
  ['Read', { file_path: 7 }],
  ['read_many_files', { include: 'a.ts' }],
])('%s of %j shows no file that could be named', (name, input) => {
  expect(viewedFiles(use(name, input))).toEqual([])
})

test('one call shows 64 files at the most', () => {
  const include = Array.from({ length: MAX_VIEWED_FILES + 1 }, (_, at) => `f${at}`)

  expect(viewedFiles(use('read_many_files', { include: include.slice(1) }))).toHaveLength(MAX_VIEWED_FILES)
  expect(viewedFiles(use('read_many_files', { include }))).toEqual(include.slice(0, MAX_VIEWED_FILES))
})
