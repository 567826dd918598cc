/**
 * The seat at a terminal: what the person looks at, and what the keys do to it.
 *
 * It draws nothing and asks nobody: whoever holds the terminal and the connection gives it {@link SeatActs}.
 *
 * @see SEAT-22, SEAT-23, SEAT-30, SEAT-38
 */
import { textMember, type JsonObject } from '../../../core/text/json-object.ts'
import { requestOf, type NeedAnswer, type SeatRequest } from '../../seat/needs/answers.ts'
import { outcomeWords, type CallOutcome } from '../../seat/outcome.ts'
import type { SeatModel } from '../../seat/seat-model.ts'
import type { ThreadView } from '../../seat/threads/thread-view.ts'
import { newUuid } from '../../../core/ids.ts'
import { choices, needInHand } from './choice.ts'
import { EMPTY_FIELD, fieldOf, type Field } from './field.ts'
import { RowsShown } from './rows-shown.ts'
import { FIRST_VIEW, type Panel, type View, type Writing } from './view.ts'

/** What only the process around it can do. */
export interface SeatActs {
  /** Asks once, and never again by itself. */
  call(request: SeatRequest): Promise<CallOutcome>
  /** Whether the answer to an approval would be signed now; undefined where that cannot be told. */
  willSign(): Promise<boolean | undefined>
  /** One item in full. */
  fetchItem(eventId: string): Promise<CallOutcome>
  /** The newest workflows, as `GET /v1/threads` answers. */
  fetchThreads(): Promise<CallOutcome>
  /** One of them, drawn. */
  fetchThread(corr: string): Promise<ThreadView | Exclude<CallOutcome, { kind: 'done' }>>
  /** Has the text edited in the person's own editor. @returns undefined where there is none */
  editText(text: string): Promise<string | undefined>
  /** Something is to be drawn anew. */
  onChange(): void
  quit(): void
  suspend(): void
}

/** One terminal's seat. */
export class TopSeat {
  readonly model: SeatModel
  readonly acts: SeatActs
  readonly shown: RowsShown
  view: View = FIRST_VIEW
  /** By what it is for: an answer is not lost when its field is left. */
  readonly #drafts = new Map<string, Field>()
  #isNew = true

  constructor(model: SeatModel, acts: SeatActs) {
    this.model = model
    this.acts = acts
    this.shown = new RowsShown(model)
  }

  /** `human.alice` */
  get entity(): string {
    return `human.${this.model.principal.slice(1)}`
  }

  /** Changes how it is looked at. */
  look(change: Partial<View>): void {
    this.view = { ...this.view, ...change }
    this.acts.onChange()
  }

