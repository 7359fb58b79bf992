import { NO_INTERFACES } from "../../signer/core/contract-interface/interfaces.ts"
import { create } from "@bufbuild/protobuf"
import { activityTypes } from "../../proto/catalog.ts"
import { CredentialType, Effect, PayloadEncoding } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { OrganizationDocumentSchema } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { Organization } from "../../signer/core/organization/organization.ts"
import { possibleVotes } from "../../signer/core/policy/decision/credentials.ts"
import { decide } from "../../signer/core/policy/decision/decide.ts"
import { eligibleVoters } from "../../signer/core/policy/decision/eligible-votes.ts"
import { policiesOf } from "../../signer/core/policy/decision/policy-set.ts"
import { factsOf } from "../../signer/core/policy/facts/index.ts"
import { RequestFacts } from "../../signer/core/policy/facts/request-facts.ts"

/** UTF-8 bytes of the payload's text. */
export const PAYLOAD_MB = 0.9

/** 0.9 MB of UTF-8 in characters beyond Latin-1, which V8 stores in two bytes each. */
const TEXT = "\u00e9A\u20ac".repeat((PAYLOAD_MB * 1_000_000) / 6)

const FIELD = "eth.eip_712.message['text']"

/** Clauses that read the text in different ways; each policy repeats one of them. */
const CLAUSES: { readonly [kind: string]: string } = {
  "index at the start": `${FIELD}[0] == 'x'`,
  "index at the end": `${FIELD}[440000] == 'x'`,
  "slice at the end": `${FIELD}[439990..440000] == 'x'`,
  "text without case": `CaseInsensitiveString(${FIELD}) == 'x'`,
  "text in a list": `[${FIELD}].contains(${FIELD})`,
}

const NOW_MS = 1_767_225_600_000

/**
 * For each kind of clause an order on the large text, under as many policies as an organization may have. Each holds the
 * signer's thread as long as policies can: reading the text, the decision, and the users who could still vote.
 */
export function prepareLargeOrders(policies: number): { [kind: string]: () => unknown } {
  return Object.fromEntries(
    Object.entries(CLAUSES).map(([kind, clause]) => [kind, prepareOrder(clause, policies)]),
  )
}

function prepareOrder(clause: string, policies: number): () => unknown {
  const condition = Array.from({ length: 40 }, () => clause).join(" || ")
  const document = create(OrganizationDocumentSchema, {
    users: [
      {
        userId: "ann",
        apiKeys: [{ apiKeyId: "key", publicKey: "key", type: CredentialType.API_KEY_P256 }],
      },
    ],
    policies: Array.from({ length: policies }, (_, index) => ({
      policyId: String(index),
      effect: Effect.ALLOW,
      condition: `${condition} || ${index} == 0`,
      consensus: "approvers.count() >= 2",
    })),
  })
  const organization = new Organization(document, new Uint8Array(32), 0)
  const activity = activityTypes.get("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2")
  const [approval] = document.users.flatMap((user) => possibleVotes(user, NOW_MS))
  if (activity === undefined || approval === undefined)
    throw new Error("the bench knows no such activity or user")
  const parameters: { [name: string]: unknown } = { encoding: PayloadEncoding.EIP712, payload: PAYLOAD }
  return () => {
    const items = factsOf(
      { activity, parameters, holdings: () => ({}), interfaces: NO_INTERFACES },
      policiesOf(organization).roots,
    )
    const input = {
      organization,
      activity,
      parameters,
      submitterId: "ann",
      approvals: [approval],
      facts: new RequestFacts(items),
      nowMs: NOW_MS,
    }
    return [decide(input), eligibleVoters(input)]
  }
}

const PAYLOAD = JSON.stringify({
  types: { EIP712Domain: [], Note: [{ name: "text", type: "string" }] },
  primaryType: "Note",
  domain: {},
  message: { text: TEXT },
})
