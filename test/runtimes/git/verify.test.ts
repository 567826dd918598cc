/**
 * What commits say of who made them, in real repositories, beside a real daemon. Uses the built program.
 */
import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { readAttribution } from '../../../src/runtimes/git/attribution.ts'
import { MAX_COMMITS } from '../../../src/runtimes/git/commits.ts'
import { NEAR_MS } from '../../../src/runtimes/git/witness.ts'
import { createRepository, type Repository } from './repositories.ts'

const PAIR = 'Acted-By: ~alice\nDrafted-With: ~cc-opus-4-6'

/** A commit with these lines under its message, made when nobody looks. */
function commitWith(
  repository: Repository,
  trailers: string,
  env: Readonly<Record<string, string>> = {},
): string {
  repository.git(['commit', '--quiet', '--allow-empty', '-m', `a change\n\n${trailers}`], env)
  return repository.git(['rev-parse', 'HEAD']).stdout.trim()
}

function verify(repository: Repository, ...args: readonly string[]) {
  const { status, stdout, stderr } = repository.agentd(['git', 'verify', '--json', ...args])
  return { status, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) }
}

function faultsOf(text: string): readonly string[] {
  return readAttribution(
    text.split('\n').map((line) => ({ name: line.split(': ')[0] ?? '', value: line.split(': ')[1] ?? '' })),
  ).faults
}

describe('what the trailers of a commit say (docs/requirements.md §1.3)', () => {
  test.each([
    ['a person alone', 'Acted-By: ~alice'],
    ['a person and an instrument', PAIR],
    ['names in any case', 'acted-by: ~alice\nDRAFTED-WITH: ~cc-opus'],
    ['two instruments', `${PAIR}\nDrafted-With: ~gpt-5`],
    ['a bot that ran it', 'Acted-By: ~alice\nExecuted-By: ~deploy.bot'],
    ['an instrument with a name of its own', 'Acted-By: ~alice\nDrafted-With: ~codex-2'],
    ['a person called as an instrument is, which is warned of only', 'Acted-By: ~claude-dupont'],
  ])('%s is well-formed', (_what, text) => {
    expect(faultsOf(text)).toEqual([])
  })

  test.each([
    ['an instrument without a person', 'Drafted-With: ~cc-opus', 'no Acted-By'],
    ['two persons', 'Acted-By: ~alice\nActed-By: ~bob', '2 lines say Acted-By'],
    ['a bot as a person', 'Acted-By: ~deploy.bot', 'belongs in Executed-By'],
    ['a bot as an instrument', 'Acted-By: ~alice\nDrafted-With: ~deploy.bot', 'belongs in Executed-By'],
    ['an instrument as a bot', 'Acted-By: ~alice\nExecuted-By: ~cc-opus', 'belongs in Drafted-With'],
    ['a name without a tilde', 'Acted-By: alice', 'is no handle'],
    ['an address', 'Acted-By: ~alice\nDrafted-With: ~alice/cc-opus', 'is no handle'],
    ['a version', 'Acted-By: ~alice\nDrafted-With: ~alter-cli@1.2', 'is no handle'],
    ['the same for both', 'Acted-By: ~alice\nDrafted-With: ~alice', 'no instrument'],
    ['nothing behind the colon', 'Acted-By: ', 'is no handle'],
  ])('%s is not, and the sentence says why', (_what, text, why) => {
    expect(faultsOf(text)).toEqual([expect.stringContaining(why)])
  })
})

