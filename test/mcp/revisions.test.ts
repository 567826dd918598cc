/** The lines on the wire: every revision hosts speak, and what is no line of any. */
import { describe, expect, test } from 'vitest'
import { MAX_MCP_MESSAGE_OCTETS } from '../../src/core/limits.ts'
import { connectHost } from './support/connection.ts'
import { LEGACY, MODERN } from './support/host.ts'

const NOWHERE = '/nonexistent/agentd.sock'

describe('revisions', () => {
  test.each(LEGACY)('%s is agreed on where a host asks for it', async (revision) => {
    await using host = connectHost(NOWHERE, {}, { revision })

    const { result } = await host.open()

    expect(result).toMatchObject({
      protocolVersion: revision,
      serverInfo: { name: 'agentd' },
      capabilities: { tools: { listChanged: false } },
    })
    expect((await host.request('ping')).result).toEqual({})
  })

  test('a handshake for a revision that never was is offered the newest with a handshake', async () => {
    await using host = connectHost(NOWHERE, {}, { revision: '1999-01-01' })

    expect((await host.open()).result).toMatchObject({ protocolVersion: '2025-11-25' })
  })

  test('the current revision is discovered, and needs no handshake', async () => {
    await using host = connectHost(NOWHERE)

    const { result } = await host.open()
    const listed = await host.request('tools/list')

    expect(result).toMatchObject({ supportedVersions: [MODERN], resultType: 'complete' })
    expect(listed.result).toMatchObject({ resultType: 'complete' })
  })

  test('a host that discovers and then shakes hands all the same is served', async () => {
    await using host = connectHost(NOWHERE)
    await host.open()

    const clientInfo = { name: 'a-host', version: '1' }
    host.send({
      jsonrpc: '2.0',
      id: 'hand',
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
    })
    host.send({ jsonrpc: '2.0', id: 77, method: 'tools/list', params: {} })

    expect((await host.answerTo(77)).result).toHaveProperty('tools')
  })
})

describe('lines', () => {
  test.each([
    ['no JSON', '{"jsonrpc": \n'],
    ['an empty line', '\n\n'],
    ['no JSON-RPC', '{"hello":"world"}\n'],
    ['an array', '[]\n'],
    ['octets that are no UTF-8', Buffer.from([0xff, 0xfe, 0x80, 0x0a])],
    ['a notification that nobody knows', '{"jsonrpc":"2.0","method":"notifications/none"}\n'],
    ['an answer to nothing', '{"jsonrpc":"2.0","id":99,"result":{}}\n'],
  ])('%s costs nothing but itself', async (_, line) => {
    await using host = connectHost(NOWHERE, {}, { revision: '2025-06-18' })
    await host.open()

    host.write(line)

    expect((await host.request('ping')).result).toEqual({})
    for (const written of host.lines) expect(() => JSON.parse(written)).not.toThrow()
  })

  test('a line in many pieces is one line, and many in one piece are many', async () => {
    await using host = connectHost(NOWHERE, {}, { revision: '2025-06-18' })
    await host.open()

    for (const letter of ping(71)) host.write(letter)
    host.write(ping(72) + ping(73))

    for (const id of [71, 72, 73]) expect((await host.answerTo(id)).result).toEqual({})
  })

  test('a message over the bound is refused without its id, and the next one is answered', async () => {
    const troubles: string[] = []
    const onTrouble = (sentence: string): void => void troubles.push(sentence)
    await using host = connectHost(NOWHERE, { onTrouble }, { revision: '2025-06-18' })
    await host.open()

    host.write(
      `{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"${'a'.repeat(MAX_MCP_MESSAGE_OCTETS)}"}}\n`,
    )

    const refused = await host.answerTo(null)
    expect(refused.error).toMatchObject({ code: -32_600 })
    expect((await host.request('ping')).result).toEqual({})
    expect(troubles).toContain(refused.error?.message)
  })

  test('a message of exactly the bound is taken', async () => {
    await using host = connectHost(NOWHERE, {}, { revision: '2025-06-18' })
    await host.open()
    const head = '{"jsonrpc":"2.0","id":5000,"method":"ping","params":{"x":"'
    const tail = '"}}\n'

    host.write(head + 'a'.repeat(MAX_MCP_MESSAGE_OCTETS - head.length - tail.length) + tail)

    expect((await host.answerTo(5_000)).result).toEqual({})
  })

  test('what came last without its line feed is not taken for a line', async () => {
    const host = connectHost(NOWHERE, {}, { revision: '2025-06-18' })
    await host.open()

    host.write('{"jsonrpc":"2.0","id":6,"method":"ping"}')
    await host[Symbol.asyncDispose]()

    expect(host.answers.map(({ id }) => id)).not.toContain(6)
  })

  test('a tool that is not there is an error of the protocol', async () => {
    await using host = connectHost(NOWHERE)

    const { error } = await host.request('tools/call', { name: 'agentd_rm', arguments: {} })

    expect(error).toMatchObject({ code: -32_602, message: 'There is no tool "agentd_rm".' })
  })

  test('methods that are not served are refused by name', async () => {
    await using host = connectHost(NOWHERE, {}, { revision: '2025-11-25' })
    await host.open()

    expect((await host.request('resources/list')).error).toMatchObject({ code: -32_601 })
    expect((await host.request('prompts/list')).error).toMatchObject({ code: -32_601 })
  })
})

function ping(id: number): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`
}
