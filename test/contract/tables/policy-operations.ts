// Operations on policies outside the document, as published clients know them.
import { EFFECT } from "./enums.ts"
import { beyond, type Fields, list, oneOf, record, silentRequired, string, timestamp } from "./field.ts"
import type { QueryOperation } from "./query.ts"
import { type Reply, reply } from "./reply.ts"

/** A policy as it is stored: both expressions are always there. */
export const policy: Fields = {
  policyId: silentRequired(string),
  policyName: silentRequired(string),
  effect: silentRequired(oneOf(EFFECT)),
  createdAt: silentRequired(timestamp),
  updatedAt: silentRequired(timestamp),
  notes: silentRequired(string),
  consensus: silentRequired(string),
  condition: silentRequired(string),
  time: beyond(string),
}

const policyId = silentRequired(string)

export const policyReplies: readonly Reply[] = [
  reply("UPDATE_POLICY", "", "updatePolicy", { policyId }),
  { ...reply("UPDATE_POLICY", "V2", "updatePolicy", { policyId }), result: "updatePolicyResultV2" },
  reply("DELETE_POLICY", "", "deletePolicy", { policyId }),
  reply("DELETE_POLICIES", "", "deletePolicies", { policyIds: silentRequired(list(string)) }),
]

const organizationId = silentRequired(string)

export const policyQueries: readonly QueryOperation[] = [
  {
    path: "get_policy",
    body: { organizationId, policyId },
    reply: { policy: silentRequired(record(policy)) },
  },
  {
    path: "list_policies",
    body: { organizationId },
    reply: { policies: silentRequired(list(record(policy))) },
  },
]
