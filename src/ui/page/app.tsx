/**
 * The page: what stands above every screen, the screen, and the panel over it.
 *
 * @see SEAT-20, SEAT-26, SEAT-32
 */
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { HEADINGS, openedWords } from '../seat/words.ts'
import { actionsOn } from './actions.ts'
import { LinkNote } from './link-note.tsx'
import { NowScreen } from './now/now-screen.tsx'
import { ComposePanel } from './panels/compose-panel.tsx'
import { HelpPanel } from './panels/help-panel.tsx'
import { SessionPanel } from './panels/session-panel.tsx'
import { LiveRegion } from './parts/live-region.tsx'
import { PassingScreen } from './passing/passing-screen.tsx'
import { newPassingView } from './passing/view.ts'
import { useSeat } from './state/page-seat.ts'
import { useKeys } from './state/use-keys.ts'
import { useModel } from './state/use-model.ts'
import { ThreadsScreen } from './threads/threads-screen.tsx'
import { TopBar } from './top-bar.tsx'

/** All of it. */
export function App(): JSX.Element {
  const seat = useSeat()
  const view = useMemo(newPassingView, [])
  const actions = useMemo(() => actionsOn(seat, view), [seat, view])
  useKeys(actions)
  useOpenedNeeds()
  const { value: screen } = seat.screen
  return (
    <>
      <TopBar />
      <LinkNote />
      <main>
        <h1 class="hidden">{HEADINGS[screen]}</h1>
        {screen === 'now' && <NowScreen />}
        {screen === 'passing' && <PassingScreen view={view} />}
        {screen === 'threads' && <ThreadsScreen />}
      </main>
      <Footer />
      <OpenPanel />
    </>
  )
}

function OpenPanel(): JSX.Element {
  const { value: panel } = useSeat().panel
  if (panel === undefined) return <LiveRegion />
  // Each opening is a panel of its own, also where the one before has not been told yet that it is closed.
  switch (panel.name) {
    case 'session':
      return <SessionPanel key={panel} address={panel.address} />
    case 'compose':
      return <ComposePanel key={panel} composing={panel.composing} />
    case 'help':
    default:
      return <HelpPanel key={panel} />
  }
}

/** What is said for good, and belongs to no screen. */
function Footer(): JSX.Element | undefined {
  const { value: facts } = useSeat().facts
  if (facts?.isPeerChecked !== false) return undefined
  return <footer>This system does not say who connects: only the link keeps other users out.</footer>
}

/** Reads out what has opened, and not what was there when the page came. */
function useOpenedNeeds(): void {
  const seat = useSeat()
  const known = useRef<Set<string> | undefined>(undefined)
  const needs = useModel(seat, ['needs'], () => seat.model.needs())
  useEffect(() => {
    const before = known.current
    for (const need of needs) {
      if (before !== undefined && !before.has(need.needId)) seat.announcer.say(openedWords(need))
    }
    if (seat.model.versions.needs > 0) known.current = new Set(needs.map(({ needId }) => needId))
  }, [needs])
}
