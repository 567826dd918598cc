/** Daemons that come and go, hosts that call too much: a call always ends with a result. */
import { UsageError } from '../../src/core/errors.ts'
import { MAX_JSON_PARTS } from '../../src/core/limits.ts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { connect } from '../../src/client/connect.ts'
import { MAX_CALLS_IN_FLIGHT } from '../../src/mcp/session/bounds.ts'
import { startTestDaemon } from '../support/daemon.ts'
import { nestedText } from '../support/nested.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { Changes } from '../support/within.ts'
import { claudeHost, connectHost } from './support/connection.ts'
import { readCalled, type Answer } from './support/host.ts'
import { keepsFrames } from '../support/without-sqlite.ts'

describe('a daemon that is restarted', () => {
  test.runIf(keepsFrames())('knows the session again, and what waited for it', async () => {
    await using dir = await createTempDir()
    const first = await startTestDaemon({ dir })
    await using host = claudeHost(first.socket, 's1')
    const before = await host.call('agentd_roster')
    await using client = await connect({ socket: first.socket })
    await client.advise('meanwhile', { scope: '~alice/cc@s1' })

    await first.stop()
    await using second = await startTestDaemon({ dir })

    const after = await host.call('agentd_roster')
    expect(second.socket).toBe(first.socket)
    expect(after.facts['you']).toBe(before.facts['you'])
    expect(after.facts['unread']).toBe(1)
    expect((await host.call('agentd_inbox')).facts['messages']).toMatchObject([{ text: 'meanwhile' }])
  })

  test('and has forgotten everything is registered with again', async () => {
    await using dir = await createTempDir()
    const config = { ring: { enabled: false } }
    const first = await startTestDaemon({ dir, config })
    await using host = claudeHost(first.socket, 's1')
    await host.call('agentd_roster')

    await first.stop('SIGKILL')
    await using second = await startTestDaemon({ dir, config })

    await using client = await connect({ socket: second.socket })
    expect((await host.call('agentd_send', { kind: 'advise', text: 'on' })).isError).toBe(false)
    expect(await client.roster()).toMatchObject([{ address: '~alice/cc@s1' }])
  })

  test('is asked once more before anything was sent, and a message is never sent twice', async () => {
    await using dir = await createTempDir()
    const first = await startTestDaemon({ dir })
    await using host = claudeHost(first.socket, 's1')
    await host.call('agentd_roster')
    await first.stop()
    await using second = await startTestDaemon({ dir })

    await host.call('agentd_send', { kind: 'advise', text: 'once' })

    await using client = await connect({ socket: second.socket })
    expect((await client.history()).items).toHaveLength(1)
  })
})

describe('a daemon that is gone', () => {
  test('is named in the result, and the next call finds the one that comes after it', async () => {
    await using dir = await createTempDir()
    const first = await startTestDaemon({ dir })
    await using host = claudeHost(first.socket, 's1')
    await host.call('agentd_roster')
    await first.stop()

    const { isError, facts } = await host.call('agentd_send', { kind: 'advise', text: 'anybody?' })
    expect(isError).toBe(true)
    expect(facts).toMatchObject({ error: { code: 'unreachable' } })
    expect(facts).not.toHaveProperty('unread')

    await using _second = await startTestDaemon({ dir })
    expect((await host.call('agentd_roster')).facts['you']).toBe('~alice/cc@s1')
  })

  test('was never there: the reason is the one that reaching it gave', async () => {
    const troubles: string[] = []
    const onTrouble = (sentence: string): void => void troubles.push(sentence)
    await using host = connectHost('', { reach: refuseToReach, onTrouble })

    const { facts } = await host.call('agentd_roster', { as: 'one' })

    expect(facts).toEqual({ error: { code: 'unreachable', message: 'The socket path is too long.' } })
    expect(troubles).toContain('The socket path is too long.')
  })
})

