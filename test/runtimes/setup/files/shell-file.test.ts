import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeShell, stripShell } from '../../../../src/runtimes/setup/files/shell-file.ts'
import { createTempDir } from '../../../support/temp-dir.ts'

const LINES = ['agentd_status=$?', 'echo ours >&2', '(exit "$agentd_status")']

const SCRIPTS: Readonly<Record<string, string>> = {
  'a plain script': '#!/bin/sh\necho theirs\n',
  'one without a line end': '#!/bin/sh\necho theirs',
  'one that fails': '#!/bin/sh\nfalse\n',
  'one that stops at the first failure': '#!/bin/sh -e\ntrue\n',
  'one that ends itself': '#!/usr/bin/env bash\necho theirs\nexit 3\n',
  'one that becomes another program': '#!/bin/sh\nexec true "$@"\n',
  'one of husky, which sources its runner': '#!/usr/bin/env sh\n. /dev/null\n',
  'one that only has a head': '#!/bin/sh',
}

test.each(Object.entries(SCRIPTS))('%s: the block runs, and the status is what it was', async (_, script) => {
  await using dir = await createTempDir()
  const run = (text: string): { status: number | null; stderr: string } => {
    writeFileSync(dir.file('hook'), text, { mode: 0o755 })
    const { status, stderr } = spawnSync(dir.file('hook'), { encoding: 'utf8' })
    return { status, stderr }
  }
  const { text, inserted } = mergeShell(script, LINES, 'hook')

  expect(run(text)).toEqual({ status: run(script).status, stderr: 'ours\n' })
  expect(mergeShell(text, LINES, 'hook').text).toBe(text)
  expect(stripShell(text, inserted)).toBe(script)
})

test('a block of another version is replaced where it stands', () => {
  const { text } = mergeShell('#!/bin/sh\necho theirs\n', LINES, 'hook')

  const { text: after } = mergeShell(`${text}echo later\n`, ['echo new'], 'hook')

  expect(after).toContain('echo theirs\n# >>> agentd >>>')
  expect(after).toContain('echo new\n# <<< agentd <<<\necho later\n')
  expect(after).not.toContain('agentd_status')
})

test('a hook in another language is left alone', () => {
  expect(() => mergeShell('#!/usr/bin/env python3\nprint(1)\n', LINES, 'pre-push')).toThrow(
    'pre-push is left alone: it is not a shell script',
  )
})

test('whatever lines stand around it, the block goes in and out without a trace', () => {
  const line = fc.constantFrom('echo a', 'exit 0', 'exec x', '', '# note', '  . ./lib', 'if true; then', 'fi')
  fc.assert(
    fc.property(fc.array(line), fc.boolean(), (lines, hasEnd) => {
      const script = `#!/bin/sh\n${lines.join('\n')}${hasEnd ? '\n' : ''}`
      const { text, inserted } = mergeShell(script, LINES, 'hook')

      expect(stripShell(text, inserted)).toBe(script)
    }),
  )
})
