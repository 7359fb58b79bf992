// Operations on policies, session profiles and IP allowlists outside the document, as published clients know them;
// delete_session_profile is this service's own.
import {
  AUTHENTICATION_TYPE,
  EFFECT,
  POLICY_OUTCOME,
  VELOCITY_CONTROL_METHOD,
  VELOCITY_CONTROL_OPERATOR,
  VELOCITY_CONTROL_UNKNOWN_AMOUNT,
} from "./enums.ts"
import {
  beyond,
  boolean,
  type Fields,
  list,
  object,
  oneOf,
  record,
  silentRequired,
  string,
  timestamp,
} from "./field.ts"
import type { QueryOperation } from "./query.ts"
import { type Reply, reply } from "./reply.ts"
import { mfaPolicy } from "./resources.ts"

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

const sessionProfile: Fields = {
  sessionProfileId: silentRequired(string),
  sessionProfileName: silentRequired(string),
  scope: silentRequired(string),
  expirationSeconds: beyond(string),
  notes: beyond(string),
  createdAt: silentRequired(timestamp),
  updatedAt: silentRequired(timestamp),
}

const filter = beyond(record({ activity: beyond(list(record({ activityType: silentRequired(string) }))) }))
const nothing = record({})

const velocityControl: Fields = {
  velocityControlId: silentRequired(string),
  organizationId: silentRequired(string),
  name: silentRequired(string),
  identifier: silentRequired(string),
  dataSource: silentRequired(
    record({
      chainAssetTransfer: beyond(
        record({
          definition: silentRequired(
            list(record({ caip19: silentRequired(string), decimals: silentRequired(string) })),
          ),
          filter,
          phase: beyond(record({ signature: beyond(nothing), submission: beyond(nothing) })),
          unknownAmount: beyond(oneOf(VELOCITY_CONTROL_UNKNOWN_AMOUNT)),
        }),
      ),
      activityExecution: beyond(record({ filter })),
    }),
  ),
  aggregation: silentRequired(
    record({
      method: silentRequired(oneOf(VELOCITY_CONTROL_METHOD)),
      operator: silentRequired(oneOf(VELOCITY_CONTROL_OPERATOR)),
      threshold: silentRequired(string),
      window: silentRequired(
        record({ rolling: beyond(record({ duration: silentRequired(string) })), infinite: beyond(nothing) }),
      ),
      groupBy: silentRequired(
        record({ organization: beyond(nothing), user: beyond(nothing), wallet: beyond(nothing) }),
      ),
    }),
  ),
  createdAt: silentRequired(timestamp),
  updatedAt: silentRequired(timestamp),
}

const pageInfo: Fields = {
  hasNextPage: beyond(boolean),
  hasPreviousPage: beyond(boolean),
  startCursor: beyond(string),
  endCursor: beyond(string),
}

const ipAllowlist: Fields = {
  organizationId: silentRequired(string),
  rules: silentRequired(
    list(record({ cidr: silentRequired(string), label: beyond(string), createdAt: beyond(string) })),
  ),
  publicKey: beyond(string),
  enabled: beyond(boolean),
  onEvaluationError: beyond(string),
}

const method = record({ type: silentRequired(oneOf(AUTHENTICATION_TYPE)), id: beyond(string) })

/** MFA progress of a user. */
const mfaStatus: Fields = {
  mfaPolicyId: silentRequired(string),
  userId: silentRequired(string),
  satisfied: silentRequired(boolean),
  satisfiedMethods: silentRequired(list(method)),
  requiredMethods: silentRequired(list(record({ any: silentRequired(list(method)) }))),
}

const policyId = silentRequired(string)
const mfaPolicyId = silentRequired(string)
const sessionProfileId = silentRequired(string)
const velocityControlId = silentRequired(string)

