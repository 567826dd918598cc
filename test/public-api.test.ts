/**
 * What the package exports: a change here is a change for everybody who imports it.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import * as library from '../src/client/index.ts'

test('the package exports these values and no others', () => {
  expect(Object.keys(library).toSorted()).toEqual([
    'AgentdError',
    'AgentdRefusal',
    'AgentdUnknownAnswer',
    'AgentdUnreachable',
    'EnvelopeHashMismatch',
    'EnvelopeTimeout',
    'EnvelopeUnheard',
    'HostRefusal',
    'TaskError',
    'UsageError',
    'approveBy',
    'connect',
    'formatDecision',
    'readDecision',
  ])
})

test('the package has one door, and it is the client library', () => {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

  expect(manifest).toMatchObject({
    name: 'agentd-bus',
    license: 'MIT',
    type: 'module',
    engines: { node: '>=20.12' },
    bin: { agentd: 'bin/agentd' },
    exports: {
      '.': { types: './dist/agentd-client/index.d.ts', default: './dist/agentd-client/index.js' },
      './aee': { types: './dist/agentd-client/aee.d.ts', default: './dist/agentd-client/aee.js' },
    },
  })
})

test('what is optional is optional, and what may build is named', () => {
  const Names = z.record(z.string(), z.unknown())
  const manifest = z
    .object({ dependencies: Names, optionalDependencies: Names, allowScripts: Names })
    .parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')))

  expect(Object.keys(manifest.optionalDependencies).toSorted()).toEqual([
    '@nats-io/jetstream',
    '@nats-io/transport-node',
    'better-sqlite3',
    'koffi',
  ])
  expect(manifest.dependencies).not.toHaveProperty('better-sqlite3')
  expect(manifest.allowScripts).toMatchObject({ 'better-sqlite3': true })
})

test('the library neither loads the daemon nor what only the daemon needs', () => {
  const seen = new Set<string>()
  const visit = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    const text = readFileSync(new URL(path, import.meta.url), 'utf8')
    for (const [, target = ''] of text.matchAll(/^(?:import|export) (?!type\b)[^'"]*?from '([^']+)'/gm)) {
      if (target.startsWith('.'))
        visit(
          new URL(target, new URL(path, 'file:///x/test/')).pathname
            .replace('/x/test/', './')
            .replace('/x/', '../'),
        )
      else expect(target, `${path} imports ${target}`).toMatch(/^(node:|zod$|ulid$)/)
    }
  }

  visit('../src/client/index.ts')

  expect(seen.size).toBeGreaterThan(20)
  expect([...seen].filter((path) => /src\/(broker|server|store|daemon|cli)\//.test(path))).toEqual([])
})
