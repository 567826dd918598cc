/**
 * Something of the person's own: to whom, what, and which files; how many it reaches before it goes, and who has seen it after.
 *
 * @see SEAT-05, SEAT-23
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { textMember } from '../../../core/text/json-object.ts'
import { reachOf } from '../../seat/here/reach.ts'
import { composeRequest, scopeOf } from '../../seat/needs/compose.ts'
import { outcomeWords, type CallOutcome } from '../../seat/outcome.ts'
import { visibleText } from '../../seat/text/visible-text.ts'
import { reachWords } from '../../seat/words.ts'
import { Outcome } from '../parts/outcome.tsx'
import { TextField } from '../parts/text-field.tsx'
import { draftOf } from '../state/drafts.ts'
import { useSeat, type Composing } from '../state/page-seat.ts'
import { useModel } from '../state/use-model.ts'
import { Answers } from './answers.tsx'
import { PanelFrame } from './panel-frame.tsx'
import { VERBS, VerbButtons } from './verb-buttons.tsx'

const WRITES = {
  send: 'What they are to know',
  ask: 'Your question',
  'hand-over': 'What the next one has to know',
}

/** The panel. */
export function ComposePanel({ composing }: { readonly composing: Composing }): JSX.Element {
  const seat = useSeat()
  const verb = useSignal(composing.verb)
  const to = useSignal(composing.to)
  const draft = draftOf('compose')
  const files = draftOf('compose-files')
  const outcome = useSignal<CallOutcome | undefined>(undefined)
  const isBusy = useSignal(false)
  const sessions = useModel(seat, ['here'], () =>
    [...seat.model.sessions.values()].filter((one) => !one.isPerson),
  )
  const { principal } = seat.model
  const scope = scopeOf(to.value, principal, sessions)
  const reached = scope === undefined ? 0 : reachOf(scope, principal, sessions).length
  const isReady = scope !== undefined && draft.value.trim() !== '' && !isBusy.value

  const send = async (): Promise<void> => {
    if (!isReady || scope === undefined) return
    isBusy.value = true
    const came = await seat.call(
      composeRequest({ verb: verb.value, scope, text: draft.value, files: files.value.split('\n') }),
    )
    outcome.value = came
    isBusy.value = false
    seat.announcer.say(outcomeWords(came))
    if (came.kind !== 'done') return
    draft.value = ''
    files.value = ''
  }
  const asked = outcome.value?.kind === 'done' ? textMember(outcome.value.body, 'query_id') : undefined
  return (
    <PanelFrame heading={VERBS[verb.value]}>
      <div class="form">
        <VerbButtons chosen={verb.value} onChoose={(name) => (verb.value = name)} />
        <label class="field">
          <span>To</span>
          <input
            type="text"
            list="recipients"
            aria-describedby="reach"
            autoFocus={composing.to === ''}
            value={to.value}
            onInput={(event) => (to.value = event.currentTarget.value)}
          />
        </label>
        <datalist id="recipients">
          <option value={`${principal}/*`}>everybody</option>
          {sessions.map(({ address, called }) => (
            <option key={address} value={visibleText(called)}>
              {visibleText(address)}
            </option>
          ))}
        </datalist>
        <p id="reach" class="facts">
          {to.value === '' ? 'A name, a prefix such as ' : reachWords(reached)}
          {to.value === '' && <code>{principal}/cc*</code>}
        </p>
        <TextField
          label={WRITES[verb.value]}
          draft={draft}
          rows={5}
          onSend={() => void send()}
          onLeave={() => (seat.panel.value = undefined)}
        />
        {verb.value !== 'ask' && (
          <label class="field">
            <span>Files, one on each line</span>
            <textarea rows={2} value={files} onInput={(event) => (files.value = event.currentTarget.value)} />
          </label>
        )}
        <button class="main" disabled={!isReady} onClick={() => void send()}>
          {VERBS[verb.value]}
        </button>
        {outcome.value !== undefined && <Outcome outcome={outcome.value} />}
        {asked !== undefined && <Answers queryId={asked} />}
      </div>
    </PanelFrame>
  )
}
