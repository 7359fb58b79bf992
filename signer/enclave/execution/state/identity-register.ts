import type {
  Authenticator,
  OrganizationDocument,
} from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { DocumentCredentialOwner } from "../../../core/organization/organization.ts"
import type { Steps } from "../../../core/turns/steps.ts"
import type { MacKey } from "../../keys/record-mac.ts"
import type { IndexChange, Ledger, LedgerRow, RowName } from "../../ledger/ledger.ts"
import {
  type Holding,
  type Identity,
  holdingsOf,
  identitiesOfPasskey,
  identityDigest,
  identityOfContact,
  identityOfKey,
  identityOfProvider,
  keyOfPasskey,
} from "./identity.ts"
import {
  enter,
  type Hold,
  type IdentityTally,
  leave,
  prove,
  readTally,
  writeTally,
} from "./identity-tally.ts"

/**
 * The sub-organizations of a parent that hold an identity, for logins that name only the parent. The API tier never
 * chooses among them. Anybody can be given anybody's public key, so each hold has an origin and may be proven:
 *
 * - created: the identity was in the sub-organization's first document.
 * - added: a user of the sub-organization added it later. It answers no such login until it is proven.
 * - proven: a login that named the sub-organization was stamped with it. A login that names only the parent proves
 *   nothing: it may have been led here. OpenID Connect identities enter proven: their registration was checked. So do
 *   contacts, which enter only once a verification token has proven them.
 *
 * Tallies (identity-tally.ts) are rows of the parent's index shards. A sub-organization's own row of the same kind and
 * key says what it entered: one byte, 1 for added (else created) plus 2 for proven. Without a row it is created and not
 * proven. An empty row was written by earlier versions for any login, and proves nothing. A passkey whose key has no
 * row was entered by its credential id in an earlier version. It moves with the next change or login of its
 * sub-organization.
 */
export class IdentityRegister {
  readonly #key: MacKey
  readonly #ledger: Ledger

  constructor(key: MacKey, ledger: Ledger) {
    this.#key = key
    this.#ledger = ledger
  }

