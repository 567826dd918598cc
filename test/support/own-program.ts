/** Programs over the library as it is shipped, each with a session that hangs on it. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** The library as it is built. */
export const LIBRARY = new URL('../../dist/agentd-client/index.js', import.meta.url).href

/** A program that registers a session, says so and goes on. @param options - of `session()` */
export async function startProgram(socket: string, options: object): Promise<ChildProcess> {
  const program = `
    import { connect } from ${JSON.stringify(LIBRARY)}
    const client = await connect({ socket: ${JSON.stringify(socket)} })
    const session = await client.session(${JSON.stringify(options)})
    console.log(session.address)
    setInterval(() => {}, 1_000_000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(createInterface({ input: child.stdout }), 'line')
  return child
}
