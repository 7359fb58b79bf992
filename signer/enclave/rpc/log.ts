import type {
  ReadLogConsistencyRequest,
  ReadLogRequest,
  ReadLogTileRequest,
  ShowCheckpointRequest,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { consistencyParts, hashesOf } from "../../core/log/proofs.ts"
import { TILE_HEIGHT, TILE_WIDTH } from "../../core/log/merkle.ts"
import { refuse } from "../../core/refusal.ts"
import { MAX_LOG_LEAVES } from "../../core/wire.ts"
import { phaseNumber } from "../phase.ts"
import type { SignerContext } from "./context.ts"

const MAX_TILE_LEVEL = 7

/** The log's latest checkpoint, and leaves that it covers. */
export async function readLog({ first, count }: ReadLogRequest, context: SignerContext) {
  if (count > MAX_LOG_LEAVES) throw invalid("count", `at most ${MAX_LOG_LEAVES} leaves are read at once`)
  const { log, keyring } = context.state()
  const from = Number(first)
  const leaves = count === 0 ? [] : log.signed.leaves(from, from + count)
  return {
    checkpoint: log.signed.signed?.note ?? new Uint8Array(0),
    keyStatement: keyring.log.statement,
    keySignature: keyring.log.signature,
    leaves: Buffer.concat(leaves),
    cosigned: log.witnesses.cosigned?.note ?? new Uint8Array(0),
    phase: phaseNumber(context.phase()),
  }
}

/** Hashes of the log's tree that the latest checkpoint covers. */
export async function readLogTile({ level, index, width }: ReadLogTileRequest, context: SignerContext) {
  const { signed, read } = context.state().log.signed
  const first = Number(index) * TILE_WIDTH
  const hashes = Math.floor((signed?.size ?? 0) / TILE_WIDTH ** level)
  if (level > MAX_TILE_LEVEL || width < 1 || width > TILE_WIDTH || first + width > hashes)
    throw invalid("index", "the latest checkpoint does not cover this tile")
  const at = (offset: number) => read({ level: level * TILE_HEIGHT, index: first + offset })
  return { hashes: Buffer.concat(Array.from({ length: width }, (_, offset) => at(offset))) }
}

/** The proof between two sizes of the log. */
export async function readLogConsistency(request: ReadLogConsistencyRequest, context: SignerContext) {
  const { signed, read } = context.state().log.signed
  const [oldSize, size] = [Number(request.oldSize), Number(request.size)]
  if (oldSize > size || size > (signed?.size ?? 0))
    throw invalid(
      "size",
      "the latest checkpoint does not cover a log of this size, or the old size is larger",
    )
  return { hashes: hashesOf(consistencyParts(oldSize, size), read) }
}

/** Compares a checkpoint that someone kept with the log, and counts its cosignatures. @throws CHECKPOINT_INVALID, REQUEST_INVALID */
export async function showCheckpoint(request: ShowCheckpointRequest, context: SignerContext) {
  const { checkpoint, cosignatures, reports } = request
  if (cosignatures.length > MAX_REPLIES)
    throw invalid("cosignatures", `at most ${MAX_REPLIES} replies are read`)
  const { log: decisionLog } = context.state()
  const counted = decisionLog.show(checkpoint, cosignatures, reports)
  const { policy } = decisionLog.witnesses
  return {
    contradicted: decisionLog.contradiction !== undefined,
    counted,
    witnesses: policy.keys.length,
    answersWait: policy.beforeAnswer,
  }
}

/** More witnesses than any deployment has. */
const MAX_REPLIES = 64

function invalid(field: string, sentence: string) {
  return refuse("REQUEST_INVALID", sentence, { field })
}