  tally(parentId: string, identity: Identity): IdentityTally {
    const digest = identityDigest(this.#key, parentId, identity)
    return readTally(this.#ledger.row(indexShard(parentId, digest), "identity", digest))
  }

  /**
   * Changes of the parent's tallies and of the sub-organization's own rows, in steps: a document may have thousands of
   * credentials. The caller holds the sub-organization's lock, so that its rows stay as they are.
   * @param before undefined when the sub-organization is new
   * @param proven credential of a login that named the sub-organization
   */
  *changes(
    before: OrganizationDocument | undefined,
    after: OrganizationDocument,
    proven?: DocumentCredentialOwner,
  ): Steps<RegisterChanges> {
    const { parentId, organizationId } = after
    const none = { index: [], put: [], remove: [] }
    if (parentId === "" || (before === after && proven === undefined)) return none
    const previous = before === undefined ? new Map<string, Held>() : yield* this.#held(before)
    const current = yield* this.#next(before, after, previous, proven)
    const entered = [...current].filter(([digest]) => !previous.has(digest))
    const left = [...previous].filter(([digest]) => !current.has(digest))
    const newlyProven = [...current].filter(
      ([digest, { hold }]) => hold.isProven && previous.get(digest)?.hold.isProven === false,
    )
    const change = (digest: string, next: (tally: IdentityTally) => IdentityTally) =>
      tallyChange(parentId, digest, next)
    return {
      index: [
        ...left.map(([digest, { hold }]) => change(digest, (tally) => leave(tally, organizationId, hold))),
        ...entered.map(([digest, { hold, ...entrant }]) =>
          change(digest, (tally) => enter(tally, { ...entrant, organizationId }, hold)),
        ),
        ...newlyProven.map(([digest]) => change(digest, (tally) => prove(tally, organizationId))),
      ],
      put: [...entered, ...newlyProven].flatMap(([key, held]) => holdRows(key, held)),
      remove: left.map(([key]) => ({ kind: "identity", key })),
    }
  }

  /** The identities with which a document's credentials entered the register, by digest. */
  *#held(document: OrganizationDocument): Steps<Map<string, Held>> {
    const entered = new Map<string, Held>()
    for (const holding of holdingsOf(document)) {
      const digest = this.#digest(document, holding.identity)
      const row = this.#ledger.row(document.organizationId, "identity", digest)
      yield
      // A contact enters with a row, so one without it was proven by a release that did not know contacts.
      if (row === undefined && holding.identity.kind === "contact") continue
      entered.set(digest, { ...holding, hold: readHold(row), isMigrated: false })
    }
    const legacy: Authenticator[] = []
    for (const passkey of document.users.flatMap(({ authenticators }) => authenticators)) {
      if (this.#isLegacy(document, passkey)) legacy.push(passkey)
      yield
    }
    for (const passkey of legacy) {
      for (const identity of identitiesOfPasskey(passkey)) entered.delete(this.#digest(document, identity))
      yield
    }
    for (const { credentialId, authenticatorId } of legacy) {
      const identity = { kind: "passkey" as const, credentialId }
      const held = { identity, credentialId: authenticatorId, expiresMs: 0n }
      entered.set(this.#digest(document, identity), { ...held, hold: CREATED, isMigrated: false })
      yield
    }
    return entered
  }

  /** As `#held`, for the next document: what stays keeps its hold, and what is new gets one. */
  *#next(
    before: OrganizationDocument | undefined,
    after: OrganizationDocument,
    previous: ReadonlyMap<string, Held>,
    proven: DocumentCredentialOwner | undefined,
  ): Steps<Map<string, Held>> {
    const provenDigests = new Set(
      proven === undefined ? [] : identitiesOf(proven).map((identity) => this.#digest(after, identity)),
    )
    const known = new Set<string>()
    for (const { credentialId } of before === undefined ? [] : holdingsOf(before)) {
      known.add(credentialId)
      yield
    }
    const next = new Map<string, Held>()
    for (const holding of holdingsOf(after)) {
      const digest = this.#digest(after, holding.identity)
      // The time of a credential that moves from a legacy row is unknown: it counts as created.
      const isMigrated = known.has(holding.credentialId)
      const origin = before === undefined || isMigrated ? ("created" as const) : ("added" as const)
      const fresh = { origin, isProven: isProvenAtEntry(holding.identity) }
      const hold = previous.get(digest)?.hold ?? fresh
      const isProven = hold.isProven || provenDigests.has(digest)
      next.set(digest, { ...holding, hold: { ...hold, isProven }, isMigrated })
      yield
    }
    return next
  }

  #isLegacy(document: OrganizationDocument, passkey: Authenticator): boolean {
    const digest = this.#digest(document, keyOfPasskey(passkey))
    return this.#ledger.row(document.organizationId, "identity", digest) === undefined
  }

  #digest({ parentId }: OrganizationDocument, identity: Identity): string {
    return identityDigest(this.#key, parentId, identity)
  }
}

export type RegisterChanges = { index: IndexChange[]; put: LedgerRow[]; remove: RowName[] }

type Held = Holding & { hold: Hold; isMigrated: boolean }

function identitiesOf(owner: DocumentCredentialOwner): Identity[] {
  if ("oauthProvider" in owner) return [identityOfProvider(owner.oauthProvider)]
  if ("contact" in owner) return [identityOfContact(owner.contact)]
  return "apiKey" in owner ? [identityOfKey(owner.apiKey)] : identitiesOfPasskey(owner.authenticator)
}

function isProvenAtEntry({ kind }: Identity): boolean {
  return kind === "oidc" || kind === "contact"
}

const ADDED = 1
const PROVEN = 2
const CREATED: Hold = { origin: "created", isProven: false }

function readHold(row: Uint8Array | undefined): Hold {
  const flags = row?.[0] ?? 0
  return { origin: (flags & ADDED) === 0 ? "created" : "added", isProven: (flags & PROVEN) !== 0 }
}

/** The own row of a hold; none for the most frequent one, which a missing row means. */
function holdRows(key: string, { identity, hold }: Held): LedgerRow[] {
  const flags = (hold.origin === "added" ? ADDED : 0) | (hold.isProven ? PROVEN : 0)
  if (flags === 0 && identity.kind !== "passkey-key") return []
  return [{ kind: "identity", key, value: Uint8Array.of(flags) }]
}

function tallyChange(
  parentId: string,
  digest: string,
  next: (tally: IdentityTally) => IdentityTally,
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
