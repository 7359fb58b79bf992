import type { OrganizationDocument } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { MacKey } from "../../keys/record-mac.ts"
import type { Ledger, LedgerRow, IndexChange } from "../../ledger/ledger.ts"
import { identitiesOf, type Identity, identityDigest } from "./identities.ts"
import {
  enter,
  type Found,
  leave,
  readTally,
  type ProofState,
  uniqueOwner,
  writeTally,
} from "./identity-tally.ts"

/**
 * Which sub-organization of a parent holds an identity, so that a login that names only the parent has one answer
 * and the API tier never picks. The tallies (identity-tally.ts) are rows of side books of the parent. An identity
 * enters unproven: whoever creates a sub-organization can put anybody's public key into it. It is proven by a login
 * inside the sub-organization, of which a row of the sub-organization's own book tells. OpenID Connect identities
 * enter proven, their registration is checked.
 */
export class IdentityRegister {
  readonly #key: MacKey
  readonly #ledger: Ledger

  constructor(key: MacKey, ledger: Ledger) {
    this.#key = key
    this.#ledger = ledger
  }

  /** @throws LEDGER_DAMAGED */
  find(parentId: string, identity: Identity): Found | "none" | "several" {
    const digest = identityDigest(this.#key, parentId, identity)
    return uniqueOwner(readTally(this.#ledger.row(indexShard(parentId, digest), "identity", digest)))
  }

  /**
   * What a new version of a sub-organization's document changes in its parent's register. `before`: undefined at
   * its birth; `after`: undefined at its end.
   */
  changes(before: OrganizationDocument | undefined, after: OrganizationDocument | undefined): IndexChange[] {
    const document = after ?? before
    if (document === undefined || document.parentId === "") return []
    const had = this.#byDigest(before)
    const has = this.#byDigest(after)
    const { parentId, organizationId } = document
    const left = [...had].filter(([digest]) => !has.has(digest))
    const entered = [...has].filter(([digest]) => !had.has(digest))
    return [
      ...left.map(([digest, identity]) => {
        const proofState = this.#proofState(organizationId, digest, identity)
        return tallyChange(parentId, digest, (tally) => leave(tally, organizationId, proofState))
      }),
      ...entered.map(([digest, identity]) =>
        tallyChange(parentId, digest, (tally) => enter(tally, organizationId, initialProof(identity))),
      ),
    ]
  }

  /** Rows of a sub-organization's own book about identities that its document holds no more. */
  staleProofs(before: OrganizationDocument | undefined, after: OrganizationDocument | undefined) {
    if (before === undefined || before.parentId === "") return []
    const has = this.#byDigest(after)
    return [...this.#byDigest(before).keys()]
      .filter((digest) => !has.has(digest))
      .filter((digest) => this.#ledger.row(before.organizationId, "identity", digest) !== undefined)
      .map((key) => ({ kind: "identity" as const, key }))
  }

  /** What a login by an identity of the sub-organization's proves; nothing where it was proven before. */
  proof(
    { parentId, organizationId }: OrganizationDocument,
    identity: Identity,
  ): { index: IndexChange[]; put: LedgerRow[] } {
    if (parentId === "") return NO_PROOF
    const digest = identityDigest(this.#key, parentId, identity)
    if (this.#proofState(organizationId, digest, identity) === "proven") return NO_PROOF
    const change = tallyChange(parentId, digest, (tally) =>
      enter(leave(tally, organizationId, "unproven"), organizationId, "proven"),
    )
    return { index: [change], put: [{ kind: "identity", key: digest, value: new Uint8Array(0) }] }
  }

  #proofState(organizationId: string, digest: string, identity: Identity): ProofState {
    if (initialProof(identity) === "proven") return "proven"
    return this.#ledger.row(organizationId, "identity", digest) === undefined ? "unproven" : "proven"
  }

  #byDigest(document: OrganizationDocument | undefined): Map<string, Identity> {
    if (document === undefined) return new Map()
    return new Map(
      identitiesOf(document).map((identity) => [
        identityDigest(this.#key, document.parentId, identity),
        identity,
      ]),
    )
  }
}

const NO_PROOF = { index: [], put: [] }

function initialProof({ kind }: Identity): ProofState {
  return kind === "oidc" ? "proven" : "unproven"
}

function tallyChange(
  parentId: string,
  digest: string,
  next: (tally: ReturnType<typeof readTally>) => ReturnType<typeof readTally>,
): IndexChange {
  const row = { kind: "identity" as const, key: digest }
  return {
    shard: indexShard(parentId, digest),
    update: [{ ...row, next: (value) => writeTally(next(readTally(value))) }],
  }
}

/**
 * The side book for what has this digest, one of 65,536: first touch reads a whole book, and a parent of a million
 * sub-organizations with four identities each has some sixty rows in each.
 */
export function indexShard(organizationId: string, digest: string): string {
  return `${organizationId}#${digest.slice(0, 4)}`
}
