/**
 * The hooks in real repositories, with a real daemon. Uses the built program.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { agentd } from '../../cli/support.ts'
import { snapshotOf } from '../setup/home.ts'
import { payloadOf } from '../support/fixtures.ts'
import { createRepository, type Repository } from './repositories.ts'

const TRAILERS = 'Acted-By: ~alice\nDrafted-With: ~cc-opus-4-6\n'

async function createSetUp(): Promise<Repository> {
  const repository = await createRepository()
  const { status, stderr } = repository.agentd(['setup', 'git', '--yes'])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return repository
}

function commit(repository: Repository, name: string, env: Readonly<Record<string, string>> = {}): string {
  writeFileSync(`${repository.path}/${name}`, name)
  repository.git(['add', '-A'])
  const { status, stderr } = repository.git(['commit', '--quiet', '-m', `add ${name}`], env)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return repository.git(['rev-parse', 'HEAD']).stdout.trim()
}

function message(repository: Repository): string {
  return repository.git(['log', '-1', '--format=%B']).stdout.trimEnd()
}

describe('what others hear', () => {
  test('a commit, a checkout and a merge are told, each with its class', async () => {
    await using repository = await createSetUp()
    await using listener = await repository.listen()

    const first = commit(repository, 'a')
    const committed = await listener.next()
    repository.git(['checkout', '--quiet', '-b', 'side'])
    commit(repository, 'b')
    await listener.next()
    repository.git(['checkout', '--quiet', 'main'])
    const checkedOut = await listener.next()
    repository.git(['merge', '--quiet', '--no-ff', '-m', 'take side', 'side'])
    const merged = await listener.next()

    expect(committed).toMatchObject({
      kind: 'agent_broadcast',
      payload: {
        broadcast_text: `repo: committed ${first.slice(0, 10)} on main: add a`,
        event_class: 'other',
        refs: [
          `commit:${first}`,
          'branch:main',
          `repository:${repository.path}/.git`,
          `worktree:${repository.path}`,
        ],
      },
    })
    expect(checkedOut.payload).toMatchObject({
      event_class: 'stale',
      broadcast_text: `repo: checked out main (${first.slice(0, 10)}); files in ${repository.path} changed`,
    })
    expect(merged.payload).toMatchObject({
      event_class: 'merged',
      broadcast_text: expect.stringMatching(/^repo: merged into main, now at [0-9a-f]{10}: take side$/),
    })
  })

  test('a push is told with what it pushes, and a remote by its name only', async () => {
    await using repository = await createSetUp()
    await using listener = await repository.listen()
    const sha = commit(repository, 'a')
    await listener.next()
    repository.git(['init', '--quiet', '--bare', repository.beside('remote')])
    repository.git(['remote', 'add', 'origin', repository.beside('remote')])
    repository.git(['tag', 'v1'])

    const pushed = repository.git(['push', '--quiet', 'origin', 'main', 'v1'])
    const named = await listener.next()
    repository.git(['push', '--quiet', repository.beside('remote'), 'main:copy'])
    const unnamed = await listener.next()

    expect(pushed.status).toBe(0)
    expect(named.payload).toMatchObject({
      event_class: 'released',
      broadcast_text: `repo: pushing main (${sha.slice(0, 10)}), v1 (${sha.slice(0, 10)}) to origin`,
      refs: expect.arrayContaining(['refs/heads/main', 'refs/tags/v1', `commit:${sha}`]),
    })
    expect(unnamed.payload).toMatchObject({ broadcast_text: expect.stringMatching(/ to a remote$/) })
  })

  test('what nobody has to know is not told: files checked out, a new branch, the steps of a rebase', async () => {
    await using repository = await createSetUp()
    await using listener = await repository.listen()
    commit(repository, 'a')
    repository.git(['branch', 'base'])
    commit(repository, 'b')
    repository.git(['checkout', '--quiet', '-b', 'side', 'base'])
    commit(repository, 'c')
    for (let told = 0; told < 4; told += 1) await listener.next()

    repository.git(['checkout', '--quiet', '--', 'a'])
    repository.git(['checkout', '--quiet', '-b', 'other'])
    repository.git(['rebase', '--quiet', 'main'])
    const last = commit(repository, 'd')

    expect((await listener.next()).payload).toMatchObject({
      broadcast_text: `repo: committed ${last.slice(0, 10)} on other: add d`,
    })
  })

  test('a session is named as the sender, and a person otherwise', async () => {
    await using repository = await createSetUp()
    const token = await repository.session('cc-opus-4-6')
    await using listener = await repository.listen()

    commit(repository, 'a', { AGENTD_TOKEN: token })
    const bySession = await listener.next()
    commit(repository, 'b', { AGENTD_TOKEN: 'no-such-token' })
    const byPerson = await listener.next()

    expect(bySession.drafted_with).toBe('~cc-opus-4-6')
    expect(byPerson.drafted_with).toBe('~agentd-cli')
  })
})

describe('trailers', () => {
  test("a session's commit says who acted and what drafted it (docs/requirements.md §§1.1, 1.3)", async () => {
    await using repository = await createSetUp()
    const AGENTD_TOKEN = await repository.session('cc-opus-4-6')

    commit(repository, 'a', { AGENTD_TOKEN })
    const first = message(repository)
    repository.git(['commit', '--quiet', '--amend', '-m', 'again\n\nSigned-off-by: alice <a@example.org>'], {
      AGENTD_TOKEN,
    })
    const amended = message(repository)
    repository.git(['commit', '--quiet', '--amend', '--no-edit'], { AGENTD_TOKEN })

    expect(first).toBe(`add a\n\n${TRAILERS}`.trimEnd())
    expect(amended).toBe(`again\n\nSigned-off-by: alice <a@example.org>\n${TRAILERS}`.trimEnd())
    expect(message(repository)).toBe(amended)
  })

  test("the session is found by its runtime's id, too", async () => {
    await using repository = await createSetUp()
    const start = { session_id: 's-1', cwd: repository.path, model: 'claude-opus-4-6' }
    const payload = JSON.stringify(payloadOf('claude-code', 'session-start', start))
    expect(await agentd(repository.env, ['hook', 'claude-code'], payload)).toMatchObject({ code: 0 })

    commit(repository, 'a', { CLAUDE_CODE_SESSION_ID: 's-1' })
    const known = message(repository)
    commit(repository, 'b', { CLAUDE_CODE_SESSION_ID: 's-2' })

    expect(known).toContain(TRAILERS.trimEnd())
    expect(message(repository)).toBe('add b')
  })

  test("a person's commit has none, nor has one whose session has ended, nor one without a daemon", async () => {
    await using repository = await createSetUp()
    const AGENTD_TOKEN = await repository.session('cc-opus-4-6')

    commit(repository, 'a')
    const byPerson = message(repository)
    commit(repository, 'b', { AGENTD_TOKEN: 'ended' })
    const byNobody = message(repository)
    repository.agentd(['stop'])
    commit(repository, 'c', { AGENTD_TOKEN })

    expect([byPerson, byNobody, message(repository)]).toEqual(['add a', 'add b', 'add c'])
  })

  test("who acted is the daemon's to say, and commits that are made again keep what they have (HD-21)", async () => {
    await using repository = await createSetUp()
    const AGENTD_TOKEN = await repository.session('cc-opus-4-6')
    commit(repository, 'a')
    repository.git(['branch', 'side'])
    writeFileSync(`${repository.path}/b`, '')
    repository.git(['add', '-A'])
    repository.git(['commit', '--quiet', '-m', 'add b\n\nActed-By: ~bob'], { AGENTD_TOKEN })
    const named = message(repository)
    const picked = commit(repository, 'c')
    repository.git(['checkout', '--quiet', 'side'])

    repository.git(['cherry-pick', picked], { AGENTD_TOKEN })

    expect(named).toBe(`add b\n\n${TRAILERS}`.trimEnd())
    expect(message(repository)).toBe('add c')
  })

  test.each([
    ['Acted-By: ~bob', TRAILERS],
    ['acted-by : ~bob\n  and so on', TRAILERS],
    ['Acted-By: ~alice\nActed-By: ~bob', TRAILERS],
    ['Acted-By-Proxy: ~bob', `Acted-By-Proxy: ~bob\n${TRAILERS}`],
    ['A: b', `A: b\n${TRAILERS}`],
    ['Drafted-With-Care: yes', `Drafted-With-Care: yes\n${TRAILERS}`],
    ['Drafted-With: ~gpt-6', `Drafted-With: ~gpt-6\n${TRAILERS}`],
    ['Drafted-With: ~cc-opus-4-6\nActed-By: ~bob', 'Drafted-With: ~cc-opus-4-6\nActed-By: ~alice\n'],
  ])('names are compared whole, and another who acted is replaced: %j (HD-21)', async (given, expected) => {
    await using repository = await createSetUp()
    const AGENTD_TOKEN = await repository.session('cc-opus-4-6')

    repository.git(['commit', '--quiet', '--allow-empty', '-m', `add a\n\nText, Acted-By: ~x.\n\n${given}`], {
      AGENTD_TOKEN,
    })

    expect(message(repository)).toBe(`add a\n\nText, Acted-By: ~x.\n\n${expected}`.trimEnd())
  })

  test("a repository's settings for trailers change nothing, and run nothing (HD-21)", async () => {
    await using repository = await createSetUp()
    const AGENTD_TOKEN = await repository.session('cc-opus-4-6')
    const ran = repository.beside('ran')
    const settings = {
      'trailer.acted-by.ifmissing': 'doNothing',
      'trailer.acted-by.key': 'Signed-off-by',
      'trailer.drafted-with.key': 'Reviewed-by',
      'trailer.separators': '=',
      'trailer.x.key': 'X',
      'trailer.x.command': `touch ${ran}; echo`,
      'trailer.where': 'start',
    }
    for (const [name, value] of Object.entries(settings)) repository.git(['config', name, value])

    commit(repository, 'a', { AGENTD_TOKEN })
    const first = message(repository)
    repository.git(
      ['-c', 'trailer.ifmissing=doNothing', 'commit', '--quiet', '--allow-empty', '-m', 'add b'],
      { AGENTD_TOKEN },
    )

    expect([first, message(repository)]).toEqual([
      `add a\n\n${TRAILERS}`.trimEnd(),
      `add b\n\n${TRAILERS}`.trimEnd(),
    ])
    expect(existsSync(ran)).toBe(false)
  })

  test('a comment mark of its own, and what stands below the scissors, are none of the message (HD-21)', async () => {
    await using repository = await createSetUp()
    const AGENTD_TOKEN = await repository.session('cc-opus-4-6')
    repository.git(['config', 'core.commentChar', ';'])
    commit(repository, 'a')
    writeFileSync(`${repository.path}/a`, 'Acted-By: ~bob\n')
    const editor = repository.beside('editor.sh')
    writeFileSync(editor, 'printf "add b\\n" > "$1.new"; cat "$1" >> "$1.new"; mv "$1.new" "$1"\n')

    repository.git(
      ['commit', '--quiet', '--verbose', '-a', '--template', '/dev/null', '--allow-empty-message'],
      {
        AGENTD_TOKEN,
        GIT_EDITOR: `sh ${editor}`,
      },
    )
    repository.git(['commit', '--quiet', '--amend', '--verbose'], { AGENTD_TOKEN })

    expect(message(repository)).toBe(`add b\n\n${TRAILERS}`.trimEnd())
  })

  test('leaving the message empty still keeps a commit from being made', async () => {
    await using repository = await createSetUp()
    const AGENTD_TOKEN = await repository.session('cc-opus-4-6')
    commit(repository, 'a')

    const { status, stderr } = repository.git(['commit', '--allow-empty'], { AGENTD_TOKEN })

    expect(status).toBe(1)
    expect(stderr).toContain('empty commit message')
  })
})

describe('git is never kept from its work', () => {
  test('with a daemon that does not answer, commits and pushes go on', async () => {
    await using repository = await createSetUp()
    const AGENTD_TOKEN = await repository.session('cc-opus-4-6')
    const { pid } = JSON.parse(repository.agentd(['status', '--json']).stdout)
    process.kill(pid, 'SIGSTOP')
    try {
      commit(repository, 'a', { AGENTD_TOKEN })
    } finally {
      process.kill(pid, 'SIGCONT')
    }

    expect(message(repository)).toBe('add a')
  })

  test('with agentd gone, and nothing but the hooks left, git does not notice', async () => {
    await using repository = await createSetUp()
    const folder = `${repository.path}/.git/hooks`
    for (const name of ['post-commit', 'prepare-commit-msg', 'pre-push']) {
      const text = readFileSync(`${folder}/${name}`, 'utf8')
      writeFileSync(`${folder}/${name}`, text.replaceAll(process.execPath, '/nowhere/node'))
    }

    commit(repository, 'a', { AGENTD_TOKEN: 'x' })

    expect(message(repository)).toBe('add a')
  })

  test('a hook of their own that fails still fails, and one that passes still passes', async () => {
    await using repository = await createRepository()
    const folder = `${repository.path}/.git/hooks`
    const refs = repository.beside('refs')
    writeFileSync(`${folder}/pre-push`, `#!/bin/sh\ncat >'${refs}'\n[ ! -e '${refs}.no' ]\n`, { mode: 0o755 })
    repository.agentd(['setup', 'git', '--yes'])
    commit(repository, 'a')
    repository.git(['init', '--quiet', '--bare', repository.beside('remote')])

    const passed = repository.git(['push', '--quiet', repository.beside('remote'), 'main'])
    const seen = readFileSync(refs, 'utf8')
    writeFileSync(`${refs}.no`, '')
    const failed = repository.git(['push', '--quiet', repository.beside('remote'), 'main:other'])

    expect(passed.status).toBe(0)
    expect(seen).toMatch(/^refs\/heads\/main [0-9a-f]{40} refs\/heads\/main 0{40}\n$/)
    expect(failed.status).toBe(1)
  })

  test('a hook that becomes another program still gets the lines of the push', async () => {
    await using repository = await createRepository()
    const refs = repository.beside('refs')
    const hook = `${repository.path}/.git/hooks/pre-push`
    writeFileSync(hook, `#!/bin/sh\nexec tee '${refs}'\n`, { mode: 0o755 })
    repository.agentd(['setup', 'git', '--yes'])
    await using listener = await repository.listen()
    const sha = commit(repository, 'a')
    await listener.next()
    repository.git(['init', '--quiet', '--bare', repository.beside('remote')])

    repository.git(['push', '--quiet', repository.beside('remote'), 'main'])

    expect(readFileSync(refs, 'utf8')).toContain(`refs/heads/main ${sha}`)
    expect((await listener.next()).payload).toMatchObject({ event_class: 'released' })
  })

  test('the command ends well whatever it is given', async () => {
    await using repository = await createRepository()

    for (const args of [
      ['post-commit'],
      ['pre-push'],
      ['prepare-commit-msg', '/nowhere'],
      ['post-checkout', 'x'],
    ]) {
      expect(repository.agentd(['git-hook', ...args], { AGENTD_TOKEN: 'x' })).toEqual({
        status: 0,
        stdout: '',
        stderr: '',
      })
    }
  })
})

describe('setting up and undoing', () => {
  test('every hook is made or gets a block, and undoing gives every byte and mode back', async () => {
    await using repository = await createRepository()
    const folder = `${repository.path}/.git/hooks`
    writeFileSync(`${folder}/post-commit`, '#!/bin/bash\necho mine', { mode: 0o750 })
    chmodSync(`${folder}/post-commit`, 0o750)
    const before = snapshotOf(folder)

    const first = repository.agentd(['setup', 'git', '--yes'])
    const between = snapshotOf(folder)
    const second = repository.agentd(['setup', 'git', '--yes'])
    const undone = repository.agentd(['setup', 'git', '--undo', '--yes'])

    expect([first.status, second.status, undone.status]).toEqual([0, 0, 0])
    expect(second.stdout).toBe('git: nothing to do\n')
    expect(between['post-commit']).toMatch(/^750 #!\/bin\/bash\necho mine\n# >>> agentd/)
    expect(between['pre-push']).toMatch(/^755 #!\/bin\/sh\n/)
    expect(snapshotOf(folder)).toEqual(before)
  })

  test('core.hooksPath is followed, and a folder in the work tree is pointed out', async () => {
    await using repository = await createRepository()
    mkdirSync(`${repository.path}/.husky`)
    repository.git(['config', 'core.hooksPath', '.husky'])

    const { stderr } = repository.agentd(['setup', 'git', '--yes'])

    expect(stderr).toContain('do not commit it')
    expect(readdirSync(`${repository.path}/.husky`)).toHaveLength(5)
    repository.agentd(['setup', 'git', '--undo', '--yes'])
    expect(readdirSync(`${repository.path}/.husky`)).toEqual([])
  })

  test('another work tree of the repository has the same hooks', async () => {
    await using repository = await createSetUp()
    await using listener = await repository.listen()
    commit(repository, 'a')
    await listener.next()
    repository.git(['worktree', 'add', '--quiet', repository.beside('tree'), '-b', 'tree'])

    repository.git([
      '-C',
      repository.beside('tree'),
      'commit',
      '--quiet',
      '--allow-empty',
      '-m',
      'from the tree',
    ])

    expect((await listener.next()).payload).toMatchObject({
      broadcast_text: expect.stringMatching(/^tree: committed \S+ on tree: from the tree$/),
      refs: expect.arrayContaining([`repository:${repository.path}/.git`]),
    })
  })

  test('undoing everything takes the hooks of every repository away', async () => {
    await using repository = await createSetUp()
    mkdirSync(repository.beside('elsewhere'))
    const hook = `${repository.path}/.git/hooks/post-commit`
    expect(existsSync(hook)).toBe(true)

    repository.agentd(['setup', '--undo', '--yes'])

    expect(existsSync(hook)).toBe(false)
  })

  test('outside a repository it says so', async () => {
    await using repository = await createRepository()
    rmSync(`${repository.path}/.git`, { recursive: true })

    const { status, stderr } = repository.agentd(['setup', 'git', '--yes'], {
      GIT_CEILING_DIRECTORIES: repository.path,
    })

    expect(status).toBe(78)
    expect(stderr).toContain('is in no git repository')
  })
})
