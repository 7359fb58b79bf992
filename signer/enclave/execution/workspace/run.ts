import { create } from "@bufbuild/protobuf"
import type { ActivityEntry } from "../../../../proto/catalog.ts"
import { type Result, ResultSchema } from "../../../../proto/gen/countersign/api/v1/activities_pb.ts"
import type { Order } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type {
  Record,
  RecordKind,
  SessionScope,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { ActivityContext, AnyActivity } from "../../activities/activity.ts"
import { activities } from "../../activities/index.ts"
import { OrganizationDraft, newOrganization } from "../../organization/draft.ts"
import { notarizeDocument } from "../../organization/notarize.ts"
import { Organization } from "../../../core/organization/organization.ts"
import { requireSessionProfile } from "../../organization/session-profiles.ts"
import { refuse } from "../../../core/refusal.ts"
import { originsOf } from "../../../core/stamp/index.ts"
import { Changes } from "./changes.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { type Errand, Findings } from "./fetched-facts.ts"
import { ImportTargets } from "./import-keys.ts"
import { Records } from "./records.ts"
import { recordName } from "../state/record-names.ts"
import type { ParametersMessage } from "../state/request.ts"
import type { SessionOrigin } from "../state/credential-owner.ts"
import { SessionChanges } from "./session-changes.ts"
import { OrderVault } from "./vault.ts"

/** What running an activity brought about, nothing of it kept yet. */
export type Effects = {
  result: Result
  changed: NewVersion | undefined
  changes: Changes
  born: Birth[]
}

/** A version of an organization that did not exist before, and its NotarizedDocument. */
export type NewVersion = { organization: Organization; notarized: Uint8Array }

/** An organization that begins with the activity. */
export type Birth = NewVersion & { changes: Changes }

/** What came with an order, and for which request it was asked. */
export type Supply = Errand & Partial<Pick<Order, "fetched">> & Pick<Order, "records">

/** @throws ACTIVITY_TYPE_NOT_SERVED */
export function requireServed(activity: ActivityEntry): AnyActivity {
  const served = activities.get(activity.type)
  if (served !== undefined) return served
  throw refuse("ACTIVITY_TYPE_NOT_SERVED", `${activity.path} is not served by this release`, {
    field: "type",
  })
}

/** What is run: an activity with its parameters, and where. */
export type Task = Place & { activity: ActivityEntry; parameters: ParametersMessage }

/** Runs an allowed activity of a user; every refusal of it leaves nothing behind. */
export function runActivity({ activity, parameters, ...place }: Task, deps: ExecutionDeps): Effects {
  const workplace = new Workplace(place, findings(place, deps), deps)
  const served = requireServed(activity)
  served.check?.(parameters as never)
  const value = served.run(parameters as never, workplace)
  const field = activity.resultField
  if (field === undefined) throw new Error(`${activity.type} declares no result`)
  const result = create(ResultSchema, { result: { case: field.localName, value } } as never)
  const { changes } = workplace
  return { result, changed: finish(workplace.organization, deps), changes, born: workplace.born() }
}

type Place = {
  organization: Organization
  /** Who submitted the activity. */
  userId: string
  /** By what it was stamped; absent: that is of no consequence. */
  origin?: SessionOrigin | undefined
  supply: Supply
  /** The organization whose settings hold for this one: its parent, or itself. */
  governing: () => Organization
  nowMs: number
}

/** Where an activity works: one organization, and those that it gives birth to. */
class Workplace implements ActivityContext {
  readonly organization: OrganizationDraft
  readonly userId: string
  readonly sessionScope: SessionScope | undefined
  readonly openedBy: string
  readonly nowMs: number
  readonly random: ActivityContext["random"]
  readonly vault: OrderVault
  readonly changes: Changes
  readonly outside: Findings
  readonly importTargets: ImportTargets
  readonly bundles: ActivityContext["bundles"]
  readonly sessionToken: ActivityContext["sessionToken"]
  readonly #governing: () => Organization
  readonly #supply: Supply
  readonly #records: Records
  readonly #deps: ExecutionDeps
  readonly #children: Workplace[] = []

  constructor(place: Place, outside: Findings, deps: ExecutionDeps) {
    const { organization, userId, supply, governing, nowMs } = place
    const { keyring, ledger, random, sessions, signingKeys } = deps
    const { id: organizationId } = organization
    this.userId = userId
    this.sessionScope = place.origin?.sessionScope
    this.openedBy = place.origin?.openedBy ?? ""
    this.nowMs = nowMs
    this.random = random
    this.outside = outside
    this.#records = new Records(organizationId, supply.records, keyring.records, ledger)
    const shared = { organizationId, keyring, ledger, nowMs }
    this.vault = new OrderVault({ ...shared, records: this.#records, cache: signingKeys })
    this.changes = new Changes(organizationId, keyring, ledger, random)
    const sessionChanges = new SessionChanges(organizationId, sessions, this.changes)
    this.organization = new OrganizationDraft(organization, nowMs, sessionChanges)
    this.importTargets = new ImportTargets({ ...shared, changes: this.changes, random })
    this.bundles = keyring.bundles
    this.sessionToken = keyring.sessionToken
    this.#governing = governing
    this.#supply = supply
    this.#deps = deps
  }

  allowedOrigins = () => originsOf(this.#governing().document)

  sessionProfile = (id: string, field: string) => requireSessionProfile(this.#governing().document, id, field)

  newId = (): string => this.#deps.ids.next(this.nowMs)

  record(kind: RecordKind, id: string, field?: string): Record {
    return this.#records.open(recordName(kind, id, field))
  }

  records(kind: RecordKind, ids: readonly string[], field: string): Record[] {
    return this.#records.openAll(ids.map((id, index) => recordName(kind, id, `${field}[${index}]`)))
  }

  requireRecords(kind: RecordKind, ids: readonly string[], field: string): string[] {
    return this.#records.requireAlive(ids.map((id, index) => recordName(kind, id, `${field}[${index}]`)))
  }

  archived = (kinds: readonly RecordKind[]): Record[] => this.#records.archived(kinds)

  bear(name: string): ActivityContext {
    const parentId = this.organization.id
    const newborn = newOrganization({ organizationId: this.newId(), parentId, name }, this.nowMs)
    // Only top-level organizations bear, and their settings hold for those below.
    const { userId, nowMs } = this
    const supply = { ...this.#supply, records: [] }
    const place = { organization: newborn, userId, supply, governing: this.#governing, nowMs }
    const child = new Workplace(place, this.outside, this.#deps)
    this.#children.push(child)
    return child
  }

  /** @throws Error where an activity gave birth to an organization and put nothing into its document */
  born(): Birth[] {
    return this.#children.map(({ organization, changes }) => {
      const first = finish(organization, this.#deps)
      if (first === undefined) throw new Error("a birth makes a document")
      return { ...first, changes }
    })
  }
}

function findings({ supply, nowMs }: Place, deps: ExecutionDeps): Findings {
  const { keyring, fetcherKey, issuerKeys, random } = deps
  const { notary } = keyring
  return new Findings(supply, supply.fetched ?? [], { notary, fetcherKey, issuerKeys, random, nowMs })
}

function finish(draft: OrganizationDraft, { keyring }: ExecutionDeps): NewVersion | undefined {
  const document = draft.nextVersion()
  if (document === undefined) return undefined
  const { notarized, digest } = notarizeDocument(document, keyring.notary)
  return { organization: new Organization(document, digest, notarized.length), notarized }
}
