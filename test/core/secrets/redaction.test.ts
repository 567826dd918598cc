/** What is blacked out of a text, and what must not be. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { REDACTED, holdsSecret, redactSecrets } from '../../../src/core/secrets/redaction.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')

/** So many characters drawn from some, with a digit among them as any drawn token has. */
function drawn(from: string, min: number, max = min + 24): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.string({ unit: fc.constantFrom(...from.split('')), minLength: min, maxLength: max }),
      fc.integer({ min: 0, max: 9 }),
    )
    .map(([text, digit]) => `${text.slice(0, 3)}${digit}${text.slice(4)}`)
}

const ALNUM = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const URL64 = `${ALNUM}-_`
const HEX = '0123456789abcdef'
const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** What it is → the secret itself, and the text around it where its form is in that. */
const SHAPES: Readonly<Record<string, { secret: fc.Arbitrary<string>; as?: (secret: string) => string }>> = {
  'an OpenAI key': { secret: drawn(ALNUM, 40).map((rest) => `sk-${rest}`) },
  'an OpenAI project key': { secret: drawn(URL64, 48).map((rest) => `sk-proj-${rest}`) },
  'an Anthropic key': { secret: drawn(URL64, 80).map((rest) => `sk-ant-api03-${rest}`) },
  'a DeepSeek key': { secret: drawn(HEX, 32, 32).map((rest) => `sk-${rest}`) },
  'a Stripe key': { secret: drawn(ALNUM, 24).map((rest) => `rk_live_${rest}`) },
  'a GitHub token': { secret: drawn(ALNUM, 36, 36).map((rest) => `ghp_${rest}`) },
  'a fine-grained GitHub token': { secret: drawn(`${ALNUM}_`, 82, 82).map((rest) => `github_pat_${rest}`) },
  'a GitLab token': { secret: drawn(URL64, 20, 20).map((rest) => `glpat-${rest}`) },
  'a Slack token': { secret: drawn(`${ALNUM}-`, 40).map((rest) => `xoxb-${rest}`) },
  'a Slack webhook': {
    secret: drawn(ALNUM, 20).map((rest) => `T0${rest}/B1${rest}/${rest}`),
    as: (secret) => `https://hooks.slack.com/services/${secret}`,
  },
  'an AWS key': { secret: drawn(CAPITALS, 16, 16).map((rest) => `AKIA${rest}`) },
  'a Google API key': { secret: drawn(URL64, 35, 35).map((rest) => `AIza${rest}`) },
  'an npm token': { secret: drawn(ALNUM, 36, 36).map((rest) => `npm_${rest}`) },
  'a PyPI token': { secret: drawn(URL64, 60).map((rest) => `pypi-${rest}`) },
  'a Hugging Face token': { secret: drawn(ALNUM, 34, 34).map((rest) => `hf_${rest}`) },
  'a Telegram bot token': { secret: drawn(URL64, 33, 33).map((rest) => `123456789:AA${rest}`) },
  'a JSON Web Token': {
    secret: fc
      .tuple(drawn(URL64, 20), drawn(URL64, 40), drawn(URL64, 43))
      .map(([head, body, signature]) => `eyJ${head}.eyJ${body}.${signature}`),
  },
  'a bearer token': { secret: drawn(URL64, 43, 43), as: (secret) => `Authorization: Bearer ${secret}` },
  'basic credentials': { secret: drawn(ALNUM, 16), as: (secret) => `authorization: basic ${secret}=` },
  'a private key': {
    secret: fc
      .array(drawn(`${ALNUM}+/`, 64, 64), { minLength: 1, maxLength: 20 })
      .map((lines) => lines.join('\n')),
    as: (secret) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${secret}\n-----END OPENSSH PRIVATE KEY-----`,
  },
  'a private key that was cut': {
    secret: drawn(`${ALNUM}+/`, 64, 64),
    as: (secret) => `-----BEGIN PRIVATE KEY-----\\n${secret}`,
  },
  'the password of a URL': {
    secret: drawn(ALNUM, 12),
    as: (secret) => `postgres://app:${secret}@db.lan:5432/x`,
  },
  'a variable': { secret: drawn(ALNUM, 10), as: (secret) => `export DB_PASSWORD=${secret}` },
  'a member': { secret: drawn(ALNUM, 16), as: (secret) => `{"user":"x","client_secret": "${secret}"}` },
  'an escaped member': { secret: drawn(ALNUM, 16), as: (secret) => `{\\"accessToken\\":\\"${secret}\\"}` },
  'an option': { secret: drawn(ALNUM, 16), as: (secret) => `tool --api-key ${secret} run` },
  'a parameter': { secret: drawn(ALNUM, 16), as: (secret) => `GET /x?access_token=${secret}&page=2` },
  'a cookie': { secret: drawn(ALNUM, 16), as: (secret) => `Cookie: a=1; sid=${secret}` },
}

/** What a symptom consists of otherwise. */
const WORDS = fc.constantFrom(
  'npm test hangs',
  'see',
  'in src/auth.ts:81',
  '(exit code 1)',
  '"',
  "'",
  '\n',
  ': ',
)

