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
  objectOf,
  textMember,
  type JsonObject,
} from '../../../core/text/json-object.ts'
import { isForSeat } from '../../seat/passing/row-filter.ts'
import { fileRefsOf, messageIn } from '../../seat/text/file-refs.ts'
import { OpenNeed } from '../now/open-need.tsx'
import { Answered } from '../parts/answered.tsx'
import { ClosableHead } from '../parts/closable-head.tsx'
import { Fact } from '../parts/fact.tsx'
import { FileRefs } from '../parts/file-refs.tsx'
import { SenderBlock, SenderLine } from '../parts/sender-text.tsx'
import { useSeat } from '../state/page-seat.ts'
import { itemPath, useAnswer } from '../state/use-answer.ts'
import { Forget } from './forget.tsx'

/** The detail, fetched when it is opened. */
export function ItemDetail({ eventId }: { readonly eventId: string }): JSX.Element {
  const seat = useSeat()
  const isGone = useSignal(false)
  const came = useAnswer(itemPath(eventId))
  const item = came?.kind === 'done' ? came.body : {}
  useEffect(() => {
    // Who opens it has seen it (SEAT-04).
    if (isForSeat(textMember(item, 'scope') ?? '', seat.model.principal)) seat.seen.say([eventId])
  }, [came])
  return (
    <section class="detail" aria-labelledby="detail-heading">
      <ClosableHead id="detail-heading" onClose={() => (seat.openItem.value = undefined)}>
        Item {eventId}
      </ClosableHead>
      <OpenNeed eventId={eventId} />
      {!isGone.value && <Answered came={came}>{(body) => <Item item={body} />}</Answered>}
      <Forget eventId={eventId} item={item} onGone={() => (isGone.value = true)} />
    </section>
  )
}

function Item({ item }: { readonly item: JsonObject }): JSX.Element {
  const content = messageIn(item)
  const facts = ['sender', 'scope', 'accepted_at', 'recipient_count', 'queued_count', 'effective_priority']
  return (
    <>
      <dl class="facts">
        {facts
          .filter((name) => (memberOf(item, name) ?? null) !== null)
          .map((name) => (
            <Fact key={name} name={name.replaceAll('_', ' ')} value={String(memberOf(item, name))} />
          ))}
      </dl>
      <FileRefs files={fileRefsOf(content)} address={textMember(item, 'sender') ?? ''} />
      <Receipts receipts={listMember(item, 'receipts')} />
      <h3>As it was accepted</h3>
      <div class="json" tabIndex={0} role="region" aria-label="JSON">
        <SenderBlock text={JSON.stringify(content, null, 2)} />
      </div>
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
