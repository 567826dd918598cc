/** What in a worktree is not committed, as git says it and the disk dates it. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MAX_CHANGED_FILES, readChangedFiles } from '../../../src/cli/observation/changed-files.ts'
import { MAX_LINES } from '../../../src/cli/observation/report.ts'
import { createRepository, type Repository } from '../../runtimes/git/repositories.ts'

function commit(repository: Repository, message: string): void {
  repository.git(['commit', '--quiet', '--allow-empty', '-m', message])
}

test('a git that takes too long, and more files than are dated, are named (OB-03)', async () => {
  await using repository = await createRepository()
  const { path, env } = repository
  commit(repository, 'begin')
  mkdirSync(repository.beside('late'))
  writeFileSync(repository.beside('late/git'), '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 })
  const slow = { env: { ...env, PATH: `${repository.beside('late')}:${env['PATH']}` } }
  const late = await readChangedFiles({ worktree: path, environment: slow, mostMs: 50 })
  for (let i = 0; i <= MAX_CHANGED_FILES; i += 1) writeFileSync(join(path, `f${i}`), '')
  const many = await readChangedFiles({ worktree: path, environment: { env } })

  expect(late).toEqual({
    found: undefined,
    unseen: [expect.objectContaining({ why: 'is not shown: git took longer than 0.05s' })],
  })
  expect(many.found).toHaveLength(MAX_CHANGED_FILES)
  expect(many.unseen).toEqual([
    {
      what: `What is not committed in ${path}`,
      why: `is looked at up to ${MAX_CHANGED_FILES} files of ${MAX_CHANGED_FILES + 1}`,
    },
  ])
  const text = repository.agentd(['observe']).stdout
  expect(text).toContain(`${MAX_CHANGED_FILES - MAX_LINES} more: --json`)
})

test('what git says of each state of a file is told in a word (OB-01)', async () => {
  await using repository = await createRepository()
  const { path, env } = repository
  for (const name of ['changed', 'gone', 'former']) writeFileSync(join(path, name), `${name}\n`.repeat(9))
  repository.git(['add', '.'])
  commit(repository, 'begin')
  writeFileSync(join(path, 'changed'), 'other\n')
  rmSync(join(path, 'gone'))
  repository.git(['mv', 'former', 'later'])
  writeFileSync(join(path, 'new file'), '')

  const { found } = await readChangedFiles({ worktree: path, environment: { env } })

  expect(new Map(found?.map((file) => [file.path, file.state]))).toEqual(
    new Map([
      ['changed', 'changed'],
      ['gone', 'deleted'],
      ['later', 'renamed'],
      ['new file', 'new'],
    ]),
  )
  expect(found?.at(-1)).toEqual({ path: 'gone', state: 'deleted', changedMs: undefined })
})
