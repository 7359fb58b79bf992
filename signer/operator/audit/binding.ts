import { OperatorService } from "../../../proto/gen/countersign/signer/v1/operator_pb.ts"
import type { Pins } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import type { AuditBinding } from "../../core/audit/bound.ts"
import { LEAF_BYTES } from "../../core/log/leaf.ts"
import { HASH_BYTES } from "../../core/log/merkle.ts"
import { withService } from "../../process/socket-client.ts"

/** What the running signer shows of its log, and its own pins. */
export function readBinding(
  operatorSocket: string,
  waitSeconds: number,
): Promise<{ binding: AuditBinding; pins: Pins | undefined }> {
  return withService(OperatorService, operatorSocket, waitSeconds, async ({ readAudit, getStatus }) => {
    const { pins } = await getStatus({})
    const { checkpoint, keyStatement, keySignature, first, range, leaves, number } = await readAudit({})
    const binding = {
      checkpoint: Buffer.from(checkpoint).toString(),
      logKeyStatement: Buffer.from(keyStatement).toString("hex"),
      logKeySignature: Buffer.from(keySignature).toString("hex"),
      first: Number(first),
      range: parts(range, HASH_BYTES),
      leaves: parts(leaves, LEAF_BYTES),
      number: Number(number),
    }
    return { binding, pins }
  })
}

function parts(bytes: Uint8Array, length: number): Uint8Array[] {
  return Array.from({ length: bytes.length / length }, (_, at) => bytes.slice(at * length, (at + 1) * length))
}
