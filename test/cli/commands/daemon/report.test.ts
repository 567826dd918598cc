/**
 * `agentd report`: secrets planted in every place that it looks at, and none of them in it.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { connect } from '../../../../src/client/index.ts'
import { agentd, createUser } from '../../support.ts'

/** Words that agentd is not written with, one for each place. */
const PLANTED = {
  title: 'Zanzibar merger papers',
  instrument: 'quokkabot',
  session: 'wombat77',
  repository: 'narwhal-ledger',
  text: 'hippogriff launch on Tuesday',
  handover: 'basilisk password is xyzzy',
  principal: 'thaddeus',
  handle: 'moonlighter',
  folder: 'Ockham Project',
  intent: 'kraken.release',
  link: 'pangolin-hq',
  token: 'tok_9f8e7d6c5b4a39281706f5e4d3c2b1a0',
  field: 'jabberwock',
  event: 'vorpal-sword',
  line: 'a bandersnatch wrote this line',
  path: '/home/thaddeus/Ockham Project/borogove.txt',
  address: '203.0.113.77',
  mail: 'thaddeus@example.org',
  id: '01JFB2QX0K8X5K6ZJ9G2C0C1MW',
  config: 'mimsy_key',
} as const

/** Each of them, and every word of them that is not one of agentd's or of everybody's. */
const SECRETS = [
  ...Object.values(PLANTED),
  ...Object.values(PLANTED)
    .flatMap((text) => text.split(/[^\w]+/))
    .filter((word) =>
      /zanz|quok|womb|narw|hippo|basil|xyzzy|thad|moonl|ockh|krak|pango|jabb|vorp|bander|borog|mimsy|9f8e|203|01JF/i.test(
        word,
      ),
    ),
]

test('nothing of names, titles, texts, paths, handles, ids, tokens and seeds is in it, wherever they were planted', async () => {
  await using user = await createUser()
  const home = user.dir.file(PLANTED.folder)
  mkdirSync(home, { mode: 0o700 })
  const env = {
    ...user.env,
    HOME: home,
    AGENTD_PRINCIPAL: `~${PLANTED.principal}`,
    AGENTD_SOCKET: user.dir.file('borogove.sock'),
    AGENTD_STATE_DIR: user.dir.file('state'),
  }
  const set = (key: string, value: string) => agentd(env, ['config', 'set', key, value])
  await set(`aee.payloads.${PLANTED.intent}`, 'warn')
  await set(`links.${PLANTED.link}.allow.kinds`, 'agent_advisory')
  await set('aee.boundary.redact', `payload.${PLANTED.config}`)
  await set('ring.max_frames', '777')
  await set('hooks.conflict', 'deny')
  await agentd(env, ['start'])
  await using client = await connect({ socket: env.AGENTD_SOCKET })
  const session = await client.session({
    instrument: PLANTED.instrument,
    sessionId: PLANTED.session,
    title: PLANTED.title,
    repository: PLANTED.repository,
  })
  await session.advise(PLANTED.text)
  await session.handover(PLANTED.handover)
  await agentd(env, ['keys', 'new', PLANTED.intent])
  const said = Object.values(PLANTED)
  const fields = { [PLANTED.field]: PLANTED.text, session: PLANTED.session, n: 5 }
  for (const line of [
    ...said,
    ...said.map((text) =>
      JSON.stringify({ ts: '2026-11-28T00:00:00.000Z', level: 'warn', event: 'x', why: text }),
    ),
    JSON.stringify({
      ts: PLANTED.line,
      level: PLANTED.id,
      event: PLANTED.event,
      ...fields,
      code: PLANTED.mail,
    }),
    `agentd: The file ${PLANTED.path} of ${PLANTED.mail} at ${PLANTED.address} is refused: "${PLANTED.line}".`,
    `    at ${PLANTED.field} (file://${PLANTED.path}:3:4)`,
  ])
    appendFileSync(`${env.AGENTD_STATE_DIR}/agentd.log`, `${line}\n`)

  const shown = await agentd({ ...env, AGENTD_DEBUG: PLANTED.path }, ['report', '--lines', '1000'])
  const json = await agentd(env, ['report', '--json', '--lines', '1000'])

  expect([shown.code, json.code]).toEqual([0, 0])
  const folders = [user.dir.path, user.dir.path.split('/').at(-1) ?? '', hostname()].filter(
    (name) => name.length > 3,
  )
  for (const secret of [...SECRETS, ...folders])
    for (const text of [shown.stdout, json.stdout])
      expect(text.toLowerCase()).not.toContain(secret.toLowerCase())
  for (const [, text = ''] of readFileSync(`${env.AGENTD_STATE_DIR}/person.key`, 'utf8').matchAll(
    /(\S{12,})/g,
  ))
    expect(shown.stdout).not.toContain(text)
  // And it is of use all the same.
  for (const useful of [
    /agentd \d+\.\d+\.\d+/,
    /node v\d+/,
    /1 sessions, 0 waiting/,
    /keeps 2 items/,
    /ring\.max_frames = 777 \(file\)/,
    /hooks\.conflict = deny \(file\)/,
    /aee\.boundary\.redact = \[set\] \(file\)/,
    /^ +AGENTD_DEBUG$/m,
    /agentd socket: The socket is \[path\]/,
    /info serving socket=\[text\] principal=\[text\] pid=\d+/,
  ])
    expect(shown.stdout).toMatch(useful)
})

test('without a daemon and with a broken configuration there is a report, and none is started', async () => {
  await using user = await createUser()
  mkdirSync(user.dir.file('config/agentd'), { mode: 0o700 })
  writeFileSync(user.dir.file('config/agentd/config.json'), '{"borogove": 1}', { mode: 0o600 })

  const { code, stdout } = await agentd(user.env, ['report'])

  expect(code).toBe(0)
  expect(stdout).toMatch(/not asked: /)
  expect(stdout).toMatch(/The configuration \[path\] is refused: \[text\] is not a key agentd knows\./)
  expect(stdout).not.toContain('borogove')
  expect(existsSync(user.dir.file('state/agentd.log'))).toBe(false)
})

test('--to writes it for this user alone and never over a file, shows what it wrote, and asks to read it', async () => {
  await using user = await createUser()
  const file = user.dir.file('report.md')

  const { stdout, stderr } = await agentd(user.env, ['report', '--to', file])
  const again = await agentd(user.env, ['report', '--to', file])

  expect(readFileSync(file, 'utf8').trimEnd()).toBe(stdout.trimEnd())
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(stderr).toMatch(/^written to .*\nRead it before you send it: /)
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('There is a file') })
  expect(await agentd(user.env, ['report', '--lines', '1001'])).toMatchObject({ code: 2 })
})
