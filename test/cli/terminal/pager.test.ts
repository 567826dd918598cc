/**
 * Long output through a pager, in a terminal of tmux: when, by which one, and that nothing is lost without.
 */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { hasProgram } from '../../support/needs.ts'
import { connect } from '../../../src/client/index.ts'
import { openPane, type TmuxPane } from '../../support/tmux.ts'
import { agentd, AGENTD, createUser } from '../support.ts'

const COMMAND = `'${process.execPath}' '${AGENTD}'`

/** More frames than a screen of 24 lines has, one of them hostile. */
async function speak(daemon: TestDaemon): Promise<void> {
  await using client = await connect({ socket: daemon.socket })
  for (let i = 1; i <= 40; i += 1) await client.advise(i === 40 ? 'last \u001b[2J\u202eone' : `saying ${i}`)
}

/** A pager that leaves a word of what it got. */
function writePager(daemon: TestDaemon, name: string, script: string): string {
  const path = daemon.dir.file(name)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

async function run(pane: TmuxPane, line: string): Promise<void> {
  pane.type(`clear; ${line}; echo "ended with $?"`)
  pane.press('Enter')
}

test.runIf(hasProgram('tmux'))(
  'history that is longer than the screen goes to a pager, and what fits does not',
  async () => {
    await using daemon = await startTestDaemon()
    await speak(daemon)
    const pager = writePager(daemon, 'pager', 'echo "paged $(wc -l) lines"')
    await using pane = await openPane({ env: { ...daemon.env, AGENTD_PAGER: pager, PAGER: 'false' } })

    await run(pane, `${COMMAND} history`)
    expect((await pane.untilShown(/paged (\d+) lines\nended with 0/))[1]).toBe('41')
    await run(pane, `${COMMAND} history --limit 5`)
    await pane.untilShown(/last \[2Jone\nended with 0/)
    for (const line of ['history --no-pager', 'history | cat', 'history </dev/null', 'history --json']) {
      await run(pane, `${COMMAND} ${line}`)
      await pane.untilShown(/ended with 0/)
      expect(pane.screen()).not.toContain('paged')
    }
  },
)

test.runIf(hasProgram('tmux'))(
  'a pager that is left early is no fault, and one that is not there loses nothing',
  async () => {
    await using daemon = await startTestDaemon()
    await speak(daemon)
    const hasty = writePager(daemon, 'hasty', 'exec <&-; echo seen enough')
    await using pane = await openPane({ env: { ...daemon.env, PAGER: hasty } })

    await run(pane, `${COMMAND} history`)
    await pane.untilShown(/seen enough\nended with 0/)
    expect(pane.screen()).not.toMatch(/EPIPE|defect/)
    await run(pane, `PAGER=no-such-pager ${COMMAND} history`)
    await pane.untilShown(/last \[2Jone\nended with 0/)
    await run(pane, `AGENTD_PAGER= ${COMMAND} history`)
    await pane.untilShown(/last \[2Jone\nended with 0/)
  },
)

test.runIf(hasProgram('tmux'))(
  'help and the lines of a set-up that are longer than the screen go to a pager; what fits does not',
  async () => {
    await using user = await createUser()
    const pager = join(user.dir.path, 'pager')
    writeFileSync(pager, '#!/bin/sh\necho "paged $(wc -l) lines"\n', { mode: 0o755 })
    await using pane = await openPane({ rows: 12, env: { ...user.env, AGENTD_PAGER: pager } })

    for (const line of [
      'help',
      'help history',
      'help topics',
      'help environment',
      'history --help',
      '--help',
    ]) {
      await run(pane, `${COMMAND} ${line}`)
      const [, lines] = await pane.untilShown(/paged (\d+) lines\nended with 0/)
      expect(Number(lines)).toBeGreaterThan(11)
    }
    await run(pane, `${COMMAND} setup gemini --dry-run`)
    await pane.untilShown(/paged \d{2,} lines\nended with 0/)
    pane.resize(80, 24)
    await run(pane, `${COMMAND} help scopes`)
    await pane.untilShown(/ended with 0/)
    expect(pane.screen()).not.toContain('paged')
    for (const line of [
      'help --no-pager',
      '--help --no-pager',
      'history --help --no-pager',
      '--help | cat',
    ]) {
      await run(pane, `${COMMAND} ${line}`)
      await pane.untilShown(/agentd (history|advise)[^\n]*\n(\n)?ended with 0/)
      expect(pane.screen()).not.toContain('paged')
    }
  },
)

test.runIf(hasProgram('tmux'))(
  'the help where a command is missing goes to a pager where it is longer than the screen, and else to stderr',
  async () => {
    await using user = await createUser()
    const pager = join(user.dir.path, 'pager')
    writeFileSync(pager, '#!/bin/sh\necho "paged $(wc -l) lines"\n', { mode: 0o755 })
    await using pane = await openPane({ rows: 12, env: { ...user.env, AGENTD_PAGER: pager } })

    for (const line of ['', 'link']) {
      await run(pane, `${COMMAND} ${line}`)
      expect(Number((await pane.untilShown(/paged (\d+) lines\nended with 2/))[1])).toBeGreaterThan(11)
    }
    for (const line of ['2>/dev/null', '| cat >/dev/null; false', '</dev/null 2>/dev/null', '--json']) {
      await run(pane, `${COMMAND} ${line}`)
      await pane.untilShown(/ended with [12]/)
      expect(pane.screen()).not.toContain('paged')
    }
    const piped = await agentd({ ...user.env, AGENTD_PAGER: pager }, [])
    expect(piped).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^Usage: agentd/) })
  },
)

test('in a pipe a pager is never asked', async () => {
  await using daemon = await startTestDaemon()
  await speak(daemon)
  const { code, stdout } = await agentd({ ...daemon.env, AGENTD_PAGER: 'echo paged' }, ['history'])

  expect([code, stdout.includes('paged'), stdout.includes('saying 1\n')]).toEqual([0, false, true])
})
