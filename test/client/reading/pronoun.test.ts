/**
 * The pronoun `~org`: resolved by whoever speaks, and never sent (FED-60, ACQ-10).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasPronoun, withOrganisation } from '../../../src/protocol/address/recipient.ts'
import { isHandle } from '../../../src/protocol/address/handle.ts'
import { readScope } from '../../../src/protocol/address/scope.ts'
import { makeFrame, meet, readSubmission, resultLine, takePipe, type Peers } from '../peers.ts'

const MEMBERS = 'org:~acme/members/*'

const anyOrg = fc.stringMatching(/^~[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/).filter(isHandle)

/** Says which organisations the daemon knows. */
async function tell({ daemon }: Peers, ...organisations: readonly string[]): Promise<void> {
  const asked = await daemon.next('GET /.well-known/mcp/server-card.json')
  const pointer = { socket: '', principal: '~alice', version: '', stream: '', frames: '', mcp: '' }
  asked.answer(200, { ...pointer, name: '', title: '', description: '', organisations })
}

describe('the pronoun', () => {
  test.each([
    ['~org', MEMBERS],
    ['~org/*', MEMBERS],
    ['org:~org/members/*', MEMBERS],
    ['org:~org/members/dev/*', 'org:~acme/members/dev/*'],
    ['accord:~org/grant:support', 'accord:~acme/grant:support'],
    ['~org/cc-*', undefined],
    ['~org/cc-opus@s1', undefined],
  ])('in %s stands for the organisation (FED-60)', (text, scope) => {
    expect(hasPronoun(text)).toBe(true)
    expect(withOrganisation(text, '~acme')).toBe(scope)
  })

  test('is a whole handle, and leaves a scope behind that has none (FED-60, ACQ-10)', () => {
    fc.assert(
      fc.property(anyOrg, fc.constantFrom('', '/*', '/members/*', '/grant:x', 'a'), (org, tail) => {
        for (const head of ['~', 'org:~', 'accord:~']) {
          const [pronoun, other] = [`${head}org${tail}`, `${head}org1${tail}`]
          expect(hasPronoun(other)).toBe(false)
          if (hasPronoun(pronoun)) expect(hasPronoun(withOrganisation(pronoun, org) ?? '')).toBe(false)
        }
        expect(isHandle(org) && readScope(withOrganisation('~org', org) ?? '')).toMatchObject({ org })
      }),
    )
  })
})

describe('what is sent to it', () => {
  test.each<[string, (peers: Peers) => Promise<unknown>]>([
    ['as a scope', ({ client }) => client.advise('hello', { scope: 'org:~org/members/*' })],
    ['as a name', ({ client }) => client.advise('hello', { to: '~org' })],
    ['as a complete frame', ({ client }) => client.submit(makeFrame(), '~org')],
  ])('%s goes to the one organisation there is (FED-60)', async (_, say) => {
    await using peers = await meet()

    const said = say(peers)
    await tell(peers, '~acme')
    const pipe = await takePipe(peers.daemon)
    const line = await pipe.line()
    pipe.write(resultLine(line))
    await said

    expect(readSubmission(line).recipient_scope).toBe(MEMBERS)
    expect(line).not.toContain('~org')
  })

  test.each([
    [[], '"~org" stands for no organisation here; write the handle of the one you mean.'],
    [['~acme', '~globex'], '"~org" may be ~acme or ~globex; write which.'],
  ])(
    'is refused with the choices where these are %j, and nothing is sent (FED-60)',
    async (orgs, message) => {
      await using peers = await meet()

      const said = peers.client.advise('hello', { scope: '~org' })
      await tell(peers, ...orgs)

      await expect(said).rejects.toMatchObject({ code: 'field-invalid', field: 'scope', message })
      expect(peers.daemon.untaken).toBe(0)
    },
  )
})