export const policyReplies: readonly Reply[] = [
  reply("UPDATE_POLICY", "", "updatePolicy", { policyId }),
  { ...reply("UPDATE_POLICY", "V2", "updatePolicy", { policyId }), result: "updatePolicyResultV2" },
  reply("DELETE_POLICY", "", "deletePolicy", { policyId }),
  reply("CREATE_SESSION_PROFILE", "", "createSessionProfile", { sessionProfileId }),
  reply("DELETE_SESSION_PROFILE", "", "deleteSessionProfile", { sessionProfileId }),
  reply("CREATE_VELOCITY_CONTROL", "", "createVelocityControl", { velocityControlId }),
  reply("DELETE_VELOCITY_CONTROL", "", "deleteVelocityControl", { velocityControlId }),
  reply("CREATE_MFA_POLICY", "", "createMfaPolicy", { mfaPolicyId }),
  reply("UPDATE_MFA_POLICY", "", "updateMfaPolicy", { mfaPolicyId }),
  reply("DELETE_MFA_POLICY", "", "deleteMfaPolicy", { mfaPolicyId }),
  reply("SET_IP_ALLOWLIST", "", "setIpAllowlist", {}),
  reply("REMOVE_IP_ALLOWLIST", "", "removeIpAllowlist", {}),
  reply("DELETE_POLICIES", "", "deletePolicies", { policyIds: silentRequired(list(string)) }),
]

const organizationId = silentRequired(string)

/** Policy outcomes at the count of one vote. */
const policyEvaluation: Fields = {
  id: silentRequired(string),
  activityId: silentRequired(string),
  organizationId,
  voteId: silentRequired(string),
  policyEvaluations: silentRequired(
    list(record({ policyId, outcome: silentRequired(oneOf(POLICY_OUTCOME)) })),
  ),
  createdAt: silentRequired(timestamp),
}

/** The state of a policy's time expression. `error`: it has no value. */
const activePolicyStatus: Fields = {
  organizationId,
  policyId,
  active: silentRequired(boolean),
  timeExpr: beyond(string),
  error: beyond(string),
}

export const policyQueries: readonly QueryOperation[] = [
  {
    path: "get_policy",
    body: { organizationId, policyId },
    reply: { policy: silentRequired(record(policy)) },
  },
  {
    path: "get_session_profile",
    body: { organizationId, sessionProfileId },
    reply: { sessionProfile: silentRequired(record(sessionProfile)) },
  },
  {
    path: "get_session_profiles",
    body: { organizationId },
    reply: { sessionProfiles: silentRequired(list(record(sessionProfile))) },
  },
  {
    path: "get_velocity_control",
    body: { organizationId, velocityControlId },
    reply: { velocityControl: silentRequired(record(velocityControl)) },
  },
  {
    path: "list_velocity_controls",
    body: { organizationId, paginationOptions: beyond(object) },
    reply: {
      velocityControls: silentRequired(list(record(velocityControl))),
      pageInfo: silentRequired(record(pageInfo)),
    },
  },
  {
    path: "get_ip_allowlist",
    body: { organizationId, publicKey: beyond(string) },
    reply: { allowlist: silentRequired(record(ipAllowlist)) },
  },
  {
    path: "list_policies",
    body: { organizationId },
    reply: { policies: silentRequired(list(record(policy))) },
  },
  {
    path: "get_active_policies",
    body: { organizationId },
    reply: {
      statuses: silentRequired(list(record(activePolicyStatus))),
      evaluatedAtMs: silentRequired(string),
    },
  },
  {
    path: "get_mfa_policy",
    body: { organizationId, userId: silentRequired(string), mfaPolicyId },
    reply: { mfaPolicy: silentRequired(record(mfaPolicy)) },
  },
  {
    path: "get_mfa_policies",
    body: { organizationId, userId: silentRequired(string) },
    reply: { mfaPolicies: silentRequired(list(record(mfaPolicy))) },
  },
  {
    path: "get_mfa_status",
    body: { organizationId, activityId: silentRequired(string), userId: beyond(string) },
    reply: { mfaStatuses: silentRequired(list(record(mfaStatus))) },
  },
  {
    path: "get_policy_evaluations",
    body: { organizationId, activityId: silentRequired(string) },
    reply: { policyEvaluations: silentRequired(list(record(policyEvaluation))) },
  },
]
