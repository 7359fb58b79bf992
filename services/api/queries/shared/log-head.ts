import { counted } from "../../../../signer/core/counted.ts"
import { invalid } from "../../errors.ts"
import type { ServedHead } from "../../signer/served-log.ts"
import { hex } from "../../store/activity-row.ts"

/** Members of replies with the head of the log. */
export function logHeadMembers({ checkpoint, keyStatement, keySignature }: ServedHead) {
  return {
    checkpoint: Buffer.from(checkpoint).toString(),
    logKeyStatement: hex(keyStatement),
    logKeySignature: hex(keySignature),
  }
}

/** The size of a tree that the head covers; by default its own. @throws ApiError 400 */
export function readTreeSize(text: string | undefined, { size }: ServedHead, field: string): number {
  const given = text === undefined ? size : Number(text)
  if (given <= size) return given
  throw invalid(
    `${field}: the log's latest checkpoint has ${counted(size, "leaf", "leaves")}; name no more than that`,
    field,
  )
}
