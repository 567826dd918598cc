/**
 * Which workflows there are, from a shell (W-5, SEAT-25).
 */
import { expect, test } from 'vitest'
import { sendEnvelope, validEnvelope } from '../../../support/envelopes.ts'
import { hasProgram } from '../../../support/needs.ts'
import { SharedDaemon } from '../../../server/shared-daemon.ts'
import { startOnTerminal } from '../../support.ts'
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
    /^AGE +THREAD +ENVELOPES +OPEN +INTENT +WHO\nnow +doors-open +1 +1 task +ops\.backup\.check +agent\.sender, bus\.ops\nnow +doors-done +2 +ops\.backup\.check +agent\.sender, bus\.ops, agent\.doer\n$/,
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

test.runIf(hasProgram('script'))(
  'on a terminal no line is wider than it, whatever the names are',
  async () => {
    await sendEnvelope(
      shared.socket,
      validEnvelope({ corr: `long-${'x'.repeat(90)}`, from: `agent.${'y'.repeat(90)}` }),
    )
    const { env } = shared.daemon
    await using table = startOnTerminal({ ...env, NO_COLOR: '1' }, ['envelope', 'threads'])
    const lines = (await table.ended).stdout.trimEnd().split('\r\n')

    expect(lines.length).toBeGreaterThan(1)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
  },
)
