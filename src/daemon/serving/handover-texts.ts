/**
 * The texts of handovers that fit into no frame: files in a folder of their own, each as long as the frame that points to it.
 *
 * What a frame points to is all there is to know of it. So a daemon that begins reads the frames and removes every file that
 * none of them points to, also one whose frame it never came to.
 *
 * @see HO-07
 */
import { randomUUID } from 'node:crypto'
import { readdirSync, unlinkSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Broker } from '../../broker/broker.ts'
import { OWN_WORK } from '../../broker/ring/background.ts'
import { frameOf, type Retained } from '../../broker/ring/retained.ts'
import type { Clock } from '../../core/clock.ts'
import { AgentdError } from '../../core/errors.ts'
import type { Logger } from '../../core/log.ts'
import { messageOf, systemErrorCode } from '../../core/thrown.ts'
import { ensurePrivateDirectory, type Environment } from '../../host/config/paths.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { syncDirectory } from '../../host/files/sync-directory.ts'
import type { KeptText, TextPort } from '../../server/ports/text-port.ts'

/** Texts that are kept at a time: of the largest, as much as a ring in memory may hold. */
export const MAX_KEPT_TEXTS = 64

/** How often it is looked whether a frame has run out, or was trimmed, in milliseconds. */
const SWEEP_EVERY_MS = 60_000

/** Frames of one look back, at the beginning. */
const PAGE_FRAMES = 200

const NAME = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.txt$/

/** What they are kept with. */
export interface HandoverTextsParts {
  /** The folder, which is made when the first one comes. */
  readonly folder: string
  readonly environment: Environment
  readonly broker: Pick<Broker, 'ring' | 'receipts' | 'readHistory' | 'forgetting'>
  readonly clock: Clock
  readonly log: Logger
}

/** The frame that a file belongs to, as far as it takes to know whether it is there still. */
type Owner = Pick<Retained, 'key' | 'seq' | 'expiresAtMs'>

export class HandoverTexts implements TextPort {
  readonly #parts: HandoverTextsParts
  /** File → its frame; undefined while that is under way. */
  readonly #owners = new Map<string, Owner | undefined>()
  readonly #unobserve: () => void
  #timer: ReturnType<Clock['after']> | undefined

  private constructor(parts: HandoverTextsParts) {
    this.#parts = parts
    this.#unobserve = parts.broker.forgetting.add(() => this.sweep())
  }

  /** Over what the last daemon left. @throws AgentdError `closing` */
  static async open(parts: HandoverTextsParts): Promise<HandoverTexts> {
    const texts = new HandoverTexts(parts)
    await texts.#inherit()
    return texts
  }

  async keep(text: string): Promise<KeptText> {
    const bytes = Buffer.from(text)
    this.sweep()
    if (this.#owners.size >= MAX_KEPT_TEXTS)
      throw full(`As many texts of handovers are kept as may be, ${MAX_KEPT_TEXTS}`)
    const name = `${randomUUID()}.txt`
    const path = join(this.#parts.folder, name)
    this.#owners.set(name, undefined)
    try {
      await this.#write(path, bytes)
    } catch (error) {
      this.#remove(name)
      throw full(`The text cannot be kept: ${messageOf(error).replace(/\.$/, '')}`, error)
    }
    return {
      path,
      octets: bytes.length,
      settle: (frameId) => this.#own(name, this.#parts.broker.receipts.find(frameId)),
      discard: () => this.#remove(name),
    }
  }

  async read(pointers: readonly string[]): Promise<string | undefined> {
    const name = this.#nameIn(pointers)
    if (name === undefined) return undefined
    try {
      return await readFile(join(this.#parts.folder, name), 'utf8')
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') throw error
      throw new AgentdError(
        'not-found',
        'The text of this handover was forgotten; its frame has the beginning.',
        {
          field: 'frame_id',
        },
      )
    }
  }

  /** Removes the files whose frames are not there any more, or have run out. */
  sweep(): void {
    const { broker, clock } = this.#parts
    const nowMs = clock.nowMs()
    for (const [name, owner] of this.#owners) {
      if (owner === undefined) continue
      const isThere = broker.ring.get(owner.seq)?.key === owner.key
      if (!isThere || owner.expiresAtMs <= nowMs) this.#remove(name)
    }
  }

  close(): void {
    this.#timer?.cancel()
    this.#unobserve()
  }

  /** Every frame that points to a file is looked at once. */
  async #inherit(): Promise<void> {
    const left = new Set(listFolder(this.#parts.folder).filter((name) => NAME.test(name)))
    for (let afterSeq: number | undefined = 0; afterSeq !== undefined && left.size > 0;) {
      const page = await this.#readPage(afterSeq)
      for (const retained of page.frames) {
        const frame = retained.type === 'frame' ? frameOf(retained) : undefined
        const refs = frame?.kind === 'agent_handover' ? (frame.payload.pointer_refs ?? []) : []
        const name = this.#nameIn(refs)
        if (name !== undefined && left.delete(name)) this.#own(name, retained)
      }
      afterSeq = page.nextSeq
    }
    for (const name of left) this.#remove(name)
    this.sweep()
  }

  #readPage(afterSeq: number) {
    return this.#parts.broker.readHistory({
      afterSeq,
      limit: PAGE_FRAMES,
      search: {
        filter: [{ axis: 'kind', value: 'agent_handover' }],
        handle: undefined,
        withEnvelopes: false,
      },
      asker: OWN_WORK,
      admits: ({ kind }) => kind === 'agent_handover',
    })
  }

  #own(name: string, retained: Retained | undefined): void {
    if (retained === undefined) return this.#remove(name)
    const { key, seq, expiresAtMs } = retained
    this.#owners.set(name, { key, seq, expiresAtMs })
    this.#timer ??= this.#parts.clock.after(SWEEP_EVERY_MS, () => this.#tick())
  }

  #tick(): void {
    this.#timer = undefined
    this.sweep()
    if (this.#owners.size > 0) this.#timer = this.#parts.clock.after(SWEEP_EVERY_MS, () => this.#tick())
  }

  #nameIn(pointers: readonly string[]): string | undefined {
    // By the name of its folder, not by its path: a state directory that was moved has the same files.
    const folder = basename(this.#parts.folder)
    const path = pointers.find((ref) => basename(dirname(ref)) === folder && NAME.test(basename(ref)))
    return path === undefined ? undefined : basename(path)
  }

  async #write(path: string, bytes: Buffer): Promise<void> {
    ensurePrivateDirectory(this.#parts.folder, this.#parts.environment)
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    syncDirectory(this.#parts.folder)
  }

  /** One that cannot be removed is tried again with the next daemon. */
  #remove(name: string): void {
    this.#owners.delete(name)
    try {
      unlinkSync(join(this.#parts.folder, name))
    } catch (error) {
      const code = systemErrorCode(error)
      if (code === undefined) throw error
      if (code !== 'ENOENT') this.#parts.log.error('handover-text-stays', { name, code })
    }
  }
}

/** What a folder holds; nothing where there is none. */
export function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return []
  }
}

function full(why: string, cause?: unknown): AgentdError {
  if (cause !== undefined && systemErrorCode(cause) === undefined && !(cause instanceof HostRefusal))
    throw cause
  return new AgentdError('store-full', `${why}; nothing was sent.`, { field: 'body', cause })
}
