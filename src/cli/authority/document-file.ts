/**
 * A document in a file that somebody hands over.
 */
import { readDocument, type DocumentForm, type SignedDocument } from '../../authority/document.ts'
import { UsageError } from '../../core/errors.ts'
import { readOwnFile } from '../../host/files/own-file.ts'
import type { CommandContext } from '../run/command-context.ts'

/** Reads the file that the first argument names. @throws UsageError for no such file; AgentdError as `readDocument` */
export function readDocumentFile<Body>(
  form: DocumentForm<Body>,
  { args, environment }: CommandContext,
): SignedDocument<Body> {
  const [path = ''] = args
  const file = readOwnFile(path, environment.uid)
  if (file.kind === 'text') return readDocument(form, file.text)
  throw new UsageError(
    `The file ${path} cannot be taken: ${file.kind === 'absent' ? 'it is not there' : file.reason}.`,
  )
}
