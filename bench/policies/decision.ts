import { NO_INTERFACES } from "../../signer/core/contract-interface/interfaces.ts"
import { generateKeyPairSync, randomBytes, sign, verify } from "node:crypto"
import { create } from "@bufbuild/protobuf"
import libsecp256k1 from "secp256k1/bindings.js"
import { activityTypes } from "../../proto/catalog.ts"
import { CredentialType, Effect } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { OrganizationDocumentSchema } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { Organization } from "../../signer/core/organization/organization.ts"
import { policiesOf } from "../../signer/core/policy/decision/policy-set.ts"
import { possibleVotes } from "../../signer/core/policy/decision/credentials.ts"
import { decide } from "../../signer/core/policy/decision/decide.ts"
import { factsOf } from "../../signer/core/policy/facts/index.ts"
import { RequestFacts } from "../../signer/core/policy/facts/request-facts.ts"

/** Policies of the organization whose signature is decided. */
export const DECIDING_POLICIES = 20

/** Policies of an organization that has one for each wallet. */
export const WALLET_POLICIES = 1_000

const WALLET = { id: "0198c0de-0000-7000-8000-000000000001", label: "main", imported: false, exported: false }
const ADDRESS = "0x08d2b0a37F869FF76BACB5Bab3278E26ab7067B7"

/**
 * The decision of a signature by a user without special rights, as the signer takes it once it has looked up the key: facts,
 * all policies, outcome.
 */
export function prepareDecision(conditions: readonly string[], consensus: readonly string[]): () => unknown {
  return decisionIn(organizationOf(inTurn(conditions), inTurn(consensus), DECIDING_POLICIES))
}

/** The first one is of the wallet that signs. */
function conditionOfWallet(index: number): string {
  const id = `${WALLET.id.slice(0, -4)}${String(index + 1).padStart(4, "0")}`
  return `activity.action == 'SIGN' && wallet.id == '${id}'`
}

/** The same where each wallet has a policy for one user. */
export function prepareWalletDecision(): () => unknown {
  return decisionIn(
    organizationOf(conditionOfWallet, () => "approvers.any(user, user.id == 'ann')", WALLET_POLICIES),
  )
}

function decisionIn(organization: Organization): () => unknown {
  const activity = activityTypes.get("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2")
  const [, user] = organization.document.users
  const [approval] = user === undefined ? [] : possibleVotes(user, 0)
  if (activity === undefined || approval === undefined)
    throw new Error("the bench knows no such activity or user")
  const { roots } = policiesOf(organization)
  const parameters: { [name: string]: unknown } = { signWith: ADDRESS, payload: "00".repeat(32) }
  const holdings = () => ({ wallet: WALLET, account: { address: ADDRESS } })
  return () =>
    decide({
      organization,
      activity,
      parameters,
      submitterId: approval.user.userId,
      approvals: [approval],
      facts: new RequestFacts(factsOf({ activity, parameters, holdings, interfaces: NO_INTERFACES }, roots)),
      nowMs: 1_767_225_600_000,
    })
}

type TextOf = (index: number) => string

function organizationOf(condition: TextOf, consensus: TextOf, count: number): Organization {
  const document = create(OrganizationDocumentSchema, {
    organizationId: "0198c0de-0000-7000-8000-000000000002",
    users: ["root", "ann", "ben", "cid", "dan"].map((userId) => ({
      userId,
      name: userId,
      tagIds: ["t1", "t2"],
      apiKeys: [{ apiKeyId: `${userId}-key`, publicKey: userId, type: CredentialType.API_KEY_P256 }],
    })),
    rootQuorum: { threshold: 1, userIds: ["root"] },
    policies: Array.from({ length: count }, (_, index) => ({
      policyId: String(index),
      name: String(index),
      effect: index % 4 === 3 ? Effect.DENY : Effect.ALLOW,
      condition: condition(index),
      consensus: consensus(index),
    })),
  })
  return new Organization(document, new Uint8Array(32), 0)
}

function inTurn(texts: readonly string[]): TextOf {
  return (index) => texts[index % texts.length] ?? "true"
}

/** Minimum cost of a signed request: two stamp checks and a signature, by the bare libraries. */
export function prepareFloor(): () => unknown {
  const body = randomBytes(360)
  const digest = randomBytes(32)
  const secret = randomBytes(32).fill(1, 0, 1)
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const stamp = sign("sha256", body, privateKey)
  return () => {
    verify("sha256", body, publicKey, stamp)
    verify("sha256", body, publicKey, stamp)
    return libsecp256k1.ecdsaSign(digest, secret)
  }
}
