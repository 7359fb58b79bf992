// Activities and boot proofs as an honest API tier shows them, for whoever verifies.
import { ActivityStatusSchema } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { ResultSchema } from "../../proto/gen/countersign/api/v1/activities_pb.ts"
import { BootProofSchema } from "../../proto/gen/countersign/api/v1/resources_pb.ts"
import { create } from "@bufbuild/protobuf"
import { activityTypes } from "../../proto/catalog.ts"
import { readMessage } from "../../proto/read.ts"
import { writeJson } from "../../proto/write.ts"
import type { Signer } from "../../signer/boot.ts"
import { getBootProof } from "../../signer/rpc/get-boot-proof.ts"
import { type ApiSeat, type Answer, outcomeOf } from "./api-seat.ts"
import { fingerprintOf } from "./stamper.ts"

type Json = { [name: string]: unknown }

/** A body that asks for proofs. */
export function asking(seat: ApiSeat, type: string, organizationId: string, parameters: object): string {
  return JSON.stringify({
    ...(JSON.parse(seat.body(type, organizationId, parameters)) as object),
    generateAppProofs: true,
  })
}

/** The activity of a body and of the votes on it; the last answer says where it stands. */
export function shownActivity(
  body: string,
  opened: Answer,
  further: readonly { body: string; answer: Answer }[] = [],
): Json {
  const request = JSON.parse(body) as { type: string; organizationId: string; parameters: Json }
  const outcome = outcomeOf(further.at(-1)?.answer ?? opened)
  const entry = activityTypes.get(request.type)!
  const { clean } = readMessage(entry.intentSchema, request.parameters, "parameters")
  const decision = JSON.parse(outcome.appProofs.at(-1)!.proofPayload) as {
    policyOutcomeProof: { userRequestApprovals: Json[] }
  }
  const voters = [opened, ...further.map(({ answer }) => answer)].map(
    (answer) => outcomeOf(answer).decision!.userId,
  )
  return {
    id: outcomeOf(opened).decision!.activityId,
    // Of a signature the answer is short and names none.
    organizationId: outcome.organizationId || request.organizationId,
    type: request.type,
    status: ActivityStatusSchema.value[outcome.status]!.name,
    fingerprint: `sha256:${fingerprintOf(body)}`,
    intent: { [entry.intentName]: clean },
    result: outcome.result ? writeJson(ResultSchema, outcome.result) : {},
    votes: decision.policyOutcomeProof.userRequestApprovals.map((approval, index) => ({
      ...approval,
      userId: voters[index],
    })),
    appProofs: outcome.appProofs.map(({ scheme, publicKey, proofPayload, signature }) => ({
      scheme,
      publicKey,
      proofPayload,
      signature,
    })),
  }
}

/** As get_boot_proof shows it. */
export async function bootProofOf(signer: Signer): Promise<Json> {
  const { bootProof } = await getBootProof({}, signer)
  return writeJson(BootProofSchema, create(BootProofSchema, bootProof))
}

export function pinsOf(signer: Signer) {
  return signer.work().keyring.pins
}
