import type { Test } from "tap"
import { storeOrganization, user } from "../documents.ts"
import { type Json, startApi } from "../start-api.ts"
import { makeKey } from "../stamps.ts"

export const keys = { alice: makeKey(), bob: makeKey() }

/** An API whose organization has the root quorum alice and bob, both of them. */
export async function started(test: Test) {
  const api = await startApi(test)
  const alice = user("alice", keys.alice)
  const bob = user("bob", keys.bob)
  const rootQuorum = { threshold: 2, userIds: [alice.userId, bob.userId] }
  await storeOrganization(api.sql, { users: [alice, bob], rootQuorum })
  return { ...api, alice, bob }
}

export const activityOf = (json: Json) => json["activity"] as Json

/** The only member in which two replies to one body may differ. */
export function withoutRequestId(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json), (key, value: unknown) => (key === "requestId" ? undefined : value))
}
