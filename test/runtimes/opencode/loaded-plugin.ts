/** The plugin of OpenCode in this process, with a program in the place of agentd that writes down what it is told. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { opencodePlugin } from '../../../src/runtimes/opencode/plugin.ts'
import type { SocketCall } from '../../../src/runtimes/setup/files/curl-line.ts'
import type { TempDir } from '../../support/temp-dir.ts'

/** Writes down what it was asked, and answers what the file beside it says. */
const STAND_IN = `
const fs = require('node:fs')
let input = ''
process.stdin.on('data', (chunk) => { input += chunk }).on('end', () => {
  fs.appendFileSync(__dirname + '/asked', JSON.stringify([process.argv.slice(2), JSON.parse(input)]) + '\\n')
  process.stdout.write(fs.readFileSync(__dirname + '/answer'))
})
`

/** The hooks that OpenCode calls, by their names. */
export type LoadedPlugin = Readonly<Record<string, (...args: unknown[]) => Promise<void>>>

/**
 * The plugin as OpenCode loads it: an ES module of its own.
 *
 * @param answer - what agentd says to every event
 */
export async function loadPlugin(dir: TempDir, answer: string, call?: SocketCall): Promise<LoadedPlugin> {
  mkdirSync(dir.file('bin'))
  writeFileSync(dir.file('bin', 'agentd.cjs'), STAND_IN)
  writeFileSync(dir.file('bin', 'answer'), answer)
  writeFileSync(
    dir.file('agentd.mjs'),
    opencodePlugin({ node: process.execPath, script: dir.file('bin', 'agentd.cjs'), call }),
  )
  const { Agentd } = await import(pathToFileURL(dir.file('agentd.mjs')).href)
  return Agentd({
    client: {},
    directory: '/work',
    worktree: '/work',
    serverUrl: new URL('http://127.0.0.1:1/'),
  })
}

/** What it has told agentd by Node, in order: the words of each call, and the payload. */
export function asked(dir: TempDir): readonly [readonly string[], Readonly<Record<string, unknown>>][] {
  const lines = readFileSync(dir.file('bin', 'asked'), 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line))
}