describe('agentd git verify', () => {
  test('a commit whose session told of it is good, and the frame is named', async () => {
    await using repository = await createRepository()
    repository.agentd(['setup', 'git', '--yes'])
    const AGENTD_TOKEN = await repository.session('cc-opus-4-6')
    await using listener = await repository.listen()
    const commit = commitWith(repository, PAIR, { AGENTD_TOKEN })
    const { frame_id } = await listener.next()

    const found = verify(repository, '--strict')

    expect(found).toMatchObject({ status: 0, checked: 1, wrong: 0, ring: true })
    expect(found.commits).toMatchObject([
      { commit, verdict: 'good', acted_by: '~alice', witness: { kind: 'told', frame_id } },
    ])
  })

  test('a frame of that instrument around that time is told with its distance; another one’s does not count', async () => {
    await using repository = await createRepository()
    const AGENTD_TOKEN = await repository.session('cc-opus-4-6')
    repository.agentd(['advise', 'at the tokens', '--quiet'], { AGENTD_TOKEN })
    commitWith(repository, PAIR)
    // The ring is as young as this test: only what comes later lies wholly within what it remembers.
    const later = new Date(Date.now() + 3 * NEAR_MS).toISOString()
    const dates = { GIT_AUTHOR_DATE: later, GIT_COMMITTER_DATE: later }
    commitWith(repository, 'Acted-By: ~alice\nDrafted-With: ~gpt-5', dates)
    commitWith(repository, PAIR, dates)

    const { commits, status } = verify(repository)

    expect(status).toBe(0)
    expect(commits).toMatchObject([
      { verdict: 'doubtful', witness: { kind: 'silent' } },
      { verdict: 'doubtful', witness: { kind: 'silent' } },
      { verdict: 'good', witness: { kind: 'near' } },
    ])
    expect(verify(repository, '--strict')).toMatchObject({ status: 1, wrong: 2 })
  })

  test('a commit from before the ring began is not held against anybody', async () => {
    await using repository = await createRepository()
    const AGENTD_TOKEN = await repository.session('cc-opus-4-6')
    repository.agentd(['advise', 'at the tokens', '--quiet'], { AGENTD_TOKEN })
    const then = '2020-01-02T03:04:05Z'
    commitWith(repository, PAIR, { GIT_AUTHOR_DATE: then, GIT_COMMITTER_DATE: then })

    expect(verify(repository, '--strict')).toMatchObject({
      status: 0,
      commits: [{ verdict: 'good', witness: { kind: 'unknown' }, committed_at: '2020-01-02T03:04:05.000Z' }],
    })
  })

  test('what is wrong ends with 1, and every commit is told of all the same, without a daemon too', async () => {
    await using repository = await createRepository()
    commitWith(repository, 'Drafted-With: ~cc-opus')
    commitWith(repository, '')
    commitWith(repository, 'Acted-By: ~alice')
    repository.agentd(['stop'])

    const found = verify(repository)
    const { stdout, stderr, status } = repository.agentd(['git', 'verify'])

    expect(found).toMatchObject({ status: 1, checked: 3, wrong: 1, ring: false })
    expect(found.commits.map(({ verdict }: { verdict: string }) => verdict)).toEqual([
      'good',
      'bare',
      'wrong',
    ])
    expect(status).toBe(1)
    expect(stdout).toContain('no Acted-By says which person acted')
    expect(stdout).toContain('3 commits, 1 wrong')
    expect(stderr).toContain('No daemon runs')
  })

  test('the range is git’s, and what upstream has is not looked at unless it is asked for', async () => {
    await using repository = await createRepository()
    commitWith(repository, 'Acted-By: ~alice')
    repository.git(['clone', '--quiet', '--bare', repository.path, repository.beside('remote')])
    repository.git(['remote', 'add', 'origin', repository.beside('remote')])
    repository.git(['fetch', '--quiet', 'origin'])
    repository.git(['branch', '--quiet', '--set-upstream-to=origin/main'])
    commitWith(repository, 'Acted-By: ~alice')

    expect(verify(repository)).toMatchObject({ checked: 1 })
    expect(verify(repository, 'HEAD')).toMatchObject({ checked: 2 })
    expect(verify(repository, 'HEAD..HEAD')).toMatchObject({ status: 0, checked: 0 })
    for (const range of ['nowhere..HEAD', '--output=x', '-1']) {
      const { status, stderr } = repository.agentd(['git', 'verify', '--', range])
      expect({ range, status }).toEqual({ range, status: 2 })
      expect(stderr).toContain('git does not show')
    }
  })

  test('no setting of the repository and no message changes whose words are read', async () => {
    await using repository = await createRepository()
    for (const [name, value] of [
      ['trailer.separators', '#'],
      ['log.showSignature', 'true'],
      ['core.quotePath', 'true'],
      ['i18n.logOutputEncoding', 'utf-16'],
    ] as const) {
      repository.git(['config', name, value])
    }
    commitWith(
      repository,
      'Acted-By: ~bob\n\nnot the end yet: \u001b[31mred\n\nActed-By: ~alice\nOther: x\n  y',
    )

    const { commits } = verify(repository)
    const { stdout } = repository.agentd(['git', 'verify'])

    expect(commits).toMatchObject([{ verdict: 'good', acted_by: '~alice' }])
    expect(stdout).not.toContain('\u001b')
  })

  test('more commits than one look takes are refused by their number', async () => {
    await using repository = await createRepository()
    const stream = Array.from({ length: MAX_COMMITS + 1 }, (_, i) =>
      ['commit refs/heads/main', `committer a <a@b> ${i + 1} +0000`, 'data 2', 'x', '', ''].join('\n'),
    ).join('')
    const { status } = spawnSync('git', ['fast-import', '--quiet'], { cwd: repository.path, input: stream })
    expect(status).toBe(0)

    expect(repository.agentd(['git', 'verify']).stderr).toContain(`more than ${MAX_COMMITS} commits`)
    expect(verify(repository, 'HEAD~5..HEAD')).toMatchObject({ status: 0, checked: 5 })
  })

  test('outside a repository it says so', async () => {
    await using repository = await createRepository()
    const { status, stderr } = repository.agentd(['git', 'verify'], { GIT_DIR: '/nowhere' })

    expect(status).toBe(2)
    expect(stderr).toContain('not a git repository')
  })
})
