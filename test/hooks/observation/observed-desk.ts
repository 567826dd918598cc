/** A desk and a repository for whatever a session is told of what the machine shows. */
import { join } from 'node:path'
import { createCheckout, type Checkout } from '../../runtimes/support/sessions.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openDesk, type TestDesk, type Told } from '../desk-in-process.ts'

/** A desk whose clock is ahead of the disk's, so that what was just made is not new; and a repository. */
export async function openPlace(aheadMs = 60_000) {
  const checkout = await createCheckout()
  const clock = new FakeClock(Date.now() + aheadMs)
  const desk = await openDesk({ clock })
  return {
    desk,
    clock,
    checkout,
    one: await beginSession(desk, checkout, 'one'),
    async [Symbol.asyncDispose]() {
      await desk[Symbol.asyncDispose]()
      await checkout[Symbol.asyncDispose]()
    },
  }
}

/** Begins a session, and says what its hooks are told. */
export async function beginSession(desk: TestDesk, { main }: Checkout, id: string, told?: Told) {
  let calls = 0
  const call = async (
    name: string,
    tool_name: string,
    tool_input: object,
    more: object = {},
  ): Promise<string> => {
    const changes = {
      session_id: id,
      cwd: main,
      tool_name,
      tool_input,
      tool_use_id: `${id}-${(calls += 1)}`,
      ...more,
    }
    const text = await desk.event('claude-code', name, changes, told)
    return text === '' ? '' : JSON.parse(text).hookSpecificOutput.additionalContext
  }
  await desk.event('claude-code', 'session-start', { session_id: id, cwd: main }, told)
  const at = (path: string) => ({ file_path: join(main, path) })
  return {
    reads: (path: string) => call('after-tool', 'Read', at(path)),
    edited: (path: string) => call('after-edit', 'Edit', at(path)),
    editing: (path: string) => call('before-tool', 'Edit', at(path)),
    ran: (duration_ms: number | undefined) =>
      call('after-tool', 'Bash', { command: 'make' }, { duration_ms }),
  }
}
