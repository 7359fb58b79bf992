import { create, toBinary } from "@bufbuild/protobuf"
import {
  type ProbeRequest,
  ProbeStatementSchema,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { requirePhase } from "../phase.ts"
import type { SignerContext } from "./context.ts"
import { readNonce } from "./read-nonce.ts"

const PROBE_TAG = "countersign/v1/probe"

/** A signature that is good for nothing else: its tag is its own, and it says nothing but the nonce and the time. */
export async function probe(request: ProbeRequest, context: SignerContext) {
  requirePhase("probe", context.phase())
  const { keyring, nowMs } = context.work()
  const nonce = readNonce(request.nonce)
  const statement = toBinary(
    ProbeStatementSchema,
    create(ProbeStatementSchema, { nonce, statedAtMs: BigInt(nowMs()) }),
  )
  return { statement, signature: keyring.notary.sign(PROBE_TAG, statement) }
}
