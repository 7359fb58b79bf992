// Activities and boot proofs as an honest API tier returns them.
import { ActivityStatusSchema, VoteSelectionSchema } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { ResultSchema } from "../../proto/gen/countersign/api/v1/activities_pb.ts"
import { BootProofSchema } from "../../proto/gen/countersign/api/v1/resources_pb.ts"
import { create } from "@bufbuild/protobuf"
import { activityTypes } from "../../proto/catalog.ts"
import { readMessage } from "../../proto/read.ts"
import { writeJson } from "../../proto/write.ts"
import type { BootedSigner } from "../../signer/enclave/booted-signer.ts"
import { signerHandlers } from "../../signer/enclave/rpc/index.ts"
import { readStampHeaders, stampParts } from "../../signer/core/stamp/read-stamp.ts"
import { type ApiClient, type Answer, outcomeOf } from "./api-client.ts"
import { Passkey } from "./authenticator.ts"
import { fingerprintOf, stampBy, type StampHeader, type Stamper } from "./stamper.ts"

type Json = { [name: string]: unknown }

/** A body that asks for proofs. */
export function asking(client: ApiClient, type: string, organizationId: string, parameters: object): string {
  return JSON.stringify({
    ...(JSON.parse(client.body(type, organizationId, parameters)) as object),
    generateAppProofs: true,
  })
}

/** A submission or vote with its answer. */
export type Sent = { body: string; by: Stamper; stamp: StampHeader; answer: Answer }

export async function sent(client: ApiClient, body: string, by: Stamper): Promise<Sent> {
  const stamp = stampBy(by, body)
  return { body, by, stamp, answer: await client.send(body, by, stamp) }
}

/** The activity of a submission and of its votes, counted or not; the last answer has its status. */
export function shownActivity(submission: Sent, ...votes: readonly Sent[]): Json {
  const request = JSON.parse(submission.body) as { type: string; organizationId: string; parameters: Json }
  const outcome = outcomeOf((votes.at(-1) ?? submission).answer)
  const entry = activityTypes.get(request.type)!
  const { clean } = readMessage(entry.intentSchema, request.parameters, "parameters")
  const { activityId } = outcomeOf(submission.answer).decision!
  return {
    id: activityId,
    // The answer to a signature names no activity.
    organizationId: outcome.organizationId || request.organizationId,
    type: request.type,
    status: ActivityStatusSchema.value[outcome.status]!.name,
    fingerprint: `sha256:${fingerprintOf(submission.body)}`,
    intent: { [entry.intentName]: clean },
    result: outcome.result ? writeJson(ResultSchema, outcome.result) : {},
    votes: [submission, ...votes].map((vote) => shownVote(vote, activityId)),
    appProofs: outcome.appProofs.map(({ scheme, publicKey, proofPayload, signature }) => ({
      scheme,
      publicKey,
      proofPayload,
      signature,
    })),
  }
}

function shownVote({ body: message, by, stamp, answer }: Sent, activityId: string): Json {
  const { decision, selection } = outcomeOf(answer)
  const { voteId: id = "", userId = "" } = decision ?? {}
  const headers = {
    xStamp: stamp.xStamp ?? "",
    xStampWebauthn: stamp.xStampWebauthn ?? "",
    xStampAttested: stamp.xStampAttested ?? "",
  }
  const parts = stampParts(readStampHeaders(headers), by instanceof Passkey ? by.publicKey : undefined)
  const { scheme, publicKey, signature } = parts
  return {
    id,
    userId,
    user: { userId },
    activityId,
    selection: VoteSelectionSchema.value[selection]!.name,
    message,
    publicKey,
    signature,
    scheme,
  }
}

/** As get_boot_proof shows it. */
export async function bootProofOf(signer: BootedSigner): Promise<Json> {
  const { bootProof } = await signerHandlers.getBootProof({}, signer)
  return writeJson(BootProofSchema, create(BootProofSchema, bootProof))
}

export function pinsOf(signer: BootedSigner) {
  return signer.state().keyring.pins
}
