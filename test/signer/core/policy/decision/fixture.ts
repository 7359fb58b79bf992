import { NO_INTERFACES } from "../../../../../signer/core/contract-interface/interfaces.ts"
import { create, type MessageInitShape } from "@bufbuild/protobuf"
import { activityTypes } from "../../../../../proto/catalog.ts"
import {
  CredentialType,
  Effect,
  FeatureName,
  OutcomeSchema,
} from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  OrganizationDocumentSchema,
  type PolicySchema,
  type UserSchema,
} from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { Organization } from "../../../../../signer/core/organization/organization.ts"
import { possibleVotes } from "../../../../../signer/core/policy/decision/credentials.ts"
import { factsOf } from "../../../../../signer/core/policy/facts/index.ts"
import { RequestFacts } from "../../../../../signer/core/policy/facts/request-facts.ts"
import type { Holdings } from "../../../../../signer/core/policy/facts/holdings.ts"
import { policiesOf } from "../../../../../signer/core/policy/decision/policy-set.ts"
import type { Decision } from "../../../../../signer/core/policy/decision/decide.ts"
import type { Approval, DecisionInput } from "../../../../../signer/core/policy/decision/decision-input.ts"

export type PolicyInit = Omit<MessageInitShape<typeof PolicySchema>, "$typeName" | "$unknown">

export const allow = (parts: PolicyInit = {}): PolicyInit => ({ ...parts, effect: Effect.ALLOW })
export const deny = (parts: PolicyInit = {}): PolicyInit => ({ ...parts, effect: Effect.DENY })

type UserInit = Omit<MessageInitShape<typeof UserSchema>, "$typeName" | "$unknown">

const user = (userId: string, tagIds: string[] = []): UserInit => ({
  userId,
  name: userId,
  email: `${userId}@example.com`,
  tagIds,
  apiKeys: [{ apiKeyId: `${userId}-key`, publicKey: `02${userId}`, type: CredentialType.API_KEY_P256 }],
})

/** The user with a passkey beside the API key. */
const withPasskey = (init: UserInit): UserInit => ({
  ...init,
  authenticators: [{ authenticatorId: "eva-passkey", credentialId: Buffer.from("eva") }],
})

/**
 * Root quorum: two of ann, ben, cid; gus has left. dan, eva and fay are ordinary users: dan an agent, eva and fay
 * admins. eva has a passkey too.
 */
export function organizationWith(policies: readonly PolicyInit[] = [], isStrict = false): Organization {
  const document = create(OrganizationDocumentSchema, {
    users: [
      ...["ann", "ben", "cid"].map((name) => user(name)),
      user("dan", ["agent"]),
      withPasskey(user("eva", ["admin"])),
      user("fay", ["admin"]),
    ],
    rootQuorum: { threshold: 2, userIds: ["ann", "ben", "cid", "gus"] },
    policies: policies.map((policy, index) => ({ policyId: `p${index + 1}`, ...policy })),
    features: isStrict ? [{ name: FeatureName.STRICT_DENY, value: "true" }] : [],
  })
  return new Organization(document, new Uint8Array(32), 0)
}

export type DecisionSetup = {
  policies?: readonly PolicyInit[]
  /** Type without prefix; a signature where it is not said. */
  type?: string
  parameters?: { [name: string]: unknown }
  /** The submitter first, if they approve. After a colon stands the credential's type; else the first one is used. */
  approvers: readonly string[]
  submitter?: string
  holdings?: Holdings
  isStrict?: boolean
  nowMs?: number
}

/** The question that this is. */
export function decisionInput({
  type = "SIGN_RAW_PAYLOAD_V2",
  approvers,
  parameters = {},
  ...more
}: DecisionSetup): DecisionInput {
  const organization = organizationWith(more.policies, more.isStrict)
  const activity = activityTypes.get(`ACTIVITY_TYPE_${type}`)!
  const { roots } = policiesOf(organization)
  return {
    organization,
    activity,
    parameters,
    submitterId: more.submitter ?? userOf(approvers[0] ?? ""),
    approvals: approvers.flatMap((name) => voteOf(organization, name) ?? []),
    facts: new RequestFacts(
      factsOf(
        { activity, parameters, holdings: () => more.holdings ?? {}, interfaces: NO_INTERFACES },
        roots,
      ),
    ),
    nowMs: more.nowMs ?? Date.UTC(2026, 0, 5, 12),
  }
}

/** Undefined: no user of the organization. */
export function voteOf(organization: Organization, name: string): Approval | undefined {
  const [userId = "", type] = name.split(":")
  const found = organization.user(userId)
  const votes = found === undefined ? [] : possibleVotes(found, 0)
  return votes.find(({ credentials }) => type === undefined || credentials[0]?.type.endsWith(type))
}

function userOf(name: string): string {
  return name.split(":")[0] ?? ""
}

/** The outcome of each policy, without prefix. */
export function outcomeNames({ policyOutcomes }: Decision): string[] {
  return policyOutcomes.map(({ outcome }) => OutcomeSchema.value[outcome]?.localName ?? "")
}
