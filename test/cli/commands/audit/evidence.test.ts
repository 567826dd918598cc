/**
 * `agentd audit` beside the ledgers a real daemon has written: envelopes, tips, bundles. Uses the built program.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { AGENTD } from '../../support.ts'
import { createWitnessed } from './witnessed.ts'
import { GIT_VARIABLES } from '../../../support/git.ts'
import { validEnvelope } from '../../../support/envelopes.ts'

describe('agentd audit envelope (AEE-C13, AEE-C16)', () => {
  test('an envelope is the one that was recorded by its id and by its file, also when the daemon is gone', async () => {
    await using here = await createWitnessed()
    const [one] = here.envelopes
    writeFileSync(here.file('one.json'), JSON.stringify(one, null, 2))

    const byId = here.call('audit', 'envelope', one?.id ?? '')
    here.call('stop')
    const byFile = here.call('audit', 'envelope', here.file('one.json'), '--json')
    const byIdAlone = here.call('audit', 'envelope', one?.id ?? '', '--no-start')

    expect(byId.status).toBe(0)
    expect(byId.stdout).toContain('it is what was recorded; the chain: PASS up to line 1')
    expect(byFile.status).toBe(0)
    expect(JSON.parse(byFile.stdout)).toMatchObject({
      proven: true,
      records: [
        { format: 'VOLT', recorded: 'same', entries: [{ line: 1, what: 'aee.envelope.received' }] },
        { format: 'WARD', recorded: 'same' },
      ],
    })
    expect(byIdAlone.status).toBe(1)
    expect(byIdAlone.stdout).toContain('there is no envelope to hold against it')
  })

  test('another content, an envelope nobody recorded, and a chain that was changed before it are each told apart', async () => {
    await using here = await createWitnessed()
    const last = here.envelopes.at(-1)
    const file = here.file('one.json')
    const verdict = (envelope: object) => {
      writeFileSync(file, JSON.stringify(envelope))
      return here.call('audit', 'envelope', file)
    }

    const other = verdict({ ...last, payload: { i: 'changed' } })
    const unknown = verdict(validEnvelope())
    const text = readFileSync(here.evidence('volt.ndjson'), 'utf8')
    writeFileSync(here.evidence('volt.ndjson'), text.replace('"size_bytes":', '"size_bytes":1'))
    const broken = verdict(last ?? {})

    expect(other).toMatchObject({ status: 1, stdout: expect.stringContaining('it is not what was recorded') })
    expect(unknown).toMatchObject({ status: 1, stdout: expect.stringContaining('no ledger knows') })
    expect(broken).toMatchObject({ status: 1, stdout: expect.stringContaining('the chain: FAIL') })
  })
})

describe('agentd audit tip', () => {
  test('a chain that goes on keeps the tip; one that was cut off, or written anew, does not', async () => {
    await using here = await createWitnessed()
    here.call('keys', 'new', 'human.alice', '--kid', 'k1')
    const { stdout, status } = here.call('audit', 'tip', '--sign', 'k1')
    expect(status).toBe(0)
    writeFileSync(here.file('tip.json'), stdout)

    await here.send(validEnvelope({ to: 'bus.ops' }))
    const grown = here.call('audit', 'verify', '--tip', here.file('tip.json'))
    here.call('stop')
    const volt = readFileSync(here.evidence('volt.ndjson'), 'utf8')
    writeFileSync(here.evidence('volt.ndjson'), `${volt.split('\n').slice(0, 2).join('\n')}\n`)
    const cut = here.call('audit', 'verify', '--tip', here.file('tip.json'))

    expect(grown).toMatchObject({ status: 0, stdout: expect.stringMatching(/INTACT .*signed with k1/) })
    expect(cut.status).toBe(1)
    expect(cut.stdout).toMatch(/PASS .*volt\.ndjson/)
    expect(cut.stdout).toContain('TIP_MISMATCH')
    expect(cut.stdout).toContain('does not any more')
  })

  test('a tip somebody has changed does not hold, nor does one whose key is not known', async () => {
    await using here = await createWitnessed()
    here.call('keys', 'new', 'human.alice', '--kid', 'k1')
    const { stdout } = here.call('audit', 'tip', '--sign', 'k1')
    const tip = JSON.parse(stdout)
    const verdict = (changed: object) => {
      writeFileSync(here.file('tip.json'), JSON.stringify(changed))
      return here.call('audit', 'verify', '--tip', here.file('tip.json'))
    }

    expect(verdict({ ...tip, at: '2020-01-01T00:00:00.000Z' }).stdout).toContain('TIP_SIGNATURE_INVALID')
    expect(verdict({ ...tip, sig: { ...tip.sig, kid: 'k2' } }).stdout).toContain(
      'no key "k2" is trusted here',
    )
    here.call('keys', 'revoke', 'k1', '--yes')
    expect(verdict(tip).stdout).toContain('the key "k1" was revoked')
    for (const broken of [{}, { ...tip, ledgers: [] }, { ...tip, v: 2 }, { ...tip, sig: 1 }, []])
      expect(verdict(broken)).toMatchObject({ status: 2 })
    expect(here.call('audit', 'tip', '--sign', 'nobody').status).toBe(2)
  })

  test('it is kept as an annotated tag, and read from there', async () => {
    await using here = await createWitnessed()
    const repository = here.file('repo')
    mkdirSync(repository)
    const env = { ...here.env, ...GIT_VARIABLES }
    const run = (program: string, args: readonly string[], input = '') =>
      spawnSync(program, [...args], { cwd: repository, env, encoding: 'utf8', input })
    run('git', ['init', '--quiet'])
    const none = run(process.execPath, [AGENTD, 'audit', 'tip', '--git-tag', 't0'])
    run('git', ['commit', '--quiet', '--allow-empty', '-m', 'x'])

    const made = run(process.execPath, [AGENTD, 'audit', 'tip', '--git-tag', 't1'])
    const again = run(process.execPath, [AGENTD, 'audit', 'tip', '--git-tag', 't1'])
    const { stdout } = run('git', ['for-each-ref', '--format=%(contents)', 'refs/tags/t1'])
    const verified = run(process.execPath, [AGENTD, 'audit', 'verify', '--tip', '-'], stdout)

    expect(none.status).toBe(2)
    expect(made).toMatchObject({ status: 0, stdout: stdout.trimEnd() + '\n' })
    expect(again).toMatchObject({ status: 2, stderr: expect.stringContaining('git has made no tag') })
    expect(verified).toMatchObject({ status: 0, stdout: expect.stringContaining('INTACT') })
  })
})
