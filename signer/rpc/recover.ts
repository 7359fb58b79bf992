import { fromBinary } from "@bufbuild/protobuf"
import {
  type RecoveredOutcome,
  RecoveredOutcomeSchema,
  type RecoverRequest,
} from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { DEPLOYMENT } from "../ledger/ledger.ts"
import { requirePhase } from "../phase.ts"
import type { SignerContext } from "./context.ts"

/** Outcomes in one page. */
const PAGE = 50

/** Outcomes that were not acknowledged, oldest first. */
export async function recover({ organizationId }: RecoverRequest, context: SignerContext) {
  requirePhase("recover", context.phase())
  const rows = context.work().ledger.rows(DEPLOYMENT, "outcome")
  const outcomes = rows
    .filter(({ key }) => organizationId === "" || key.startsWith(`${organizationId.toLowerCase()}/`))
    .map(({ value }) => fromBinary(RecoveredOutcomeSchema, value))
    .toSorted((a, b) => compare(decidedAt(a), decidedAt(b)))
  return { outcomes: outcomes.slice(0, PAGE) }
}

/** Vote ids grow with time, also within a millisecond. */
function decidedAt({ outcome }: RecoveredOutcome): string {
  return outcome?.decision?.voteId ?? ""
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