describe('calls at the same time', () => {
  test('register one session between them, and each has its own answer', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    await using host = claudeHost(daemon.socket, 's1')
    const texts = Array.from({ length: MAX_CALLS_IN_FLIGHT }, (_, i) => `text ${i}`)

    const sent = await Promise.all(texts.map((text) => host.call('agentd_send', { kind: 'advise', text })))

    expect(sent.every(({ isError }) => !isError)).toBe(true)
    expect(new Set(sent.map(({ facts }) => facts['frame_id'])).size).toBe(texts.length)
    expect(await client.roster()).toHaveLength(1)
    const { items } = await client.history()
    expect(new Set(items.map(({ frame }) => Reflect.get(frame.payload, 'advisory_text')))).toEqual(
      new Set(texts),
    )
    expect(items).toHaveLength(texts.length)
  })

  test('are so many at the most; one more is refused, not queued', async () => {
    const changes = new Changes()
    let isOpen = false
    const reach = async (): Promise<never> => {
      await changes.until(() => (isOpen ? true : undefined), 'the gate to open')
      throw new Error('gone')
    }
    await using host = connectHost('', { reach })
    const ids = Array.from({ length: MAX_CALLS_IN_FLIGHT + 1 }, () =>
      host.post('tools/call', { name: 'agentd_roster', arguments: { as: 'one' } }),
    )

    const refused = readCalled(await host.answerTo(ids.at(-1) ?? null))
    expect(refused).toMatchObject({ isError: true, facts: { error: { code: 'busy' } } })
    isOpen = true
    changes.tell()

    for (const id of ids.slice(0, -1)) {
      expect(readCalled(await host.answerTo(id)).facts).toMatchObject({ error: { code: 'unreachable' } })
    }
  })
})

describe('huge arguments', () => {
  test('are refused with a sentence, and nothing of them is sent', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    await using host = claudeHost(daemon.socket, 's1')
    const megabyte = 'x'.repeat(1_048_576)

    for (const [name, args] of [
      ['agentd_send', { kind: 'handover', text: megabyte }],
      ['agentd_send', { kind: 'advise', text: 'x', extra: { worktree: megabyte } }],
      ['agentd_send', { kind: 'advise', text: 'x', to: megabyte }],
      ['agentd_ask', { text: megabyte }],
      ['agentd_lock', { action: 'acquire', resource: megabyte }],
    ] as const) {
      const { isError, facts } = await host.call(name, args)
      expect(isError, name).toBe(true)
      expect(['field-invalid', 'frame-too-large', 'recipient-unknown'], name).toContain(
        z.object({ error: z.object({ code: z.string() }) }).parse(facts).error.code,
      )
      expect(JSON.stringify(facts).length).toBeLessThan(10_000)
    }

    expect((await client.history()).items).toEqual([])
  })

  test('arguments nested beyond any stack are refused with a code, and the connection goes on', async () => {
    await using daemon = await startTestDaemon()
    await using host = claudeHost(daemon.socket, 's1', '2025-06-18')
    await host.open()

    const send = (levels: number): Promise<Answer> => {
      const args = `{"kind":"advise","text":"x","extra":${nestedText(levels)}}`
      const params = `{"name":"agentd_send","arguments":${args}}`
      // Written by hand: what the server has to write again, this side could not write either.
      host.write(`{"jsonrpc":"2.0","id":${levels},"method":"tools/call","params":${params}}\n`)
      return host.answerTo(levels)
    }

    for (const levels of [100, 1_000, MAX_JSON_PARTS - 100]) {
      const { isError, facts } = readCalled(await send(levels))
      expect({ isError, facts }).toMatchObject({ isError: true, facts: { error: { code: 'field-invalid' } } })
    }
    // Of more parts than any body may have, a message is not even parsed.
    expect((await send(MAX_JSON_PARTS + 1)).error).toMatchObject({ code: -32_600 })

    expect((await host.call('agentd_send', { kind: 'advise', text: 'on' })).isError).toBe(false)
  })
})

function refuseToReach(): Promise<never> {
  return Promise.reject(new UsageError('The socket path is too long.'))
}
