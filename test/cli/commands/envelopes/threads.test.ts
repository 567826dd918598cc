/**
 * Which workflows there are, from a shell (W-5, SEAT-25).
 */
import { expect, test } from 'vitest'
import { sendEnvelope, validEnvelope } from '../../../support/envelopes.ts'
import { hasProgram } from '../../../support/needs.ts'
import { SharedDaemon } from '../../../server/shared-daemon.ts'
import { openPane } from '../../../support/tmux.ts'
import { AGENTD } from '../../support.ts'
import { runEnvelope } from './support.ts'

const shared = new SharedDaemon()

test('workflows are a table, the newest first, a page at a time; --open leaves those with an open task (W-5)', async () => {
  expect(await runEnvelope(shared, 'threads')).toMatchObject({
    code: 0,
    stdout: 'there are no threads of envelopes\n',
  })
  const done = validEnvelope({ corr: 'doors-done' })
  await sendEnvelope(shared.socket, done)
  const back = { type: 'result', corr: 'doors-done', reply_to: done.id, from: 'agent.doer', to: 'bus.ops' }
  await sendEnvelope(shared.socket, validEnvelope(back))
  expect(await runEnvelope(shared, 'threads', '--open')).toMatchObject({
    stdout: 'no thread has an open task\n',
  })
  await sendEnvelope(shared.socket, validEnvelope({ corr: 'doors-open' }))

  const all = await runEnvelope(shared, 'threads')
  expect(all.stdout).toMatch(
    /^AGE +THREAD +ENVELOPES +OPEN +INTENT +WHO\n\S+ +doors-open +1 +1 task +ops\.backup\.check +agent\.sender, bus\.ops\n\S+ +doors-done +2 +ops\.backup\.check +agent\.sender, bus\.ops, agent\.doer\n$/,
  )
  const open = await runEnvelope(shared, 'threads', '--open', '--json')
  expect(JSON.parse(open.stdout)).toMatchObject({
    items: [{ corr: 'doors-open', open_tasks: 1, last_type: 'task' }],
    next: null,
  })
  const first = await runEnvelope(shared, 'threads', '--limit', '1')
  const [, cursor = ''] = /There is more: --before (\S+)/.exec(first.stderr) ?? []
  const second = await runEnvelope(shared, 'threads', '--limit', '1', '--before', cursor)
  expect([first.stdout.includes('doors-open'), second.stdout.includes('doors-done')]).toEqual([true, true])
})

test.runIf(hasProgram('tmux')).each([
  [80, /^AGE +THREAD +ENVELOPES +OPEN +INTENT +WHO$/],
  [40, /^THREAD +INTENT$/],
])('on a terminal of %d columns no line is broken, whatever the names are', async (columns, head) => {
  const corr = `long-${'x'.repeat(90)}`
  const intent = `ops.${'z'.repeat(90)}`
  await sendEnvelope(shared.socket, validEnvelope({ corr, intent, from: `agent.${'y'.repeat(90)}` }))
  await using pane = await openPane({ columns, env: shared.daemon.env })
  await pane.untilShown(/\$/)
  pane.type(`clear; ${process.execPath} ${AGENTD} envelope threads; echo ended`)
  pane.press('Enter')
  await pane.untilShown(/ended$/m)

  const lines = pane.screen().split('\n')
  const from = lines.findIndex((line) => head.test(line))
  const rows = lines.slice(from + 1, lines.indexOf('ended'))
  expect(from).not.toBe(-1)
  expect(rows.length).toBeGreaterThan(0)
  expect(rows.filter((row) => !/(?:doors|long)-/.test(row))).toEqual([])
})
