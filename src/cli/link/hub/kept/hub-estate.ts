/**
 * The estate of the person whose hub it is: machines let in, and taken back. Only who holds the person's key can do either,
 * and only at a terminal.
 *
 * @see FED-40, FED-43, FED-44, FED-46
 */
import type { Key } from '../../../../aee/keys/key.ts'
import { draftDocument, formatDocument, type SignedDocument } from '../../../../authority/document.ts'
import {
  ESTATE,
  currentNodes,
  estateMembers,
  type Estate,
  type EstateNode,
} from '../../../../authority/estate.ts'
import { withSeal } from '../../../../authority/estate-seals.ts'
import { signDocument } from '../../../../authority/signing.ts'
import { UsageError } from '../../../../core/errors.ts'
import { wrapNewKey } from '../../../../link/sealing/realm-key.ts'
import { AuthorityFolder } from '../../../authority/authority-folder.ts'

/** An estate that was signed just now, as it is handed over. */
export interface SignedEstate {
  readonly text: string
  /** The public half of the key that signed it, 32 bytes as base64url: what a realm pins. */
  readonly keyX: string
  readonly authorityEpoch: number
}

/** The last estate of a person that was accepted here; undefined where there was none. */
export function findEstate(
  authority: AuthorityFolder,
  principal: string,
): SignedDocument<Estate> | undefined {
  return authority.accepted(ESTATE, principal.slice(1))
}

/**
 * Signs the next estate and installs it.
 *
 * @param change - the machines of the last one → of the next one
 * @throws UsageError where the key that signed the last one may not sign any more
 */
export async function signEstate(
  authority: AuthorityFolder,
  principal: string,
  change: (nodes: readonly EstateNode[]) => readonly EstateNode[],
): Promise<SignedEstate> {
  const former = findEstate(authority, principal)
  const key = requireSigner(authority, principal, former)
  const authorityEpoch = authority.nextEpoch(ESTATE, principal.slice(1))
  const nodes = change(former?.body.nodes ?? [])
  // A new key for whoever is in it now: whoever is taken out, and whoever is let in later, has none of it.
  const seal = wrapNewKey({ principal, epoch: authorityEpoch }, currentNodes(nodes, Date.now()))
  const seals = withSeal(former?.body.seals ?? [], seal)
  const members = { ...estateMembers({ principal, nodes, seals }), authority_epoch: authorityEpoch }
  const signed = signDocument(draftDocument(ESTATE, members), principal, key)
  await authority.install(signed)
  return { text: formatDocument(signed), keyX: key.publicFields()?.public ?? '', authorityEpoch }
}

/** The estate as it is, for the hub to hand on; undefined where there is none. */
export function estateText(authority: AuthorityFolder, principal: string): string | undefined {
  const estate = findEstate(authority, principal)
  return estate === undefined ? undefined : formatDocument(estate)
}

/** Machines have pinned the key of the first estate: another one's word is nothing to them. */
function requireSigner(
  authority: AuthorityFolder,
  principal: string,
  former: SignedDocument<Estate> | undefined,
): Key {
  const kid = former?.signatures[0]?.kid
  if (kid === undefined) return authority.signerFor(principal)
  const key = authority.findSigner(principal, (one) => one.kid === kid)
  if (key !== undefined) return key
  throw new UsageError(
    `The key "${kid}", which your machines know you by, may not sign any more; see "agentd keys list". ` +
      'With another one they have to be invited anew: docs/link.md says how.',
  )
}
