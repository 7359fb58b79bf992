import type {
  AddCheckpointRequest,
  ReadCosignedHeadRequest,
} from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import type { Secret } from "../../core/crypto/secret.ts"
import { MAX_ADD_CHECKPOINT_BYTES } from "../../core/log/add-checkpoint.ts"
import { addCheckpoint, type WitnessParts } from "../../core/log/witness.ts"
import { CosignedHeadStore } from "../../process/cosigned-heads.ts"
import { readKnownLogs } from "../../process/known-logs.ts"
import { errorFields, log } from "../../process/log.ts"
import { openWitnessKey } from "./key.ts"
import type { WitnessSettings } from "./settings.ts"

type Reply = { status: number; text: string }

/** The fetcher as a witness: it cosigns by the code of `countersign-witness`. */
export type FetcherWitness = {
  add(body: Uint8Array): Reply
  /** The last head of a log that was cosigned; undefined: there is none. */
  head(origin: string): Uint8Array | undefined
}

/** Opens store and keys of logs before the seed is. @throws {SettingsError} {StartError} */
export function openWitness(
  settings: WitnessSettings,
  nowMs: () => number,
): (seed: Secret) => FetcherWitness {
  const logs = readKnownLogs(settings.logsFile, "COUNTERSIGN_FETCHER_WITNESS_LOGS_FILE")
  const heads = new CosignedHeadStore(settings.headsFile, { isNew: false })
  return (seed) => witnessOf({ logs, heads, nowMs, signer: openWitnessKey(seed, settings, heads) })
}

const FAILED: Reply = {
  status: 503,
  text: "the store of heads failed, and only the next start can find out what it has: restart the fetcher",
}

/** After a failed write nothing is cosigned any more: the head that the database shows then may not be on the disk. */
export function witnessOf(parts: WitnessParts): FetcherWitness {
  let hasFailed = false
  return {
    add(body) {
      if (hasFailed) return FAILED
      if (body.length > MAX_ADD_CHECKPOINT_BYTES)
        return { status: 413, text: `a request has at most ${MAX_ADD_CHECKPOINT_BYTES} bytes` }
      try {
        return addCheckpoint(body, parts)
      } catch (error) {
        hasFailed = true
        log("error", "the store of heads failed: this fetcher cosigns nothing more", errorFields(error))
        return FAILED
      }
    },
    head: (origin) => parts.heads.read(origin)?.note,
  }
}

const NO_WITNESS: Reply = {
  status: 404,
  text: "this fetcher is no witness: set COUNTERSIGN_FETCHER_WITNESS_NAME",
}

type Context = { readonly witness: FetcherWitness | undefined }

/** Calls of the courier. */
export const witnessCalls = {
  async addCheckpoint({ body }: AddCheckpointRequest, { witness }: Context) {
    const { status, text } = witness?.add(Uint8Array.from(body)) ?? NO_WITNESS
    return { status, text }
  },
  async readCosignedHead({ origin }: ReadCosignedHeadRequest, { witness }: Context) {
    return { note: witness?.head(origin) ?? new Uint8Array(0) }
  },
}
