/**
 * What the person meets in a real terminal: answers that come late, files that two are at, and forgetting.
 */
import { describe, expect, test } from 'vitest'
import { connect } from '../../../src/client/index.ts'
import { hasProgram } from '../../support/needs.ts'
import { quit, stage } from '../../support/top-scene.ts'

/** A terminal and two programs start; a busy machine takes its time. */
const PATIENCE_MS = 60_000

const WORKTREE = { repository: '/repo/.git', worktree: '/repo', branch: 'main' }

describe.runIf(hasProgram('tmux'))('in a terminal', { timeout: PATIENCE_MS }, () => {
  test('a question whose time is over says so, and its answer still reaches who asked (SEAT-21)', async () => {
    await using scene = await stage()
    const { agent, pane } = scene
    const query_id = '4f1c0a52-3a6e-4c0e-9d0b-0a8f6f1e2d3c'
    const question = { query_id, query_text: 'Force-push?', response_scope: agent.address, timeout_ms: 1_000 }
    await agent.send({ kind: 'agent_query', payload: question, scope: '~alice/human*' })
    await pane.untilShown(/question +\S+ +Force-push\? +late/)
    pane.press('j', 'Enter')
    await pane.untilShown(/late: its time is over, and an answer still\s+reaches it/)
    pane.press('a')
    await pane.untilShown(/Answer ─/)
    pane.type('Yes')
    await pane.untilShown(/> Yes/)
    pane.press('Enter')
    await pane.untilShown(/Sent to 1 session/)

    expect(await scene.told()).toEqual([
      expect.objectContaining({
        kind: 'agent_response',
        payload: expect.objectContaining({ query_id, response_text: 'Yes' }),
      }),
    ])
    await quit(scene)
  })

  test('two at one file stand with each other until one of them lets go of it (SEAT-24, SEAT-38)', async () => {
    await using scene = await stage({ columns: 100, rows: 30 })
    const { daemon, pane } = scene
    await using others = await connect({ socket: daemon.socket })
    const one = await others.session({ instrument: 'cc', sessionId: 'c1', title: 'login', ...WORKTREE })
    const other = await others.session({ instrument: 'codex', sessionId: 'k1', title: 'tokens', ...WORKTREE })
    const lease = await one.lock('src/auth.ts')
    const second = await other.lock('src/auth.ts')
    await pane.untilShown(/login [^\n]*⚠ auth\.ts with tokens/)
    await pane.untilShown(/tokens [^\n]*⚠ auth\.ts with login/)

    await lease.release()
    await pane.untilGone(/⚠/)
    await second.release()
    await quit(scene)
  })

  test('an item is forgotten where it is read: counted, asked about, and gone for everybody (SEAT-23, W-8)', async () => {
    await using scene = await stage()
    const { agent, client, pane } = scene
    for (const text of ['one', 'two']) await agent.advise(text)
    await agent.broadcast('three')
    pane.press('g', 'p')
    await pane.untilShown(/advisory +two[^]*broadcast +three/)
    pane.press('Up', 'Up', 'Enter')
    await pane.untilShown(/x forget/)
    pane.press('x')
    await pane.untilShown(/▸ this item/)
    pane.press('j', 'Enter')
    await pane.untilShown(/Press Enter to forget 2 items for good \(every advisory\)/)
    // What comes between the question and the yes stays.
    await agent.advise('late')
    pane.press('Enter')
    await pane.untilShown(/Forgot 2 items\./)

    const { items } = await client.history()
    expect(items.map(({ frame }) => frame.payload)).toMatchObject([
      { broadcast_text: 'three' },
      { advisory_text: 'late' },
    ])
    await quit(scene)
  })
})
