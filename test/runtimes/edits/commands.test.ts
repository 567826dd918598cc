/** Which files a command has written, by what the program says of it and by where it left the shell (OP-24). */
import { assert, array, constantFrom, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editedFiles } from '../../../src/runtimes/edits/edits.ts'
import { placedFrom } from '../../../src/runtimes/edits/shell-places.ts'
import { readShellRun } from '../../../src/runtimes/edits/shell-writes.ts'
import { EVENT_NAMES, RUNTIMES } from '../../../src/runtimes/catalogue.ts'
import { claudeCode } from '../../../src/runtimes/claude-code/runtime.ts'
import { readEvent } from '../../../src/runtimes/events/event.ts'
import type { HookRuntime } from '../../../src/runtimes/events/hook-runtime.ts'

/** As Claude Code sends it behind a command. */
const AFTER = {
  session_id: 's1',
  hook_event_name: 'PostToolUse',
  tool_name: 'Bash',
  tool_use_id: 'toolu_01',
  cwd: '/r/src',
  tool_input: { command: "cd src && sed -i 's/a/b/' auth.ts" },
  tool_response: { stdout: '', stderr: '', interrupted: false },
}

function filesOf(changes: object, runtime: HookRuntime = claudeCode): readonly string[] | undefined {
  const tool = readEvent({ ...AFTER, ...changes }, runtime, EVENT_NAMES)?.tool
  return tool && editedFiles(tool)
}

/** A response with the program's own record of what was changed. */
const recorded = (bashEditDiff: unknown) => ({ tool_response: { ...AFTER.tool_response, bashEditDiff } })

describe('what the program says was written', () => {
  test('counts before the line, and is absolute (OP-24)', () => {
    const files = ['/r/src/auth.ts', '/r/gen/x.ts']

    expect(filesOf(recorded({ changedFiles: files, files: [], moreFiles: 2 }))).toEqual(files)
    expect(filesOf({ tool_input: { command: 'npm run gen' }, ...recorded({ changedFiles: files }) })).toEqual(
      files,
    )
  })

  test('may be nothing, and then nothing was written', () => {
    expect(filesOf(recorded({ changedFiles: [], moreFiles: 0 }))).toEqual([])
  })

  test('is read together with the line where the list may be short', () => {
    const files = ['/r/gen/x.ts', '/r/src/auth.ts']

    expect(filesOf(recorded({ changedFiles: ['/r/gen/x.ts'], unavailable: true }))).toEqual(files)
    expect(filesOf(recorded({ unavailable: true }))).toEqual(['/r/src/auth.ts'])
  })

  test.each([
    ['of a command that moved the working tree', { skipped: true }],
    ['that may be of another command', { changedFiles: ['/r/other.ts'], shared: true }],
    ['of no known form', 'a.ts'],
    ['of no form', null],
  ])('%s is not believed', (_, record) => {
    expect(filesOf(recorded(record))).toEqual(['/r/src/auth.ts'])
  })

  test('names absolute files, each once, and 64 of them', () => {
    const many = Array.from({ length: 65 }, (_, at) => `/r/${at}`)

    expect(filesOf(recorded({ changedFiles: ['/r/a', 7, 'b', '', '/r/a', null] }))).toEqual(['/r/a'])
    expect(filesOf(recorded({ changedFiles: many.slice(1) }))).toHaveLength(64)
    expect(filesOf(recorded({ changedFiles: many }))).toEqual(many.slice(0, 64))
  })
})

describe('where a command left the shell', () => {
  test('is where its files are counted from, and nothing is under src/src (OP-24)', () => {
    expect(filesOf({})).toEqual(['/r/src/auth.ts'])
    expect(filesOf({ hook_event_name: 'PostToolUseFailure' })).toEqual(['/r/src/auth.ts'])
  })

  test('is not known before it, nor of a subagent, whose shell is put back, nor of a shell that stays', () => {
    expect(filesOf({ hook_event_name: 'PreToolUse', cwd: '/r' })).toEqual(['src/auth.ts'])
    expect(filesOf({ agent_id: 'a1', cwd: '/r' })).toEqual(['src/auth.ts'])
    const others = RUNTIMES.filter(({ followsShell }) => followsShell !== true)
    expect(others.length).toBeGreaterThan(1)
    for (const other of others)
      expect([other.id, filesOf({ cwd: '/r', hook_event_name: wireNameOf(other) }, other)]).toEqual([
        other.id,
        ['src/auth.ts'],
      ])
  })

  test.each([
    ['echo x > a', '/r', ['/r/a']],
    ['echo x > ./b/../a', '/r/', ['/r/a']],
    ['cd src; echo x > a', '/r/src', ['/r/src/a']],
    ['cd src/ && cd ./deep && echo x > a', '/r/src/deep', ['/r/src/deep/a']],
    ['echo x > b && cd src && echo x > a', '/r/src', ['/r/b', '/r/src/a']],
    ['cd .. && echo x > a', '/r', ['/r/a']],
    ['cd ../web && echo x > a', '/r/web', ['/r/web/a']],
    ['cd ../web && echo x > ../a', '/r/web', ['/r/a']],
    // What lay beside it before nobody has said the name of.
    ['echo x > b; cd ../web && echo x > a', '/r/web', ['/r/web/a']],
    ['cd /s && echo x > a', '/s', ['/s/a']],
    ['echo x > b; cd /s && echo x > a', '/s', ['/s/a']],
    // It failed, or the shell was put back.
    ['cd src; echo x > a', '/r', []],
    ['cd src && echo x > a; echo y > /t/b', '/elsewhere', ['/t/b']],
    ['cd $DIR && echo x > a', '/r/src', []],
    ['cd src && cd - && echo x > a', '/r', []],
    ['echo x > a', '/', ['/a']],
    ['cd r && echo x > a', '/r', ['/r/a']],
  ] as const)('%s, left in %s', (line, leftIn, files) => {
    expect(placedFrom(leftIn, readShellRun(line))).toEqual(files)
  })

  test('a command that goes down and writes is placed as its shell would place it', () => {
    const steps = array(constantFrom('a', 'b', 'c-d', 'e.f'), { maxLength: 4 })
    assert(
      property(steps, steps, (down, path) => {
        const line = `${down.map((step) => `cd ${step} && `).join('')}echo x > ${[...path, 'file'].join('/')}`
        const end = ['/r', ...down].join('/')

        expect(placedFrom(end, readShellRun(line))).toEqual([[end, ...path, 'file'].join('/')])
      }),
    )
  })
})

/** What a runtime calls the event behind a tool. */
function wireNameOf({ eventNames }: HookRuntime): string {
  return Object.entries(eventNames).find(([, name]) => name === 'after-tool')?.[0] ?? ''
}
