/**
 * Whether keys without Ctrl do something: who speaks to a machine, or holds a key too long, may do without them.
 *
 * @see SEAT-31; WCAG 2.1.4
 */
import { effect, signal, type Signal } from '@preact/signals'

const KEY = 'agentd-single-keys'

/** On until somebody switches them off; remembered in this browser for as long as its tab is open. */
export const singleKeys: Signal<boolean> = signal(sessionStorage.getItem(KEY) !== 'off')

effect(() => sessionStorage.setItem(KEY, singleKeys.value ? 'on' : 'off'))
