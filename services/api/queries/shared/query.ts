import type { OnRampStatus } from "../../../../signer/core/on-ramp/status.ts"
import type { TimeForm } from "../../resources/time.ts"
import type { Nodes } from "../../sending/nodes.ts"
import type { LogReader } from "../../signer/log-reader.ts"
import type { Links } from "../../signer/links.ts"
import type { Signer } from "../../signer/signer.ts"
import type { BootProofs } from "../../signer/boot-proofs.ts"
import type { StoredOrganization } from "../../store/stored-organization.ts"
import type { OrganizationStore } from "../../authentication/organization-store.ts"
import type { Database } from "../../../database/database.ts"

/** The input of a query. Queries only read. */
export type QueryContext = {
  sql: Database
  organizations: OrganizationStore
  bootProofs: Pick<BootProofs, "find" | "latest">
  nodes: Nodes
  signer: Pick<Signer, "readGasUsage" | "readMetrics" | "getOrganizationHead">
  log: LogReader
  links: Links
  /** The status of a purchase, from its provider. `record`: serialized Record of the purchase. */
  onRampStatus: (record: Uint8Array) => Promise<OnRampStatus>
  /** Has the signer verify an ID token for an organization. @throws Refusal of signer and fetcher; ApiError 503 */
  verifyIdToken: (organizationId: string, oidcToken: string) => Promise<void>
  /** The queried organization, as the database has it now. */
  organization: StoredOrganization
  /** The caller's organization: the queried one, or its parent. */
  callerOrganization: StoredOrganization
  /** The caller's id. */
  userId: string
  username: string
  /** True if the caller has not stamped the query, but has a read-only session. */
  isReadOnlySession: boolean
  times: TimeForm
  nowMs: number
  /** To be called when a page ends early because of its size, with the id of its last object in reading order. */
  endPageAt: (id: string) => void
}

/** Answers one query with JSON text. */
export type Query<Request> = (request: Request, context: QueryContext) => string | Promise<string>
