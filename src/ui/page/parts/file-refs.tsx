/**
 * A file that somebody names: a click copies it, and where an editor is set offers to open it there.
 *
 * @see SEAT-23, SEAT-29
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { editorHref, editorPath, FILES } from '../../seat/text/file-refs.ts'
import { visibleText } from '../../seat/text/visible-text.ts'
import { BUTTONS, STATES } from '../../seat/words.ts'
import { useSeat } from '../state/page-seat.ts'
import { SenderLine } from './sender-text.tsx'

/** A file, and the session or entity that names it. */
export interface FileRefProps {
  readonly file: string
  readonly address: string
}

/** Each of them; nothing where there are none. */
export function FileRefs({
  files,
  address,
}: {
  readonly files: readonly string[]
  readonly address: string
}): JSX.Element | undefined {
  if (files.length === 0) return undefined
  return (
    <ul class="files" aria-label={FILES.heading}>
      {files.map((file) => (
        <li key={file}>
          <FileRef file={file} address={address} />
        </li>
      ))}
    </ul>
  )
}

/** One of them, within a line. */
export function FileRef({ file, address }: FileRefProps): JSX.Element {
  const seat = useSeat()
  const says = useSignal('')
  const href = useSignal<string | undefined>(undefined)
  const find = async (): Promise<string> => {
    if (seat.facts.value?.hasEditor !== true) return ''
    const came = await seat.call({ method: 'GET', path: editorPath(file, address) })
    if (came.kind === 'done') href.value = editorHref(came.body)
    if (came.kind === 'refused') return ` ${came.message}`
    return came.kind === 'unanswered' ? ` ${STATES.daemonGone.says}` : ''
  }
  const act = async (): Promise<void> => {
    says.value = (await copy(visibleText(file))) ? FILES.copied : FILES.notCopied
    says.value += await find()
    seat.announcer.say(says.value)
  }
  return (
    <>
      <button class="file" title={FILES.copies} onClick={() => void act()}>
        <SenderLine text={file} />
      </button>{' '}
      {says.value !== '' && <span class="dim">{says.value} </span>}
      {href.value !== undefined && (
        <a href={href.value} onClick={() => (says.value = FILES.handedOver)}>
          {BUTTONS.openInEditor}
        </a>
      )}
    </>
  )
}

/** What is shown and nothing unseen: it may be pasted into a shell. @returns whether it was */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Whatever forbids it, the name stands there and can be marked.
    return false
  }
}
