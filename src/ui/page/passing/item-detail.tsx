/**
 * One item in full: who, when, what became of it at each recipient, and its JSON as it was accepted.
 *
 * @see W-2, W-8, SEAT-23, SEAT-27
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import {
  listMember,
  memberOf,
  numberOf,
  objectOf,
  textMember,
  type JsonObject,
} from '../../../core/text/json-object.ts'
import { outcomeWords, type CallOutcome } from '../../seat/outcome.ts'
import { BUTTONS, forgotWords, STATES } from '../../seat/words.ts'
import { Confirm } from '../parts/confirm.tsx'
import { SenderBlock, SenderLine } from '../parts/sender-text.tsx'
import { useSeat } from '../state/page-seat.ts'

/** The detail, fetched when it is opened. */
export function ItemDetail({ eventId }: { readonly eventId: string }): JSX.Element {
  const seat = useSeat()
  const outcome = useSignal<CallOutcome | undefined>(undefined)
  useEffect(() => {
    void seat
      .call({ method: 'GET', path: `/v1/events/${encodeURIComponent(eventId)}` })
      .then((came) => (outcome.value = came))
  }, [eventId])
  const { value: came } = outcome
  return (
    <section class="detail" aria-labelledby="detail-heading">
      <header>
        <h2 id="detail-heading">Item {eventId}</h2>
        <button type="button" onClick={() => (seat.openItem.value = undefined)}>
          {BUTTONS.close}
        </button>
      </header>
      {came === undefined && <p class="note">{STATES.connecting.says}</p>}
      {came?.kind === 'refused' && <p class="failed">{came.message}</p>}
      {came?.kind === 'unanswered' && <p class="failed">{STATES.daemonGone.says}</p>}
      {came?.kind === 'done' && <Item item={came.body} />}
      <Forget eventId={eventId} />
    </section>
  )
}

function Item({ item }: { readonly item: JsonObject }): JSX.Element {
  const content = memberOf(item, 'frame') ?? memberOf(item, 'envelope')
  const facts = ['sender', 'scope', 'accepted_at', 'recipient_count', 'queued_count', 'effective_priority']
  return (
    <>
      <dl class="facts">
        {facts
          .filter((name) => memberOf(item, name) !== undefined && memberOf(item, name) !== null)
          .map((name) => (
            <Fact key={name} name={name} value={String(memberOf(item, name))} />
          ))}
      </dl>
      <Receipts receipts={listMember(item, 'receipts')} />
      <h3>As it was accepted</h3>
      <div class="json" tabIndex={0} role="region" aria-label="JSON">
        <SenderBlock text={JSON.stringify(content, null, 2)} />
      </div>
    </>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string }): JSX.Element {
  return (
    <>
      <dt>{name.replaceAll('_', ' ')}</dt>
      <dd>
        <SenderLine text={value} />
      </dd>
    </>
  )
}

function Receipts({ receipts }: { readonly receipts: readonly unknown[] }): JSX.Element | undefined {
  if (receipts.length === 0) return undefined
  return (
    <>
      <h3>Receipts</h3>
      <ul class="receipts">
        {receipts.map((receipt, index) => (
          <li key={index}>
            <SenderLine text={textMember(objectOf(receipt), 'address') ?? ''} />{' '}
            {textMember(objectOf(receipt), 'state')}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Forgets for good, and so asks once more and says how much it was. */
function Forget({ eventId }: { readonly eventId: string }): JSX.Element {
  const seat = useSeat()
  const isAsked = useSignal(false)
  const isBusy = useSignal(false)
  const says = useSignal('')
  const forget = async (): Promise<void> => {
    isBusy.value = true
    const came = await seat.call({
      method: 'DELETE',
      path: `/v1/frames?event_id=${encodeURIComponent(eventId)}`,
    })
    says.value =
      came.kind === 'done' ? forgotWords(numberOf(came.body, 'forgotten') ?? 0) : outcomeWords(came)
    seat.announcer.say(says.value)
    isAsked.value = false
    isBusy.value = false
  }
  return (
    <div class="form">
      {says.value !== '' && <p class="outcome">{says.value}</p>}
      {isAsked.value ? (
        <Confirm
          what="forget this 1 item for good"
          isBusy={isBusy.value}
          onYes={() => void forget()}
          onNo={() => (isAsked.value = false)}
        />
      ) : (
        <button type="button" class="quiet" onClick={() => (isAsked.value = true)}>
          {BUTTONS.forget}
        </button>
      )}
    </div>
  )
}
