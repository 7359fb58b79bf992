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

/**
 * Recover while orders are under way: each outcome has its receipt and is the same as before, and none is acknowledged. A process that
 * ends meanwhile, or is stopped, answers nothing. @throws Error
 */
export async function watchRecovered(run: Run): Promise<void> {
  const { signer } = run
  if (!signer.isRunning) return
  const { starts } = signer
  const before = acknowledgedIn(run)
  const recovered = await signer.recoverAll().catch((error: unknown) => {
    if (signer.isRunning && signer.starts === starts && signer.phase !== "stopping") throw error
    return []
  })
  const after = acknowledgedIn(run)
  for (const each of recovered) {
    const { organizationId, key } = await keptOf(run, each)
    const name = `${organizationId}/${key}`
    if (before.has(name) && after.has(name)) throw new Error(`an acknowledged outcome is recovered: ${name}`)
  }
}

function acknowledgedIn({ acknowledgements, world }: Run): Set<string> {
  acknowledgements.settle(world)
  const names = [...world.values()].flatMap(({ organizationId, done }) =>
    [...done].flatMap(([key, { acknowledged }]) =>
      acknowledged === "no" ? [] : [`${organizationId}/${key}`],
    ),
  )
  return new Set(names)
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
