import type { IncomingHttpHeaders } from "node:http"
import type { OperationEntry } from "../../../../proto/catalog.ts"
import { readMessage } from "../../../../proto/read.ts"
import { readStampHeaders } from "../../../../signer/core/stamp/index.ts"
import type { RequestState } from "../../../common/context.ts"
import { type ActivityTimes, timeForm } from "../../resources/time.ts"
import { type Admit, stampValues } from "../../authentication/authenticate.ts"
import type { BootProofs } from "../../signer/boot-proofs.ts"
import type { CredentialStore } from "../../authentication/credential-store.ts"
import type { OrganizationStore } from "../../authentication/organization-store.ts"
import { readObject, readOrganizationId } from "../../request-body.ts"
import type { Database } from "../../store/database.ts"
import { identifyCaller, identifyCallerInFamily } from "../../authentication/query-caller.ts"
import type { Query } from "./query.ts"

export type QueryDeps = {
  sql: Database
  organizations: OrganizationStore
  credentials: CredentialStore
  bootProofs: Pick<BootProofs, "find" | "latest">
  activityTimes: ActivityTimes
  now: () => number
}

/** Answers a stamped query with JSON text. Queries carry no time: the stamp alone is asked for. */
export async function answerQuery(
  operation: OperationEntry,
  query: Query<never>,
  request: { body: Buffer; headers: IncomingHttpHeaders; state: RequestState; admit: Admit },
  deps: QueryDeps,
): Promise<string> {
  const { body, headers, state, admit } = request
  const json = readObject(body)
  // Before the rules are looked at: a faulty id has an answer of its own.
  if (typeof json["organizationId"] === "string") readOrganizationId(json["organizationId"])
  const { message } = readMessage(operation.input, json)
  const organizationId = (message as unknown as { organizationId: string }).organizationId.toLowerCase()
  state.organizationId = organizationId
  const stamp = readStampHeaders(stampValues(headers))
  const question = { organizationId, stamp, body, nowMs: deps.now() }
  const find = operation.path === "whoami" ? identifyCallerInFamily : identifyCaller
  const { organization, home, owner } = await find(question, deps)
  await admit(home, stamp.credential)
  return query(message as never, {
    sql: deps.sql,
    organizations: deps.organizations,
    bootProofs: deps.bootProofs,
    organization,
    home,
    userId: owner.user.userId,
    username: owner.user.name,
    times: timeForm(headers, deps.activityTimes),
    nowMs: question.nowMs,
  })
}
