import type {
  ReadLogRequest,
  ReadLogTileRequest,
  ShowCheckpointRequest,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { TILE_HEIGHT, TILE_WIDTH } from "../../core/log/tiles.ts"
import { refuse } from "../../core/refusal.ts"
import { MAX_LOG_LEAVES } from "../../core/wire.ts"
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

/** Compares a checkpoint that someone kept with the log. @throws CHECKPOINT_INVALID */
export async function showCheckpoint({ checkpoint }: ShowCheckpointRequest, context: SignerContext) {
  const { signed } = context.state().log
  signed.show(checkpoint)
  return { contradicted: signed.contradiction !== undefined }
}

function invalid(field: string, sentence: string) {
  return refuse("REQUEST_INVALID", sentence, { field })
}
