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
 * The sub-organizations of a parent that hold an identity. A login that names only the parent gets one answer here, and
 * the API tier never chooses. The tallies (identity-tally.ts) are rows of the parent's index shards. An identity enters
 * unproven, because the creator of a sub-organization can put any public key into it. A login inside the
 * sub-organization proves the identity, with a row of that sub-organization. OpenID Connect identities enter proven:
 * their registration was checked.
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
   * Changes of the parent's register for a new version of a sub-organization's document.
   *
   * @param before undefined when the sub-organization is new
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

  /** Proof rows of a sub-organization for identities that its document no longer holds. */
  staleProofs(before: OrganizationDocument | undefined, after: OrganizationDocument | undefined) {
    if (before === undefined || before.parentId === "") return []
    const has = this.#byDigest(after)
    return [...this.#byDigest(before).keys()]
      .filter((digest) => !has.has(digest))
      .filter((digest) => this.#ledger.row(before.organizationId, "identity", digest) !== undefined)
      .map((key) => ({ kind: "identity" as const, key }))
  }

  /** Changes that a login makes by proving an identity; none when it was proven before. */
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
    const digest = (identity: Identity) => identityDigest(this.#key, document.parentId, identity)
    return new Map(identitiesOf(document).map((identity) => [digest(identity), identity]))
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
 * The index shard of a digest, one of 65,536. The first access reads a whole shard; a parent of a million
 * sub-organizations with four identities each has some sixty rows in each.
 */
export function indexShard(organizationId: string, digest: string): string {
  return `${organizationId}#${digest.slice(0, 4)}`
}
