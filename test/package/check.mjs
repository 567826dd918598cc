/**
 * Packs the project, installs the tarball into an empty folder without running any install script, and does a
 * round trip with it: the daemon, the command line, the client library.
 *
 * Without better-sqlite3's binary, as an agent would install it: the library and the daemon both have to work.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { checkEverywhere } from './everywhere.mjs'

const root = new URL('../..', import.meta.url).pathname
const work = mkdtempSync(join(tmpdir(), 'agentd-pack-'))
const run = (command, args, options = {}) =>
  execFileSync(command, args, { cwd: work, encoding: 'utf8', timeout: 120_000, ...options })

/** Files a user has no use for, or that are larger than they should be. */
const FOREIGN =
  /(^|\/)(test|src|node_modules|\.ci|\.github|docs)\/|^dist\/(broker|store|hooks)\/|^dist\/server\/(?!documents\/openapi\.js$)|^dist\/mcp\/(?!serve\.js$)|^dist\/cli\/commands\/|tsbuildinfo$|^dist\/\.sources$|build-stamp/
/** With short names for variables, what links take, and a schema and a manual page for all that a terminal or a program is told. */
const MAX_PACKED_BYTES = 1_050_000

/** Every Node that the client has to work on: this one, those of `OTHER_NODES` (paths, with colons between), and those of nvm. */
const NODES = [process.execPath, ...(process.env.OTHER_NODES ?? '').split(':'), ...nodesOfNvm()].filter(
  (path) => path !== '',
)

function nodesOfNvm() {
  const { NVM_DIR } = process.env
  const folder = join(NVM_DIR ?? '', 'versions/node')
  if (NVM_DIR === undefined || !existsSync(folder)) return []
  return readdirSync(folder)
    .filter((version) => Number(version.match(/^v(\d+)/)?.[1]) >= 20)
    .map((version) => join(folder, version, 'bin/node'))
}

/** What a program of the client does: it registers, listens, says, asks and answers, signs, and is closed. */
const ROUND = `import { connect } from 'agentd-client'
  import { readKey, signEnvelope, verifyEnvelope } from 'agentd-client/aee'
  const client = await connect()
  const one = await client.session({ instrument: 'one', mailbox: true })
  const two = await client.session({ instrument: 'two' })
  const stream = two.stream()
  await stream.opened
  const asked = one.ask('here?', { scope: two.address, timeoutMs: 20_000 })
  for await (const item of stream) {
    if (item.type !== 'frame') continue
    await two.respond(item.frame, 'round')
    break
  }
  const { responses } = await asked
  const created_at = new Date().toISOString()
  const fields = { kid: 'k', alg: 'HS256', entities: ['agent.a'], status: 'trusted', created_at }
  const key = readKey(JSON.stringify({ ...fields, secret: Buffer.alloc(32, 7).toString('base64url') }))
  const envelope = {
    v: '1', id: '01JD0000000000000000000000', ts: created_at, type: 'event', from: 'agent.a', to: 'bus.ops',
    intent: 'ops.done', corr: 'nightly-deploy', priority: 'normal', payload: {},
  }
  const signed = { ...envelope, sig: signEnvelope(envelope, key) }
  const keys = { find: () => key }
  const here = (await two.roster()).filter(({ instrument }) => ['one', 'two'].includes(instrument)).length
  console.log(responses[0].text + ':', here, verifyEnvelope(signed, { keys, nowMs: Date.now() }))
  await Promise.all([one.close(), two.close()])
  await client.close()`

