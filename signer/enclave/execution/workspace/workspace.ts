import type { SignedTransaction } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { Draft, newOrganization } from "../../organization/draft.ts"
import type { CredentialOwner } from "../state/credential-owner.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import type { AuthenticatedRequest, StampedRequest } from "../state/request.ts"
import { Changes } from "./changes.ts"
import { FetchedFacts } from "./fetched-facts.ts"
import type { FactsRequest } from "./facts-request.ts"
import { only } from "./only.ts"
import { Records } from "./records.ts"
import { SessionChanges } from "./session-changes.ts"

/** A request of its own, or a pending one that a vote completes. */
export type RunnableRequest = Pick<StampedRequest, "activity" | "parameters" | "fingerprint">

/** The organization that an activity runs in, and the context that came with the request. */
export type RunContext = Omit<AuthenticatedRequest, "owner" | "deciding"> & {
  /** True if a user of the parent submitted it. */
  isByParent: boolean
}

/** The user who submitted an activity, and their credential while it counts. */
export type Submitter = { userId: string; credential: CredentialOwner | undefined }

/**
 * One organization while an activity runs in it. Contexts and powers are made of it (context.ts); no activity gets it.
 * Each member is made on first use.
 */
export class Workspace {
  readonly request: RunnableRequest
  readonly submitter: Submitter
  readonly run: RunContext
  readonly deps: ExecutionDeps
  readonly children: Workspace[] = []
  /** Transactions that the activity signed, to be broadcast. */
  readonly broadcasts: SignedTransaction[] = []
  readonly #parent: Workspace | undefined
  #records: Records | undefined
  #changes: Changes | undefined
  #sessions: SessionChanges | undefined
  #draft: Draft | undefined
  #facts: FetchedFacts | undefined

  constructor(
    request: RunnableRequest,
    submitter: Submitter,
    run: RunContext,
    deps: ExecutionDeps,
    parent?: Workspace,
  ) {
    this.request = request
    this.submitter = submitter
    this.run = run
    this.deps = deps
    this.#parent = parent
  }

  get records(): Records {
    const { organization, order } = this.run
    this.#records ??= new Records(organization.id, order.records, this.deps.keyring.records, this.deps)
    return this.#records
  }

  get changes(): Changes {
    this.#changes ??= new Changes(this.run.organization.id, this.deps)
    return this.#changes
  }

  get sessions(): SessionChanges {
    this.#sessions ??= new SessionChanges(this.run.organization.id, this.deps.sessions, this.changes)
    return this.#sessions
  }

  /** The organization's next version. It ends sessions and opens none. */
  get draft(): Draft {
    const { organization, nowMs } = this.run
    this.#draft ??= new Draft(organization, nowMs, this.deps.limits, only(this.sessions, "of", "find", "end"))
    return this.#draft
  }

  get facts(): FetchedFacts {
    if (this.#parent !== undefined) return this.#parent.facts
    const activity = { organization: this.run.organization, fingerprint: this.request.fingerprint }
    this.#facts ??= new FetchedFacts({ ...this.run, activity }, this.deps)
    return this.#facts
  }

  /** The request as policies see it. */
  get factsRequest(): FactsRequest {
    const { activity, parameters, fingerprint } = this.request
    return { ...this.run, activity, parameters, fingerprint }
  }

  /** Only top-level organizations create others, so that their settings apply to those as well. */
  createSubOrganization(organizationId: string, name: string): Workspace {
    const { organization: parent, nowMs } = this.run
    const organization = newOrganization({ organizationId, parentId: parent.id, name }, nowMs)
    const run = { ...this.run, organization, order: { records: [], fetched: [], fill: undefined } }
    const submitter = { ...this.submitter, credential: undefined }
    const child = new Workspace(this.request, submitter, run, this.deps, this)
    this.children.push(child)
    return child
  }

  /** Effects of the activity; undefined: it did not use this power. */
  get made(): { draft: Draft | undefined; changes: Changes | undefined } {
    return { draft: this.#draft, changes: this.#changes }
  }
}
