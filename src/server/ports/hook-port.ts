/** Who answers the hooks of agent runtimes; the daemon fills it when it is first asked for. */
import type { HookCall, HookReply } from '../../protocol/http/hook-exchange.ts'
import type { HookStatusReply } from '../../protocol/routes/hook-routes.ts'

export interface HookPort {
  /** Whether it is the id of a runtime. */
  knows(runtime: string): boolean
  /** @returns undefined when there is nothing to print @throws AgentdError `field-invalid` for what is no JSON */
  answer(call: HookCall): Promise<HookReply | undefined>
  /** @param answer - called once @returns a function that gives the wait up */
  wait(runtime: string, sessionId: string, answer: (reply: HookReply | undefined) => void): () => void
  /** What is known of a runtime's hooks, and of the session of an id. */
  status(runtime: string, sessionId: string | undefined): HookStatusReply
}