try {
  const [packed] = JSON.parse(
    run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', work], { cwd: root }),
  )
  const files = packed.files.map(({ path }) => path)
  assert.deepEqual(
    files.filter((path) => FOREIGN.test(path)),
    [],
    'the tarball holds only what runs',
  )
  for (const path of [
    'bin/agentd',
    'bin/agentd.cjs',
    'dist/daemon/main.js',
    'dist/bridge/main.js',
    'dist/bundle/LICENSES.txt',
    'dist/command/LICENSES.txt',
    'dist/cli/fast/fast.cjs',
    'dist/cli/fast/hook-fast.cjs',
    'dist/cli/fast/mcp-fast.cjs',
    'dist/cli/fast/top-fast.cjs',
    'dist/runtimes/git/short-way.cjs',
    'dist/schemas/envelope/aee-v1.schema.json',
    'dist/agentd-client/index.d.ts',
    'dist/agentd-client/aee.d.ts',
    'systemd/agentd.service',
    'dist/man/agentd.1',
    'dist/man/agentd-send.1',
    'README.md',
    'LICENSE',
  ]) {
    assert.ok(files.includes(path), `the tarball holds ${path}`)
  }
  const { man, repository, bugs, homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.deepEqual(
    files.filter((path) => path.startsWith('dist/man/')).toSorted(),
    man.map((path) => path.replace('./', '')).toSorted(),
    'the manual pages that package.json names are those in the tarball',
  )
  const forge = repository.url.replace(/^git\+|\.git$/g, '')
  assert.ok([bugs, homepage].every((url) => url.startsWith(`${forge}/`) || url.startsWith(`${forge}#`)))
  assert.ok(
    packed.size < MAX_PACKED_BYTES,
    `the tarball is under ${MAX_PACKED_BYTES} bytes, not ${packed.size}`,
  )

  writeFileSync(
    join(work, 'package.json'),
    JSON.stringify({ name: 'consumer', private: true, type: 'module' }),
  )
  run('npm', [
    'install',
    '--ignore-scripts',
    '--omit=optional',
    '--no-audit',
    '--no-fund',
    join(work, packed.filename),
  ])

  const home = join(work, 'home')
  mkdirSync(home, { mode: 0o700 })
  chmodSync(home, 0o700)
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    AGENTD_SOCKET: join(home, 'a.sock'),
    AGENTD_PRINCIPAL: '~alice',
  }
  const agentd = join(work, 'node_modules/.bin/agentd')
  assert.match(run(agentd, ['--version'], { env }), /^\d+\.\d+\.\d+/)

  writeFileSync(
    join(work, 'listener.mjs'),
    `import { connect } from 'agentd-bus'
     const client = await connect()
     const session = await client.session({ instrument: 'cc-opus', sessionId: 's1', tool: 'cc' })
     const stream = session.stream()
     await stream.opened
     console.log('listening')
     for await (const item of stream) {
       if (item.type !== 'frame') continue
       console.log(item.frame.payload.advisory_text)
       break
     }
     await session.close()
     await client.close()`,
  )
  // The first command starts the daemon by itself.
  assert.match(run(agentd, ['roster'], { env }), /./)
  const listener = spawn(process.execPath, ['listener.mjs'], {
    cwd: work,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let heard = ''
  listener.stdout.on('data', (chunk) => {
    heard += chunk
    if (heard === 'listening\n') {
      const sent = JSON.parse(run(agentd, ['advise', 'editing src/auth.ts', '--json'], { env }))
      assert.equal(sent.recipient_count, 1)
    }
  })
  const [code] = await once(listener, 'exit')
  assert.equal(code, 0)
  assert.equal(heard, 'listening\nediting src/auth.ts\n')
  // The client by itself, in a prefix that has nothing else, against the same daemon.
  const [thin] = JSON.parse(
    run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', work], {
      cwd: join(root, 'dist/agentd-client'),
    }),
  )
  const prefix = join(work, 'thin')
  mkdirSync(prefix)
  writeFileSync(join(prefix, 'package.json'), JSON.stringify({ name: 'thin', private: true, type: 'module' }))
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', join(work, thin.filename)], {
    cwd: prefix,
  })
  assert.deepEqual(
    readdirSync(join(prefix, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['agentd-client'],
    'the client brings nothing with it',
  )
  writeFileSync(
    join(prefix, 'worker.mjs'),
    `import { connect } from 'agentd-client'
     import { checkEnvelope } from 'agentd-client/aee'
     const client = await connect()
     const session = await client.session({ instrument: 'thin', sessionId: 'thin' })
     const { heldBy } = await session.lock('src/a.ts')
     console.log('ready', heldBy.length, checkEnvelope('{}').level)
     setInterval(() => {}, 1_000_000)`,
  )
  const worker = spawn(process.execPath, ['worker.mjs'], {
    cwd: prefix,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = await once(worker.stdout, 'data')
  assert.equal(String(said), 'ready 0 none\n')
  assert.match(run(agentd, ['roster', '--json'], { env }), /thin@thin/)
  worker.kill()
  await once(worker, 'exit')
  writeFileSync(join(prefix, 'round.mjs'), ROUND)
  for (const node of NODES)
    assert.equal(run(node, ['round.mjs'], { cwd: prefix, env }), 'round: 2 verified\n')
  run(agentd, ['stop'], { env })

  checkEverywhere(work, join(work, packed.filename))
  const versions = NODES.map((node) => run(node, ['--version']).trim())
  console.log(
    `packed ${packed.size} bytes, ${files.length} files; installed, started, sent and received, on ${versions.join(', ')}`,
  )
} finally {
  rmSync(work, { recursive: true, force: true })
}
