import { fromBinary, toBinary } from "@bufbuild/protobuf"
import { type BootProof, BootProofSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { Logger } from "../../common/logger.ts"
import { unavailable } from "../errors.ts"
import type { Signer } from "./signer.ts"
import { getBootProof, storeBootProof } from "../store/boot-proofs.ts"
import type { Database } from "../store/database.ts"

export type BootProofsDeps = { sql: Database; signer: Pick<Signer, "getBootProof">; log: Logger }

/**
 * Boot proofs of the signer's processes. Only a living process gives its own, and what it signed is verified later:
 * so it is kept when the first app proof of that process is. Whoever verifies trusts none of this.
 */
export class BootProofs {
  readonly #deps: BootProofsDeps
  readonly #kept = new Set<string>()

  constructor(deps: BootProofsDeps) {
    this.#deps = deps
  }

  /** Sees to it that proofs by this key can be verified later. That they cannot holds up no activity. */
  async keep(ephemeralKey: string): Promise<void> {
    if (this.#kept.has(ephemeralKey)) return
    try {
      const found = await this.find(ephemeralKey)
      if (found === undefined) this.#deps.log.warn({ ephemeralKey }, "no boot proof for this key")
    } catch (error) {
      this.#deps.log.warn({ err: error }, "a boot proof could not be kept yet")
    }
  }

  /** That of the process with this key, whether or not it still lives. */
  async find(ephemeralKey: string): Promise<BootProof | undefined> {
    const stored = await getBootProof(this.#deps.sql, ephemeralKey)
    if (stored !== undefined) {
      this.#kept.add(ephemeralKey)
      return fromBinary(BootProofSchema, stored)
    }
    const latest = await this.latest()
    return latest.ephemeralPublicKeyHex === ephemeralKey ? latest : undefined
  }

  /** That of the process which is running now. @throws ApiError 503 */
  async latest(): Promise<BootProof> {
    const { bootProof } = await this.#deps.signer.getBootProof()
    if (bootProof === undefined) throw unavailable("the signer gave no boot proof; try again")
    const { ephemeralPublicKeyHex: ephemeralKey, createdAt } = bootProof
    if (!this.#kept.has(ephemeralKey)) {
      const createdMs = Number(createdAt?.seconds ?? 0) * 1000
      const proof = toBinary(BootProofSchema, bootProof)
      await storeBootProof(this.#deps.sql, { ephemeralKey, createdMs, proof })
      this.#kept.add(ephemeralKey)
    }
    return bootProof
  }
}
