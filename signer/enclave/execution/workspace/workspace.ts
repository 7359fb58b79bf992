import type {
  Record,
  RecordKind,
  SessionScope,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { Organization } from "../../../core/organization/organization.ts"
import { originsOf } from "../../../core/webauthn/client-data.ts"
import type { ActivityContext } from "../../activities/activity.ts"
import { newOrganization, Draft } from "../../organization/draft.ts"
import { notarizeDocument } from "../../organization/notarize.ts"
import { requireSessionProfile } from "../../organization/session-profiles.ts"
import { type CredentialOwner, openedByOf, sessionScopeOf } from "../state/credential-owner.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { recordName } from "../state/record-names.ts"
import type { AuthenticatedRequest } from "../state/request.ts"
import { Changes } from "./changes.ts"
import { FetchedFacts } from "./fetched-facts.ts"
import { ImportKeys } from "./import-keys.ts"
import { Records } from "./records.ts"
import { SessionChanges } from "./session-changes.ts"
import { OrderVault } from "./vault.ts"

/** The organization that an activity runs in, and the context that came with the request. */
export type RunContext = Omit<AuthenticatedRequest, "owner">

/** A new version of an organization, with its NotarizedDocument. */
export type OrganizationVersion = { organization: Organization; notarized: Uint8Array }

/** An organization that the activity created. `changes`: undefined when it has no records yet. */
export type CreatedOrganization = OrganizationVersion & { changes: Changes | undefined }

/**
 * Everything one activity may touch in one organization. Each part is made when first asked for: a signature asks for
 * the vault only.
 */
export class Workspace implements ActivityContext {
  readonly userId: string
  readonly #context: RunContext
  readonly #submission: CredentialOwner | undefined
  readonly #deps: ExecutionDeps
  readonly #parent: Workspace | undefined
  readonly #children: Workspace[] = []
  #records: Records | undefined
  #vault: OrderVault | undefined
  #changes: Changes | undefined
  #draft: Draft | undefined
  #importKeys: ImportKeys | undefined
  #facts: FetchedFacts | undefined

  constructor(
    userId: string,
    submission: CredentialOwner | undefined,
    context: RunContext,
    deps: ExecutionDeps,
    parent?: Workspace,
  ) {
    this.userId = userId
    this.#submission = submission
    this.#context = context
    this.#deps = deps
    this.#parent = parent
  }

  get nowMs(): number {
    return this.#context.nowMs
  }

  get sessionScope(): SessionScope | undefined {
    return this.#submission && sessionScopeOf(this.#submission)
  }

  get openedBy(): string {
    return this.#submission === undefined ? "" : openedByOf(this.#submission)
  }

  get random(): ActivityContext["random"] {
    return this.#deps.random
  }

  get bundles(): ActivityContext["bundles"] {
    return this.#deps.keyring.bundles
  }

  get sessionToken(): ActivityContext["sessionToken"] {
    return this.#deps.keyring.sessionToken
  }

  get newId(): () => string {
    return () => this.#deps.ids.next(this.nowMs)
  }

  get allowedOrigins(): ActivityContext["allowedOrigins"] {
    return () => originsOf(this.#context.governing().document)
  }

  get sessionProfile(): ActivityContext["sessionProfile"] {
    return (id, field) => requireSessionProfile(this.#context.governing().document, id, field)
  }

  get archived(): ActivityContext["archived"] {
    return (kinds) => this.#recordReader.archived(kinds)
  }

  get vault(): OrderVault {
    const { keyring, ledger, signingKeys: cache } = this.#deps
    this.#vault ??= new OrderVault({
      organizationId: this.#context.organization.id,
      records: this.#recordReader,
      keyring,
      ledger,
      cache,
      nowMs: this.nowMs,
    })
    return this.#vault
  }

  get changes(): Changes {
    const { keyring, ledger, random } = this.#deps
    this.#changes ??= new Changes(this.#context.organization.id, keyring, ledger, random)
    return this.#changes
  }

  get organization(): Draft {
    const { organization, nowMs } = this.#context
    this.#draft ??= new Draft(
      organization,
      nowMs,
      new SessionChanges(organization.id, this.#deps.sessions, this.changes),
    )
    return this.#draft
  }

  get importKeys(): ImportKeys {
    const { keyring, ledger, random } = this.#deps
    this.#importKeys ??= new ImportKeys({
      organizationId: this.#context.organization.id,
      keyring,
      ledger,
      changes: this.changes,
      random,
      nowMs: this.nowMs,
    })
    return this.#importKeys
  }

  get externalFacts(): FetchedFacts {
    if (this.#parent !== undefined) return this.#parent.externalFacts
    this.#facts ??= new FetchedFacts(this.#context, this.#deps)
    return this.#facts
  }

  record(kind: RecordKind, id: string, field?: string): Record {
    return this.#recordReader.open(recordName(kind, id, field))
  }

  records(kind: RecordKind, ids: readonly string[], field: string): Record[] {
    return this.#recordReader.openAll(ids.map((id, index) => recordName(kind, id, `${field}[${index}]`)))
  }

  requireRecords(kind: RecordKind, ids: readonly string[], field: string): string[] {
    return this.#recordReader.requireAlive(ids.map((id, index) => recordName(kind, id, `${field}[${index}]`)))
  }

  /** Only top-level organizations create others, so that their settings apply to those as well. */
  createSubOrganization(name: string): ActivityContext {
    const identity = { organizationId: this.newId(), parentId: this.#context.organization.id, name }
    const organization = newOrganization(identity, this.nowMs)
    const order = { records: [], fetched: [] }
    const child = new Workspace(
      this.userId,
      undefined,
      { ...this.#context, organization, order },
      this.#deps,
      this,
    )
    this.#children.push(child)
    return child
  }

  /** Changes of records and rows; undefined when the activity made none. */
  get madeChanges(): Changes | undefined {
    return this.#changes
  }

  /** The organization's new version; undefined when the activity left its document as it was. */
  newVersion(): OrganizationVersion | undefined {
    const document = this.#draft?.nextVersion()
    if (document === undefined) return undefined
    const { notarized, digest } = notarizeDocument(document, this.#deps.keyring.notary)
    return { organization: new Organization(document, digest, notarized.length), notarized }
  }

  created(): CreatedOrganization[] {
    return this.#children.map((child) => {
      const version = child.newVersion()
      if (version === undefined) throw new Error("a new organization has a document")
      return { ...version, changes: child.madeChanges }
    })
  }

  get #recordReader(): Records {
    const { organization, order } = this.#context
    const { keyring, ledger } = this.#deps
    this.#records ??= new Records(organization.id, order.records, keyring.records, ledger)
    return this.#records
  }
}
