import { expect, test } from 'vitest'
import { allowedBy } from '../../../src/cli/link/allow-rules.ts'
import { requireKindOf, wholeKinds } from '../../../src/cli/input/whole-kinds.ts'
import { startTestDaemon } from '../../support/daemon.ts'
import { agentd, fullAgentd } from '../support.ts'
import { KIND_NAMES } from '../../../src/protocol/frame/kinds.ts'
import { spokenKind } from '../../../src/protocol/frame/spoken-kind.ts'

test.each(KIND_NAMES)('a filter takes %s as a line shows it, and whole', (kind) => {
  const shown = spokenKind(kind)

  for (const written of [shown, shown.replaceAll(' ', '-'), shown.replaceAll(' ', '_'), kind])
    expect(wholeKinds(`tool:cc,kind:${written}`)).toBe(`tool:cc,kind:${kind}`)
})

test('what is no kind stays, for the refusal to name', () => {
  expect(wholeKinds('kind:gossip,sender:~query,colour:query')).toBe('kind:gossip,sender:~query,colour:query')
})

test('a kind that is none is refused with the one that may have been meant, by its short name', () => {
  expect(() => requireKindOf('Lock-Reqest')).toThrow(
    /^"Lock-Reqest" is no kind of frame; did you mean lock_request\? They are advisory, broadcast, /,
  )
  expect(() => requireKindOf('gossip')).toThrow(/^"gossip" is no kind of frame; they are advisory, /)
})

test('kinds that may leave over a link are taken as lines show them', () => {
  expect(allowedBy('query, lock request,peer_diagnostic_request,*').kinds).toEqual([
    'agent_query',
    'agent_lock_request',
    'peer_diagnostic_request',
    '*',
  ])
  expect(() => allowedBy('query,reponse')).toThrow('did you mean response?')
})

test('send, history and forgetting take a kind as lines show it, whichever way they go', async () => {
  await using daemon = await startTestDaemon()
  const payload = '{"advisory_text":"short"}'

  const sent = [
    await agentd(daemon.env, ['send', '--kind', 'advisory', payload]),
    await fullAgentd(daemon.env, ['send', '--kind', 'Advisory', payload]),
  ]
  const shown = await agentd(daemon.env, ['history', '--kind', 'advisory', '--json'])
  const filtered = await agentd(daemon.env, ['history', '--filter', 'kind:advisory', '--json'])
  const forgotten = await agentd(daemon.env, ['history', '--forget', '--kind', 'advisory', '--yes'])

  expect(sent.map(({ stdout }) => stdout)).toEqual(
    Array.from({ length: 2 }, () => 'sent agent_advisory; nobody is listening just now\n'),
  )
  for (const { stdout } of [shown, filtered]) expect(JSON.parse(stdout).items).toHaveLength(2)
  expect(forgotten.stdout).toBe('forgot 2 items\n')
})

test.each([
  [['send', '--kind', 'advisry', '{}'], 2, 'did you mean advisory?'],
  [['history', '--kind', 'qery'], 2, 'did you mean query?'],
  [['history', '--filter', 'kind:qery'], 1, 'did you mean query?'],
  [
    ['history', '--filter', 'knd:query'],
    1,
    '"knd" is not a filter axis; did you mean kind? The axes are kind, ',
  ],
  [['tail', '--filter', 'sendr:~alice'], 1, 'did you mean sender?'],
  [['advise', 'a', '--scope', '~alcie'], 1, '~alcie is not a handle of this principal; did you mean ~alice?'],
  [['advise', 'a', '--scope', '~alice/cc'], 1, 'did you mean ~alice/cc*? Or write ~handle'],
  [['advise', 'a', '--scope', '~Alice'], 1, 'did you mean ~alice? Or write'],
  [['advise', 'a', '--scope', 'org:~acme'], 1, 'did you mean org:~acme/members/*? Or write'],
])('%j names what may have been meant', async (words, code, says) => {
  await using daemon = await startTestDaemon()

  const outcome = await agentd(daemon.env, words)

  expect(outcome.code).toBe(code)
  expect(outcome.stderr).toContain(says)
})
