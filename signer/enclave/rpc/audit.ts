import { subtreesOf } from "../../core/log/merkle.ts"
import type { SignerContext } from "./context.ts"

/** The log's last leaves, of which the first binds the audit stream. */
export async function readAudit(_request: unknown, context: SignerContext) {
  const { log, keyring, audit } = context.state()
  await log.sign()
  const { signed } = log
  const size = signed.signed?.size ?? 0
  const first = log.auditIndex ?? size
  return {
    checkpoint: signed.signed?.note ?? new Uint8Array(0),
    keyStatement: keyring.log.statement,
    keySignature: keyring.log.signature,
    first: BigInt(first),
    range: Buffer.concat(subtreesOf(0, first).map(signed.read)),
    leaves: Buffer.concat(signed.leaves(first, size)),
    number: BigInt(audit?.number ?? 0),
    directory: audit?.directory ?? "",
  }
}
