import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LEAST_NODE, isNodeTooOld, requireNode } from '../../../src/host/process/node-version.ts'

test('the Node that a start asks for is the one that the package names (HD-22)', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))

  expect(manifest.engines.node).toBe(`>=${LEAST_NODE}`)
})

test('a Node is measured by its major and its minor version (HD-22)', () => {
  const versions = ['18.20.4', '20.11.1', '20.12.0', '20.20.2', '21.0.0', '24.1.0']

  expect(versions.filter(isNodeTooOld)).toEqual(['18.20.4', '20.11.1'])
  expect(() => requireNode('20.11.1')).toThrow('Node 20.11.1 is older than 20.12')
})
