import type { TimeForm } from "../../resources/time.ts"
import type { BootProofs } from "../../signer/boot-proofs.ts"
import type { StoredOrganization } from "../../store/stored-organization.ts"
import type { OrganizationStore } from "../../authentication/organization-store.ts"
import type { Database } from "../../store/database.ts"

/** What a query may look at. Nothing of it can change anything. */
export type QueryContext = {
  sql: Database
  organizations: OrganizationStore
  bootProofs: Pick<BootProofs, "find" | "latest">
  /** The organization asked about, as the database has it now. */
  organization: StoredOrganization
  /** That of the user who asks: the same, or its parent. */
  home: StoredOrganization
  /** Who asks. */
  userId: string
  username: string
  times: TimeForm
  nowMs: number
}

/** Answers one query with JSON text. */
export type Query<Request> = (request: Request, context: QueryContext) => string | Promise<string>
