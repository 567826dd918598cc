/**
 * The keys, from their table, and the switch that turns single ones off.
 *
 * @see SEAT-30, SEAT-31
 */
import type { JSX } from 'preact'
import { helpLines } from '../../seat/text/keys.ts'
import { HEADINGS, SINGLE_KEYS } from '../../seat/words.ts'
import { Tick } from '../parts/tick.tsx'
import { singleKeys, switchSingleKeys } from '../state/single-keys.ts'
import { PanelFrame } from './panel-frame.tsx'

/** The panel. */
export function HelpPanel(): JSX.Element {
  return (
    <PanelFrame heading={HEADINGS.help}>
      <table>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">What it does</th>
          </tr>
        </thead>
        <tbody>
          {helpLines().map(({ keys, says }) => (
            <tr key={says}>
              <td>
                <kbd>{keys}</kbd>
              </td>
              <td>{says}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Tick says={SINGLE_KEYS} isOn={singleKeys.value} onTurn={switchSingleKeys} />
    </PanelFrame>
  )
}
