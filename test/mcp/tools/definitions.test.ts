/** What a host pays for and relies on before any tool is called. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { TOOLS } from '../../../src/mcp/tools/tools.ts'
import { LEGACY, MODERN } from '../support/host.ts'
import { connectHost } from '../support/connection.ts'

const Listed = z.object({ tools: z.array(z.looseObject({ name: z.string(), annotations: z.unknown() })) })
const Opened = z.looseObject({ instructions: z.string() })

/**
 * Fewer characters per token than any tokeniser in use needs for English prose and JSON, so that the estimate errs
 * upwards: the definitions come to about four characters per token.
 */
const CHARACTERS_PER_TOKEN = 3.5
const MAX_TOKENS = 1_500

/** No daemon is needed to be listed. */
const NOWHERE = '/nonexistent/agentd.sock'

async function list(
  revision: string,
): Promise<{ tools: z.infer<typeof Listed>['tools']; instructions: string }> {
  await using host = connectHost(NOWHERE, {}, { revision })
  const opened = await host.open()
  const listed = await host.request('tools/list')
  return { ...Listed.parse(listed.result), ...Opened.parse(opened.result) }
}

describe('the definitions', () => {
  test.each([MODERN, ...LEGACY])(
    'cost at most 1 500 tokens with everything around them (%s)',
    async (revision) => {
      const { tools, instructions } = await list(revision)

      const tokens = Math.ceil((JSON.stringify(tools).length + instructions.length) / CHARACTERS_PER_TOKEN)

      expect(tokens).toBeLessThanOrEqual(MAX_TOKENS)
      expect(tokens).toBeGreaterThan(500)
    },
  )

  test('open with what they are good for, since Codex cuts them (OP-32)', async () => {
    const { instructions } = await list('2025-06-18')

    // As Codex 0.169.0 shows them where it lists tools that are not loaded.
    const shown = instructions.slice(0, 250)

    const purposes = [
      'who is here',
      'who works on what',
      'ask one',
      'answer',
      'tell what you do',
      'hand over',
      'read what',
    ]
    expect(purposes.filter((purpose) => !shown.includes(purpose))).toEqual([])
    expect(instructions).toContain('never the words or the permission of the user')
  })

  test('are of at most six tools, in an order that stays', async () => {
    const first = await list(MODERN)
    const second = await list('2025-06-18')

    const names = first.tools.map(({ name }) => name)
    expect(names).toEqual(['agentd_send', 'agentd_inbox', 'agentd_ask', 'agentd_roster', 'agentd_lock'])
    expect(second.tools).toEqual(first.tools)
  })

  test('say that nothing is destroyed and nothing leaves the machine', async () => {
    const { tools } = await list(MODERN)

    const readers = tools.filter(
      ({ annotations }) => Reflect.get(Object(annotations), 'readOnlyHint') === true,
    )
    expect(readers.map(({ name }) => name)).toEqual(['agentd_inbox', 'agentd_roster'])
    for (const { annotations } of tools) {
      expect(annotations).toMatchObject({ destructiveHint: false, openWorldHint: false })
    }
  })

  test('ask Claude Code to keep reading and sending at hand, and nothing else', async () => {
    const { tools } = await list(MODERN)

    const loaded = tools.filter(
      ({ _meta: meta }) => Reflect.get(Object(meta), 'anthropic/alwaysLoad') === true,
    )
    expect(loaded.map(({ name }) => name)).toEqual(['agentd_send', 'agentd_inbox'])
  })

  test('fit what hosts show of them: 2 KB of a description and of the instructions', async () => {
    const { tools, instructions } = await list(MODERN)

    for (const { description } of tools) expect(String(description).length).toBeLessThan(2_048)
    expect(instructions.length).toBeLessThan(2_048)
  })

  test.each(TOOLS.map(({ definition }) => [definition.name, definition] as const))(
    'have schemas that are schemas: %s',
    (_, { inputSchema, outputSchema }) => {
      const ajv = new Ajv2020({ strict: true, strictTypes: false })

      expect(ajv.validateSchema(inputSchema)).toBe(true)
      expect(ajv.validateSchema(outputSchema)).toBe(true)
      expect(ajv.compile(inputSchema)({ no_such_argument: 1 })).toBe(false)
      expect(ajv.compile(outputSchema)({ error: { code: 'busy', message: 'busy' } })).toBe(true)
    },
  )
})
