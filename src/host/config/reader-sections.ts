/**
 * The sections of the configuration that are read by others than the daemon: it only sees to it that a slip of the pen is
 * told.
 *
 * @see docs/configuration.md
 */
import * as z from 'zod'

/** Read again, tolerantly, whenever the file changes (`hooks/session/settings.ts`). */
export const HooksFile = z.strictObject({
  conflict: z
    .enum(['show', 'deny', 'ask-once'])
    .default('show')
    .describe('before an edit of a file that another session is at; `ask-once` denies the first try alone'),
  budget_bytes: z
    .int()
    .min(500)
    .max(10_000)
    .default(4_000)
    .describe('characters a hook puts into a context at once'),
  wakes_per_10_min: z
    .int()
    .min(0)
    .max(60)
    .default(3)
    .describe('how often one session is woken, or kept at work, in ten minutes'),
  wake_idle: z.boolean().default(true).describe('whether an idle session is woken for what is urgent'),
  foreign: z
    .enum(['show', 'count'])
    .default('count')
    .describe(
      'what other people send over a link: `count` tells a session how much waits from whom, `show` shows it; it wakes none',
    ),
})

/** Ten minutes without a page; the process that serves it is started again as soon as somebody asks for one. */
const DEFAULT_UI_IDLE_MS = 600_000

/** Read by `agentd ui` itself. */
export const UiFile = z.strictObject({
  idle_ms: z
    .int()
    .positive()
    .default(DEFAULT_UI_IDLE_MS)
    .describe('how long the process of your page goes on without a page, in milliseconds'),
  notify: z
    .enum(['auto', 'page', 'system', 'off'])
    .default('auto')
    .describe(
      'how you are told of what needs you: by the page, by the system while there is no page, or by whichever there is',
    ),
  editor: z
    .enum(['none', 'vscode', 'cursor'])
    .default('none')
    .describe('the editor that a file of a message can be opened in'),
  single_keys: z
    .boolean()
    .default(true)
    .describe('whether keys without Ctrl do something on your page, until its own switch says otherwise'),
})

/** An intent, or the beginning of some: `ops.backup.check`, `ops.*`, `*`. */
export const IntentPattern = z.string().min(1)

/** Read by `agentd envelope send --raw`. */
export const InboundFile = z.strictObject({
  intents: z.array(IntentPattern).default(['*']).describe('intents that may enter by `envelope send --raw`'),
  redact: z.array(z.string().min(1)).default([]).describe('what is blacked out of them on the way in'),
  max_priority: z
    .enum(['low', 'normal', 'high', 'urgent'])
    .default('urgent')
    .describe('the highest priority that enters'),
})
