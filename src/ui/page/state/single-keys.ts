/**
 * Whether keys without Ctrl do something: who speaks to a machine, or holds a key too long, may do without them.
 *
 * What a browser remembers goes with the port of the page's process, so that what is to last stands in the configuration.
 *
 * @see SEAT-31; WCAG 2.1.4; docs/configuration.md `ui.single_keys`
 */
import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals'

const KEY = 'agentd-single-keys'

/** What the configuration says; on until somebody has signed in. */
export const configuredSingleKeys: Signal<boolean> = signal(true)

/** `on`, `off`, or null where nobody has touched the switch; a reload of the tab remembers it. */
const switched: Signal<string | null> = signal(sessionStorage.getItem(KEY))

/** Whether they do something. */
export const singleKeys: ReadonlySignal<boolean> = computed(() =>
  switched.value === null ? configuredSingleKeys.value : switched.value === 'on',
)

/** The switch of this tab, which counts for more than the configuration. */
export function switchSingleKeys(isOn: boolean): void {
  switched.value = isOn ? 'on' : 'off'
  sessionStorage.setItem(KEY, switched.value)
}
