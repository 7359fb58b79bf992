import type { TimeForm } from "../activity-times.ts"
import type { Organization } from "../organization.ts"
import type { Organizations } from "../organizations.ts"
import type { Database } from "../store/database.ts"

/** What a query may look at. Nothing of it can change anything. */
export type QueryContext = {
  sql: Database
  organizations: Organizations
  /** The organization asked about, as the database has it now. */
  organization: Organization
  /** Who asks: a user of it, or of its parent. */
  userId: string
  username: string
  times: TimeForm
  nowMs: number
}

/** Answers one query with JSON text. */
export type Query<Request> = (request: Request, context: QueryContext) => string | Promise<string>
