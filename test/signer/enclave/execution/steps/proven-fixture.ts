import { createHash } from "node:crypto"
import { fromBinary, toBinary } from "@bufbuild/protobuf"
import { verifyAppProofSignature } from "@turnkey/crypto"
import t from "tap"
import { ResultSchema } from "../../../../../proto/gen/countersign/api/v1/activities_pb.ts"
import type { Outcome } from "../../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { NotarizedDocumentSchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { decisionContextDigest } from "../../../../../signer/core/proof/decision-context.ts"
import { ApiClient, ethereumAccount, outcomeOf, type Tenant } from "../../../../harness/api-client.ts"
import { InProcessBoundary } from "../../../../harness/boundary.ts"
import { type TestKey } from "../../../../harness/stamper.ts"

type Test = { teardown: (end: () => Promise<void>) => void }

export async function seatOf(t: Test) {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const client = new ApiClient(boundary)
  return { boundary, client, tenant: await client.createOrganization() }
}

/** A body that asks for proofs. */
export function asking(client: ApiClient, type: string, organizationId: string, parameters: object): string {
  const body = JSON.parse(client.body(type, organizationId, parameters)) as object
  return JSON.stringify({ ...body, generateAppProofs: true })
}

export async function proven(
  client: ApiClient,
  key: TestKey,
  type: string,
  { organizationId }: Tenant,
  parameters: object,
) {
  const body = asking(client, type, organizationId, parameters)
  return { body, outcome: outcomeOf(await client.send(body, key)) }
}

type Payload = {
  type: string
  timestampMs: string
  addressDerivationProof?: {
    organizationId: string
    walletId?: string
    derivationPath?: string
    address: string
  }
  policyOutcomeProof?: {
    organizationId: string
    outcome: string
    decisionContextDigest: string
    organizationDataDigest: string
    parentOrganizationDataDigest: string
    userRequestApprovals: { scheme: string; publicKey: string; message: string; signature: string }[]
  }
}

/** All payloads, each accepted by the published verifier. */
export function payloadsOf({ appProofs }: Outcome): Payload[] {
  for (const { publicKey, proofPayload, signature } of appProofs) {
    verifyAppProofSignature({
      scheme: "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256",
      publicKey,
      proofPayload,
      signature,
    })
  }
  t.ok(appProofs.every(({ scheme }) => scheme === "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256"))
  return appProofs.map(({ proofPayload }) => JSON.parse(proofPayload) as Payload)
}

export function decisionOf(outcome: Outcome) {
  const payload = payloadsOf(outcome).at(-1)
  t.equal(payload?.type, "APP_PROOF_TYPE_POLICY_OUTCOME", "the decision comes last")
  return payload!.policyOutcomeProof!
}

export function contextOf(
  outcome: Outcome,
  body: string,
  type: string,
  organizationId: string,
  approverIds: string[],
) {
  return decisionContextDigest({
    organizationId,
    activityId: outcome.decision!.activityId,
    activityType: type,
    fingerprint: createHash("sha256").update(body).digest(),
    submitterId: approverIds[0]!,
    result: outcome.result && toBinary(ResultSchema, outcome.result),
    approverIds,
  })
}

export function documentDigest(client: ApiClient, organizationId: string): string {
  const { document } = fromBinary(NotarizedDocumentSchema, client.documents.get(organizationId)!)
  return createHash("sha256").update(document).digest("hex")
}

export function wallet(walletName = "First") {
  return { walletName, accounts: [ethereumAccount(0)] }
}
