import type { KeyObject } from "node:crypto"
import { readPublicKeySet } from "../../../signer/core/crypto/keyset.ts"
import { unavailable } from "../errors.ts"
import type { Signer } from "./signer.ts"

/** The key by which the signer signs sessions. It is asked for once: a deployment never changes it. */
export class NotarizerKey {
  readonly #signer: Pick<Signer, "getPins">
  #known: KeyObject | undefined

  constructor(signer: Pick<Signer, "getPins">) {
    this.#signer = signer
  }

  /** @throws ApiError 503 if the signer does not answer */
  async get(): Promise<KeyObject> {
    this.#known ??= await this.#read()
    return this.#known
  }

  async #read(): Promise<KeyObject> {
    const { pins } = await this.#signer.getPins()
    const key = readPublicKeySet(pins?.notarizerPublicKey ?? "")?.sign
    if (key === undefined) throw unavailable("the signer sent no pins; try again")
    return key
  }
}
