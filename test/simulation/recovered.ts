import { toBinary } from "@bufbuild/protobuf"
import {
  type Outcome,
  OutcomeSchema,
  type RecoveredOutcome,
} from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { fingerprintOf } from "../harness/stamper.ts"
import { type KeptOutcome, takeRecovered } from "./kept-outcomes.ts"
import { observedOutcome } from "./observed.ts"
import type { Run } from "./run.ts"

/** Recover answers what the oracle expects, each outcome byte for byte as the first time. @throws Error */
export async function requireRecovered(run: Run): Promise<void> {
  run.acknowledgements.settle(run.world)
  const kept: KeptOutcome[] = []
  const recovered = await run.signer.recoverAll()
  for (const each of run.mutant.recovered?.(recovered) ?? recovered) kept.push(await keptOf(run, each))
  const fault = takeRecovered(run.world, kept)
  if (fault !== undefined) throw new Error(fault)
}

async function keptOf({ seen, auditor }: Run, recovered: RecoveredOutcome): Promise<KeptOutcome> {
  const { body, stamp } = recovered
  const outcome = recovered.outcome!
  const { voteId = "" } = outcome.decision ?? {}
  auditor.answered(Buffer.from(body), { case: "outcome", value: outcome })
  const bytes = bytesOf(outcome)
  const earlier = seen.get(voteId)
  if (earlier !== undefined) {
    if (Buffer.compare(bytes, earlier.bytes) !== 0)
      throw new Error(`an outcome is recovered otherwise than before`)
    return earlier.kept
  }
  const { organizationId } = JSON.parse(Buffer.from(body).toString()) as { organizationId: string }
  const key = `${fingerprintOf(body)}/${stamp?.credential}`
  const kept = { organizationId, key, outcome: await observedOutcome(outcome) }
  seen.set(voteId, { bytes, kept })
  return kept
}

/** The receipt of the log is not a part of what is kept. */
function bytesOf(outcome: Outcome): Uint8Array {
  const decision = { ...outcome.decision!, logReceipt: new Uint8Array(0) }
  return toBinary(OutcomeSchema, { ...outcome, decision })
}
