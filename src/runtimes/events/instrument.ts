/**
 * What a session of a runtime drafts with, as it stands in its address: `cc-opus-4-6` in `~alice/cc-opus-4-6@s1`.
 *
 * Every one begins with the runtime's tool and a hyphen, so that `~alice/cc-*` reaches all sessions of Claude Code, whether
 * their model is known or not.
 *
 * @see memo §§2, 6; OP-28
 */

/** What an instrument has at the most (ACQ-30). */
const MAX_INSTRUMENT_CHARS = 32

/** Read of a model's name; what is longer only ever says more of a version. */
const MAX_MODEL_CHARS = 256

/** In place of a model that nobody has named. */
const NO_MODEL = 'agent'

/**
 * `cc` and `claude-opus-4-6-20260801` make `cc-opus-4-6`; `cc` alone makes `cc-agent`.
 *
 * @param tool - of the runtime's record: 1 to 16 of `a-z 0-9 -`, no hyphen at either end
 * @param model - as the runtime calls it, in any characters; undefined where it does not say
 * @returns an instrument that begins with the tool and a hyphen; the same for the same model, whatever its date
 */
export function instrumentOf(tool: string, model: string | undefined): string {
  const name = (model ?? '')
    .slice(0, MAX_MODEL_CHARS)
    .toLowerCase()
    // Of a provider or a region, and of the maker, whose name says no more than the tool's.
    .replace(/^.*\//, '')
    .replace(/^(?:[a-z]{2,6}\.)?(?:anthropic\.)?claude-/, '')
    .replace(/-?20\d{6}.*$/, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  // Nobody reads anything into `gemini-gemini-3-pro`.
  const own = name.startsWith(`${tool}-`) ? name.slice(tool.length + 1) : name
  return `${tool}-${own === '' ? NO_MODEL : own}`.slice(0, MAX_INSTRUMENT_CHARS).replace(/-+$/, '')
}
