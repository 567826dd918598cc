/**
 * What `agentd setup` and `agentd uninstall` work with: parsers and all, loaded when one of them runs.
 */

/** The functions of set-up, and everything that can be set up. */
export type Setup = Awaited<ReturnType<typeof loadSetup>>

/** What is done for one runtime. */
export type Step = ReturnType<Setup['planInstall']>[number]

/** What came of it. */
export type Applied = Awaited<ReturnType<Setup['applyPlan']>>[number]

/** What a person asked for. */
export type SetupRequest = Parameters<Setup['planInstall']>[1]

/** How lines reach the daemon; undefined where they start Node. */
export type SocketCall = ReturnType<Setup['findSocketCall']>

/** One line of ours, and what becomes of it. */
export type OwnChange = ReturnType<Setup['ownChanges']>[number]

/** No other command needs them. */
export async function loadSetup() {
  const [{ loadRuntimes }, { setupOf }, { gitHooks }, ...parts] = await Promise.all([
    import('../../runtimes/known-runtimes.ts'),
    import('../../runtimes/setup/target.ts'),
    import('../../runtimes/git/setup.ts'),
    import('../../runtimes/setup/selection.ts'),
    import('../../runtimes/setup/install.ts'),
    import('../../runtimes/setup/uninstall.ts'),
    import('../../runtimes/setup/apply.ts'),
    import('../../runtimes/setup/step.ts'),
    import('../../runtimes/setup/own-lines.ts'),
    import('../../runtimes/setup/paths.ts'),
    import('../../runtimes/setup/socket-call.ts'),
  ])
  const [selection, install, uninstall, apply, step, ownLines, paths, socketCall] = parts
  // Git is no runtime, and is set up like one.
  const setups = [...(await loadRuntimes()).map(setupOf), gitHooks]
  return {
    setups,
    ...selection,
    ...install,
    ...uninstall,
    ...apply,
    ...step,
    ...ownLines,
    ...paths,
    ...socketCall,
  }
}