  /** Lets go of what is no longer there. A choice never slides onto another need: a key would be about that one. */
  settle(): void {
    const { chosen, asked } = this.view
    const known = choices(this.model)
    if (this.#isNew && this.model.needs().length > 0) this.view = { ...this.view, chosen: known[0] }
    else if (chosen !== undefined && !known.includes(chosen)) this.view = { ...this.view, chosen: undefined }
    if (this.model.link.state === 'live') this.#isNew = false
    if (asked?.does.by === 'answer' && needInHand(this.model, this.view)?.isOpen !== true)
      this.view = { ...this.view, asked: undefined }
  }

  /** Opens something over the screen, from its beginning. */
  open(panel: Panel): void {
    this.look({ panel, scroll: 0, asked: undefined, notice: undefined })
  }

  /** Opens the card of the need in hand, whole. @returns false where there is none that waits */
  openCard(): boolean {
    const inHand = needInHand(this.model, this.view)
    if (inHand === undefined) return false
    const { need } = inHand
    if (this.view.panel?.name !== 'need')
      this.open({ name: 'need', needId: need.needId, item: undefined, willSign: undefined })
    if (need.type === 'approval') void this.#weighSigning(need.needId)
    if (Object.keys(need.message).length === 0 && need.eventId !== undefined) void this.#fetch(need.eventId)
    return inHand.isOpen
  }

  /** One item in full. */
  openItem(eventId: string): void {
    this.open({ name: 'item', eventId, item: undefined })
    void this.#fetch(eventId)
  }

  /** Opens a field with what was typed there before. */
  write(writing: Omit<Writing, 'field'>): void {
    this.look({ writing: { ...writing, field: this.draftOf(writing) } })
  }

  /** What was typed there before. */
  draftOf(writing: Pick<Writing, 'what'>): Field {
    return this.#drafts.get(this.#draftKey(writing)) ?? EMPTY_FIELD
  }

  /** What was typed there is done with. */
  dropDraft(writing: Pick<Writing, 'what'>): void {
    this.#drafts.delete(this.#draftKey(writing))
  }

  /** Keeps what is typed. */
  keep(writing: Writing, field: Field): void {
    this.#drafts.set(this.#draftKey(writing), field)
    this.look({ writing: { ...writing, field } })
  }

  /** Has it edited elsewhere. */
  async edit(writing: Writing): Promise<void> {
    const text = await this.acts.editText(writing.field.text)
    if (text === undefined) return this.tell('No editor is set: EDITOR names one.', true)
    this.keep(writing, fieldOf(text.replace(/\n+$/, '')))
  }

  /** Waits for the second key. */
  ask(answer: NeedAnswer, what: string): void {
    const inHand = needInHand(this.model, this.view)
    if (inHand?.isOpen === true)
      this.look({ asked: { what, does: { by: 'answer', answer } }, notice: undefined })
  }

  /** Answers the need in hand. */
  async answer(answer: NeedAnswer): Promise<void> {
    const inHand = needInHand(this.model, this.view)
    if (inHand === undefined) return
    const seat = { entity: this.entity, newId: newUuid, nowMs: () => Date.now() }
    const request = requestOf(inHand.need, answer, seat)
    if (request !== undefined && (await this.send(request))) this.look({ panel: undefined, asked: undefined })
  }

  /** Sends it, once, and tells what came of it. @returns whether it was done */
  async send(request: SeatRequest): Promise<boolean> {
    const { writing } = this.view
    const outcome = await this.request(request)
    if (outcome === undefined) return false
    const isDone = outcome.kind === 'done'
    if (isDone && writing !== undefined) this.dropDraft(writing)
    const eventId = isDone ? textMember(outcome.body, 'event_id') : undefined
    const notice = { says: outcomeWords(outcome), isTrouble: !isDone, eventId }
    this.look({ notice, ...(isDone && { writing: undefined }) })
    return isDone
  }

  /** Asks, once, and for nothing else until the answer is there. @returns undefined while something is asked already */
  async request(request: SeatRequest): Promise<CallOutcome | undefined> {
    if (this.view.isBusy) return undefined
    this.look({ isBusy: true, notice: undefined })
    const outcome = await this.acts.call(request)
    this.look({ isBusy: false })
    return outcome
  }

  /** Says something below the screen. */
  tell(says: string, isTrouble: boolean): void {
    this.look({ notice: { says, isTrouble, eventId: undefined } })
  }

  async #weighSigning(needId: string): Promise<void> {
    const willSign = await this.acts.willSign()
    const { panel } = this.view
    if (panel?.name === 'need' && panel.needId === needId) this.look({ panel: { ...panel, willSign } })
  }

  async #fetch(eventId: string): Promise<void> {
    const outcome = await this.acts.fetchItem(eventId)
    const { panel } = this.view
    if (outcome.kind !== 'done') return this.tell(outcomeWords(outcome), true)
    if (panel?.name === 'item' && panel.eventId === eventId) this.#show(panel, outcome.body)
    else if (panel?.name === 'need' && this.model.findNeed(panel.needId)?.eventId === eventId)
      this.#show(panel, outcome.body)
  }

  #show(panel: Extract<Panel, { name: 'item' | 'need' }>, item: JsonObject): void {
    this.look({ panel: { ...panel, item } })
  }

  /** Drafts of a card are that card's; what is composed is one, whatever it is sent as. */
  #draftKey({ what }: Pick<Writing, 'what'>): string {
    const { panel } = this.view
    return panel?.name === 'need' ? `${what} ${panel.needId}` : what
  }
}