describe('a secret', () => {
  test.each(Object.entries(SHAPES))(
    'of the shape of %s never passes (AC-186)',
    (_, { secret, as = String }) => {
      fc.assert(
        fc.property(WORDS, secret, WORDS, (before, drawnSecret, after) => {
          const { text, found } = redactSecrets(`${before} ${as(drawnSecret)} ${after}`)

          expect(text).toContain(before)
          expect(text).not.toContain(drawnSecret.slice(0, 24).slice(-8))
          expect(text).not.toContain(drawnSecret.slice(-8))
          expect(found).not.toEqual([])
          expect(found.join(' ')).not.toContain(drawnSecret.slice(-8))
        }),
        { numRuns: 300 },
      )
    },
  )

  test('is told by what it is, and what is around it stays', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`
    const text = `push with ${token} fails; DB_PASSWORD=hunter2 as well`

    expect(redactSecrets(text)).toEqual({
      text: `push with ${REDACTED} fails; DB_PASSWORD=******* as well`,
      found: ['a GitHub token', 'the value of DB_PASSWORD'],
    })
  })

  test('is blacked out once: what is black already, and what fitted a bound, stays as it is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(...Object.values(SHAPES).map(toText), WORDS), { maxLength: 6 }),
        (parts) => {
          const { text } = redactSecrets(parts.join(' '))

          expect(redactSecrets(text)).toEqual({ text, found: [] })
          expect(text.length).toBeLessThanOrEqual(parts.join(' ').length)
        },
      ),
    )
  })

  test('in every line of many is found, and eight sorts of them are told', () => {
    const lines = Array.from({ length: 40 }, (_, i) => `NAME_${i}_TOKEN=a1b2c3d4e5${i}`)

    const { text, found } = redactSecrets(lines.join('\n'))

    expect(text.split('\n').filter((line) => !line.endsWith(`=${REDACTED}`))).toEqual([])
    expect(found).toHaveLength(8)
  })
})

function toText({ secret, as = String }: (typeof SHAPES)[string]): fc.Arbitrary<string> {
  return secret.map(as)
}

describe('what is none', () => {
  const hex = fc.string({ unit: fc.constantFrom(...HEX.split('')), minLength: 40, maxLength: 64 })
  const path = fc
    .array(fc.string({ unit: fc.constantFrom(...URL64.split(''), '.'), minLength: 1, maxLength: 12 }), {
      minLength: 1,
    })
    .map((names) => `/${names.map((name) => `w${name}`).join('/')}`)

  test.each([
    ['a hash', hex],
    ['a hash with its name', hex.map((text) => `sha256:${text}`)],
    ['a UUID', fc.uuid()],
    ['a path', path],
    ['a place', path.map((text) => `${text}.ts:81`)],
    ['random base64', fc.base64String({ minLength: 16, maxLength: 88 })],
    ['a number', fc.double().map(String)],
    ['words', fc.lorem({ mode: 'sentences', maxCount: 3 })],
  ])('stays, such as %s (AC-186)', (_, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, (text) => {
        expect(redactSecrets(`see ${text} there`)).toEqual({ text: `see ${text} there`, found: [] })
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    'the token is expired; ask for another one',
    'password: required',
    'token: string, secret: Uint8Array, privateKey: KeyObject',
    'const token = readToken2(session)',
    'const token = tokens[0] ?? auth2.token',
    'apiKey: process.env.API_KEY_2',
    'DB_PASSWORD=$PASSWORD1 or ${PASSWORD1} or <password1>',
    'curl -H "authorization: Bearer $TOKEN1"',
    'postgres://app:$PASSWORD@db.lan/x and postgres://app:***@db.lan/x',
    'https://example.org:8443/a@b',
    'task-management-for-sk-and-others-2024',
    'Bearer authentication-middleware of the client',
    'token_budget=200000a, max_tokens: 4096x, cache_key: a1b2c3d4e5',
    'the line -----BEGIN PRIVATE KEY----- is missing',
    "'answers with an empty token': 'HTTP/1.1 201 Created'",
    'token: ~alice/cc-opus@s1, see https://example.org/token1',
    'secret: ed25519, jwt: HS256',
    'pwd: /home/alice/work2',
    'eyJhbGciOiJFZERTQSJ9..c2lnbmF0dXJl',
  ])('stays: %s', (text) => {
    expect(redactSecrets(text)).toEqual({ text, found: [] })
    expect(holdsSecret(text)).toBe(false)
  })

  test("stays in all of this repository's own code and pages", () => {
    const listed = execFileSync('git', ['ls-files', 'src', 'bin', 'docs/*.md', '*.md'], { cwd: ROOT })
    const files = listed.toString().trim().split('\n')

    const blackened = files.filter((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8')
      return redactSecrets(text).text !== text
    })

    expect(files.length).toBeGreaterThan(500)
    expect(blackened).toEqual([])
  })
})

test('a text that tries its patterns costs little more than its length', () => {
  const hostile = [
    'a=',
    'a:"',
    '--a ',
    'eyJaaaaaaaa.',
    'http://a:',
    '-----BEGIN PRIVATE KEY-----\n',
    'token=a1b2(',
  ]

  for (const part of hostile) {
    const { text } = redactSecrets(part.repeat(20_000))

    expect(text.length).toBeLessThanOrEqual(part.length * 20_000)
  }
})
