import { fromBinary, toBinary } from "@bufbuild/protobuf"
import { type BootProof, BootProofSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { Logger } from "../../common/logger.ts"
import { unavailable } from "../errors.ts"
import type { Signer } from "./signer.ts"
import { getBootProof, noteBootProofUse, storeBootProof, USE_RECORDED_MS } from "../store/boot-proofs.ts"
import type { Database } from "../../database/database.ts"

type BootProofsDeps = { sql: Database; signer: Pick<Signer, "getBootProof">; log: Logger }

/**
 * Boot proofs of the signer's processes. A process returns its boot proof only while it runs, but its app proofs are
 * verified later. So the boot proof is stored with the first app proof. Verifiers need not trust this tier.
 */
export class BootProofs {
  readonly #deps: BootProofsDeps
  readonly #stored = new Set<string>()
  /** When the use of a key was last recorded, Unix milliseconds. */
  readonly #used = new Map<string, number>()

  constructor(deps: BootProofsDeps) {
    this.#deps = deps
  }

  /** Stores the boot proof of a key that has made an app proof. A failure is logged and delays no activity. */
  async keep(ephemeralKey: string): Promise<void> {
    const nowMs = Date.now()
    const isRecorded = nowMs - (this.#used.get(ephemeralKey) ?? 0) < USE_RECORDED_MS / 2
    if (this.#stored.has(ephemeralKey) && isRecorded) return
    try {
      const found = await this.find(ephemeralKey)
      if (found === undefined) this.#deps.log.warn({ ephemeralKey }, "no boot proof for this key")
      await noteBootProofUse(this.#deps.sql, ephemeralKey, nowMs)
      this.#used.set(ephemeralKey, nowMs)
    } catch (error) {
      this.#deps.log.warn({ err: error }, "a boot proof could not be stored yet")
    }
  }

  /** The boot proof of the process with this key, whether it still runs or not. */
  async find(ephemeralKey: string): Promise<BootProof | undefined> {
    const stored = await getBootProof(this.#deps.sql, ephemeralKey)
    if (stored !== undefined) {
      this.#stored.add(ephemeralKey)
      return fromBinary(BootProofSchema, stored)
    }
    const latest = await this.latest()
    return latest.ephemeralPublicKeyHex === ephemeralKey ? latest : undefined
  }

  /** The boot proof of the running process. @throws ApiError 503 */
  async latest(): Promise<BootProof> {
    const { bootProof } = await this.#deps.signer.getBootProof()
    if (bootProof === undefined) throw unavailable("the signer sent no boot proof; try again")
    const { ephemeralPublicKeyHex: ephemeralKey, createdAt } = bootProof
    if (!this.#stored.has(ephemeralKey)) {
      const createdMs = Number(createdAt?.seconds ?? 0) * 1000
      const proof = toBinary(BootProofSchema, bootProof)
      await storeBootProof(this.#deps.sql, { ephemeralKey, createdMs, proof })
      this.#stored.add(ephemeralKey)
    }
    return bootProof
  }
}
