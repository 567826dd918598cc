/** What cannot be run here, by name and with the reason; the capability matrix says so too. */

const EDITOR = 'is an editor with a window and an account, and no package of npm’s'

/** Runtime → why. */
const RUNTIMES = {
  cursor: `Cursor ${EDITOR}`,
  vscode: `VS Code ${EDITOR}`,
}

/** Capability → runtime and why. */
const CAPABILITIES = [
  ['gemini', 'wake', 'it has no documented way to wake an idle session'],
  ['copilot', 'wake', 'its notification hook runs only when the CLI itself has something to tell'],
  ['claude-code', 'channels', 'a preview that a person has to allow in a dialog; not relied on'],
]

export const scenarios = [
  ...Object.entries(RUNTIMES).map(([runtime, reason]) => ({ runtime, capability: 'all', reason })),
  ...CAPABILITIES.map(([runtime, capability, reason]) => ({ runtime, capability, reason })),
].map(({ runtime, capability, reason }) => ({
  id: `${runtime}.${capability}`,
  runtime,
  capability,
  title: `${runtime}: ${capability}`,
  needs: [],
  skipped: reason,
}))
