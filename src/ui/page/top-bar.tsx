/**
 * What stands above every screen: whose daemon it is, the screens, and how it is in one line.
 *
 * @see SEAT-20
 */
import type { JSX } from 'preact'
import { BUTTONS, HEADINGS, headline } from '../seat/words.ts'
import { countYours, useSeat, type Screen } from './state/page-seat.ts'
import { useModel } from './state/use-model.ts'

/** The bar. */
export function TopBar(): JSX.Element {
  const seat = useSeat()
  const { lines, waiting } = useModel(seat, ['here'], () => seat.model.here())
  const you = useModel(seat, ['needs'], () => countYours(seat.model))
  const state = useModel(seat, ['link'], () => seat.model.link.state)
  return (
    <header class="bar">
      <strong>agentd</strong>
      <span class="principal">{seat.facts.value?.principal}</span>
      <nav aria-label="Screens">
        <Tab screen="now" count={you} />
        <Tab screen="passing" count={0} />
        <Tab screen="threads" count={0} />
      </nav>
      <span class="headline">
        {headline({ here: lines.length, waiting, you })} ·{' '}
        <span class={`link ${state}`}>
          <span aria-hidden="true">{state === 'live' ? '● ' : '○ '}</span>
          {state === 'live' ? 'live' : 'not connected'}
        </span>
      </span>
      <button onClick={() => seat.compose('send')}>{BUTTONS.send}</button>
      <NotifyButton />
      {seat.facts.value && <button onClick={() => void seat.signOut()}>{BUTTONS.signOut}</button>}
      <button aria-label={HEADINGS.help} onClick={() => (seat.panel.value = { name: 'help' })}>
        ?
      </button>
    </header>
  )
}

/** There as long as the browser has not been asked; it is asked by nothing else (SEAT-43). */
function NotifyButton(): JSX.Element | undefined {
  const { facts, notifier } = useSeat()
  if (facts.value?.isNotifying !== true || notifier.permission.value !== 'default') return undefined
  return <button onClick={() => void notifier.ask()}>{BUTTONS.notify}</button>
}

function Tab({ screen, count }: { readonly screen: Screen; readonly count: number }): JSX.Element {
  const seat = useSeat()
  return (
    <button
      aria-current={seat.screen.value === screen ? 'page' : undefined}
      onClick={() => (seat.screen.value = screen)}
    >
      {HEADINGS[screen]}
      {count > 0 && ` ${count}`}
    </button>
  )
}
