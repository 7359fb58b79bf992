import type { SignedTransaction } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type {
  Record,
  RecordKind,
  SessionScope,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type {
  FeatureName,
  FiatOnRampProvider,
  OtpType,
} from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { enabledSettings } from "../../../core/auth-proxy/settings.ts"
import { featureOf, Organization } from "../../../core/organization/organization.ts"
import { requireApplication } from "../../../core/oidc/applications.ts"
import type { OrganizationDocument, User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Credential } from "../../../core/policy/decision/decision-input.ts"
import type { Parameters } from "../../../core/policy/parameters/shown-parameters.ts"
import { refuse } from "../../../core/refusal.ts"
import { type Steps } from "../../../core/turns/steps.ts"
import { originsOf } from "../../../core/webauthn/client-data.ts"
import type { ActivityContext } from "../../activities/activity.ts"
import { mailedKey } from "../../keys/mailed-key.ts"
import { newAuthProxyKey } from "../../keys/auth-proxy-key.ts"
import { Draft, newOrganization } from "../../organization/draft.ts"
import { MAX_DOCUMENT_BYTES } from "../../organization/limits.ts"
import { notarizeDocument } from "../../organization/notarize.ts"
import { requireOnRampKeys } from "../../organization/on-ramp-credentials.ts"
import { requireSessionProfile } from "../../organization/session-profiles.ts"
import {
  credentialNameOf,
  type CredentialOwner,
  lapsedLogin,
  openedByOf,
  sessionScopeOf,
} from "../state/credential-owner.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { recordName } from "../state/archived-records.ts"
import type { AuthenticatedRequest, StampedRequest } from "../state/request.ts"
import { Changes } from "./changes.ts"
import { FetchedFacts } from "./fetched-facts.ts"
import { ImportKeys, type ImportKeySource } from "./import-keys.ts"
import { requireLoginMfa } from "./login-mfa.ts"
import { mailTemplateOf } from "./mail-templates.ts"
import { Records } from "./records.ts"
import { Sends } from "./sends.ts"
import { SecretImportKeys } from "./secret-import-keys.ts"
import { SessionChanges } from "./session-changes.ts"
import { OrderVault } from "./vault.ts"

/** A request of its own, or a pending one that a vote completes. */
export type RunnableRequest = Pick<StampedRequest, "activity" | "parameters" | "fingerprint">

/** The organization that an activity runs in, and the context that came with the request. */
export type RunContext = Omit<AuthenticatedRequest, "owner" | "deciding"> & {
  /** True if a user of the parent submitted it. */
  isByParent: boolean
}

/** A new version of an organization, with its NotarizedDocument. */
export type OrganizationVersion = { organization: Organization; notarized: Uint8Array }

/** An organization that the activity created. `changes`: undefined when it has no records yet. */
export type CreatedOrganization = OrganizationVersion & { changes: Changes | undefined }

/** Refuses a change that makes a document too large. One that is larger already may shrink. @throws DOCUMENT_TOO_LARGE */
function requireWeight(bytes: number, bytesBefore: number): void {
  if (bytes <= Math.max(MAX_DOCUMENT_BYTES, bytesBefore)) return
  const sentence = `users, credentials, tags, policies and settings would take ${bytes} bytes, over ${MAX_DOCUMENT_BYTES}`
  throw refuse("DOCUMENT_TOO_LARGE", sentence)
}

/** The part of an organization that one activity may touch. Made on first use, member by member. */
export class Workspace implements ActivityContext {
  readonly userId: string
  readonly random: ActivityContext["random"]
  readonly bundles: ActivityContext["bundles"]
  readonly sessionToken: ActivityContext["sessionToken"]
  readonly readOnlySession: ActivityContext["readOnlySession"]
  readonly newId = () => this.#deps.ids.next(this.nowMs)
  readonly newAuthProxyKey = (configId: string) =>
    newAuthProxyKey(
      this.#deps.keyring.pins.authProxyPublicKey,
      { organizationId: this.#context.organization.id, configId },
      this.random,
    )
  readonly mailedKey = () =>
    mailedKey(this.#deps.keyring.mailedKeys, {
      organizationId: this.#context.organization.id,
      fingerprint: this.#request.fingerprint,
    })
  readonly archived = (kinds: readonly RecordKind[]) => this.#recordReader.archived(kinds)
  readonly allowedOrigins = () => originsOf(this.#context.governing().document)
  readonly hasFeature = (name: FeatureName) =>
    this.#family.some((document) => featureOf(document, name) !== undefined)
  readonly requireApplication: ActivityContext["requireApplication"] = (identity, field) =>
    requireApplication(this.#family, identity, field)
  readonly authProxySettings = () => enabledSettings(this.#context.governing().document)
  readonly onRampKeys = (provider: FiatOnRampProvider, sandbox: boolean) =>
    requireOnRampKeys(this.#context.governing().document, provider, sandbox)
  readonly sessionProfile = (id: string, field: string) =>
    requireSessionProfile(this.#context.governing().document, id, field)
  readonly mailTemplate = (id: string | undefined, field: string) =>
    mailTemplateOf(this.#context.governing(), id, field, this.#deps)
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
  #secretImportKeys: SecretImportKeys | undefined
  #facts: FetchedFacts | undefined
  #sends: Sends | undefined
  readonly #request: RunnableRequest

  constructor(
    request: RunnableRequest,
    userId: string,
    submission: CredentialOwner | undefined,
    context: RunContext,
    deps: ExecutionDeps,
    parent?: Workspace,
  ) {
    this.#request = request
    this.userId = userId
    this.#submission = submission
    this.#context = context
    this.#deps = deps
    this.#parent = parent
    this.random = deps.random
    this.bundles = deps.keyring.bundles
    this.sessionToken = deps.keyring.sessionToken
    this.readOnlySession = deps.keyring.readOnlySession
  }

  get nowMs(): number {
    return this.#context.nowMs
  }

  get isByParent(): boolean {
    return this.#context.isByParent
  }

  get sessionScope(): SessionScope | undefined {
    return sessionScopeOf(this.#stamping)
  }

  get openedBy(): string {
    return openedByOf(this.#stamping)
  }

  get stampedBy(): ActivityContext["stampedBy"] {
    const owner = this.#stamping
    const expiresAtMs = "apiKey" in owner ? owner.apiKey.expiresAtMs : 0n
    return { credential: credentialNameOf(owner), expiresAtMs }
  }

  get provenChannel(): OtpType | undefined {
    const owner = this.#stamping
    return "contact" in owner ? owner.contact.channel : undefined
  }

  /** Documents whose settings apply: the organization's and its parent's. */
  get #family(): readonly OrganizationDocument[] {
    return [this.#context.organization.document, this.#context.governing().document]
  }

  /** @throws LOGIN_LAPSED */
  get #stamping(): CredentialOwner {
    if (this.#submission === undefined) throw lapsedLogin()
    return this.#submission
  }

  get vault(): OrderVault {
    const { keyring, ledger, archive, signingKeys: cache } = this.#deps
    this.#vault ??= new OrderVault({
      organizationId: this.#context.organization.id,
      records: this.#recordReader,
      keyring,
      ledger,
      archive,
      cache,
      nowMs: this.nowMs,
    })
    return this.#vault
  }

  get changes(): Changes {
    this.#changes ??= new Changes(this.#context.organization.id, this.#deps)
    return this.#changes
  }

  get organization(): Draft {
    const { organization, nowMs } = this.#context
    this.#draft ??= new Draft(
      organization,
      nowMs,
      this.#deps.limits,
      new SessionChanges(organization.id, this.#deps.sessions, this.changes),
    )
    return this.#draft
  }

  get importKeys(): ImportKeys {
    this.#importKeys ??= new ImportKeys(this.#importKeySource)
    return this.#importKeys
  }

  get secretImportKeys(): SecretImportKeys {
    this.#secretImportKeys ??= new SecretImportKeys(this.#importKeySource)
    return this.#secretImportKeys
  }

  get externalFacts(): FetchedFacts {
    if (this.#parent !== undefined) return this.#parent.externalFacts
    const { organization } = this.#context
    const activity = { organization, fingerprint: this.#request.fingerprint }
    this.#facts ??= new FetchedFacts({ ...this.#context, activity }, this.#deps)
    return this.#facts
  }

  get sends(): Sends {
    const { organization, order, nowMs } = this.#context
    const { fill } = order
    this.#sends ??= new Sends(
      {
        organizationId: organization.id,
        fingerprint: this.#request.fingerprint,
        fill,
        nowMs,
        sponsor: { governing: this.#context.governing, changes: () => this.changes },
      },
      this.#deps,
    )
    return this.#sends
  }

  requireLoginMfa(user: User, credential: Credential): void {
    const { activity, parameters } = this.#request
    const login = { activity, parameters: parameters as Parameters, organization: this.#context.organization }
    requireLoginMfa(login, user, credential, this.#deps)
  }

  record(kind: RecordKind, id: string, field?: string): Record {
    return this.#recordReader.open(recordName(kind, id, field))
  }

  records(kind: RecordKind, ids: readonly string[], field: string): Steps<Record[]> {
    return this.#recordReader.openAll(ids.map((id, index) => recordName(kind, id, `${field}[${index}]`)))
  }

  requireRecords(kind: RecordKind, ids: readonly string[], field: string): Steps<string[]> {
    return this.#recordReader.requireAlive(ids.map((id, index) => recordName(kind, id, `${field}[${index}]`)))
  }

  /** Only top-level organizations create others, so that their settings apply to those as well. */
  createSubOrganization(name: string): ActivityContext {
    const identity = { organizationId: this.newId(), parentId: this.#context.organization.id, name }
    const organization = newOrganization(identity, this.nowMs)
    const order = { records: [], fetched: [], fill: undefined }
    const context = { ...this.#context, organization, order }
    const child = new Workspace(this.#request, this.userId, undefined, context, this.#deps, this)
    this.#children.push(child)
    return child
  }

  /** Changes of records and rows; undefined when the activity made none. */
  get madeChanges(): Changes | undefined {
    return this.#changes
  }

  /** Transactions that the activity signed. */
  get signed(): readonly SignedTransaction[] {
    return this.#sends?.signed ?? []
  }

  /** The organization's new version; undefined when the activity left its document as it was. */
  newVersion(): OrganizationVersion | undefined {
    const { version } = this.#context.organization.document
    const document = this.#draft?.nextVersion(this.#deps.rollback.latest(version))
    if (document === undefined) return undefined
    const { notarized, digest } = notarizeDocument(document, this.#deps.keyring.notary)
    requireWeight(notarized.length, this.#context.organization.bytes)
    return { organization: new Organization(document, digest, notarized.length), notarized }
  }

  created(): CreatedOrganization[] {
    return this.#children.map((child) => {
      const version = child.newVersion()
      if (version === undefined) throw new Error("a new organization has a document")
      return { ...version, changes: child.madeChanges }
    })
  }

  get #importKeySource(): ImportKeySource {
    const { keyring, ledger, random } = this.#deps
    const organizationId = this.#context.organization.id
    return { organizationId, keyring, ledger, changes: this.changes, random, nowMs: this.nowMs }
  }

  get #recordReader(): Records {
    const { organization, order } = this.#context
    this.#records ??= new Records(organization.id, order.records, this.#deps.keyring.records, this.#deps)
    return this.#records
  }
}
