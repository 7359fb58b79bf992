import { fromBinary } from "@bufbuild/protobuf"
import { recoverAddress } from "viem"
import { ActivityStatusSchema } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Outcome, RecoveredOutcome } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { nameOf, valueOf } from "../harness/api-client.ts"
import type { Observed } from "./oracle.ts"
import { PAYLOAD, type Prepared } from "./requests.ts"
import type { Answered } from "./messages.ts"

/** An answer in the oracle's words. */
export async function observedOf(answer: NonNullable<Answered>): Promise<Observed> {
  return answer.case === "refused"
    ? { is: "refused", code: nameOf(answer.value.code) }
    : observedOutcome(answer.value)
}

export async function observedOutcome(outcome: Outcome): Promise<Extract<Observed, { is: "outcome" }>> {
  const { decision, status, failure } = outcome
  const document = documentOf(outcome)
  return {
    is: "outcome",
    status: ActivityStatusSchema.value[status]?.localName as "COMPLETED",
    activityId: decision?.activityId ?? "",
    failure: failure === undefined ? "" : nameOf(failure.code),
    created: createdBy(outcome),
    version: outcome.document.length === 0 ? 0n : (document?.version ?? 0n),
    keys: document?.users.map(({ userId, apiKeys }) => ({ userId, keyId: apiKeys[0]?.apiKeyId ?? "" })) ?? [],
    isKept: outcome.unacknowledged,
    signer: await signerOf(outcome),
  }
}

/** The outcome of a request that was carried out without an answer. */
export function carriedOut(recovered: readonly RecoveredOutcome[], { request, sent }: Prepared): Answered {
  const found = recovered.find(
    ({ body, stamp }) =>
      Buffer.from(body).toString() === sent.body && stamp?.credential === request.publicKey,
  )
  return found?.outcome && { case: "outcome", value: found.outcome }
}

function documentOf({ document, createdOrganizations }: Outcome) {
  const bytes = document.length > 0 ? document : createdOrganizations[0]?.document
  return bytes && fromBinary(OrganizationDocumentSchema, fromBinary(NotarizedDocumentSchema, bytes).document)
}

function createdBy(outcome: Outcome): string[] {
  const result = outcome.result?.result
  switch (result?.case) {
    case "createUsersResult":
      return result.value.userIds
    case "createApiKeysResult":
      return result.value.apiKeyIds
    case "createPolicyResult":
      return [result.value.policyId]
    case "createUserTagResult":
      return [result.value.userTagId]
    case "createWalletResult":
      return [result.value.walletId, ...result.value.addresses]
    case "createWalletAccountsResult":
      return result.value.addresses
    case "createSubOrganizationResultV7":
      return [result.value.subOrganizationId, ...result.value.rootUserIds]
    default:
      return []
  }
}

/** The address whose key signed the payload; "": nothing was signed. */
async function signerOf(outcome: Outcome): Promise<string> {
  if (outcome.result?.result.case !== "signRawPayloadResult") return ""
  const { r, s, v } = valueOf(outcome, "signRawPayloadResult")
  const signature = { r: `0x${r}`, s: `0x${s}`, yParity: Number.parseInt(v, 16) } as const
  return recoverAddress({ hash: `0x${PAYLOAD}`, signature })
}
