import { ownBytes, Secret } from "../crypto/secret.ts"
import { refuse } from "../refusal.ts"
import type { SealedFile } from "./format.ts"
import { GivenShares } from "./given-shares.ts"
import { openByKey, openByPassphrase } from "./open.ts"
import { MAX_PASSPHRASE_LENGTH } from "./passphrase.ts"

/** The secret of one slot, as its bytes came: a share, a passphrase, or a command's key. */
export type SlotEvidence = { case: "share" | "passphrase" | "key"; value: Uint8Array }

/** Length of a command's key, bytes. */
export const COMMAND_KEY_LENGTH = 32

/** Takes the secrets of slots for one sealed seed. Each call is handled after the one before it. */
export class SeedOpener {
  readonly shares: GivenShares
  readonly #sealed: SealedFile

  constructor(sealed: SealedFile) {
    this.#sealed = sealed
    this.shares = new GivenShares(sealed)
  }

  /**
   * Copies and wipes the bytes, which may be a view of a network buffer.
   *
   * @returns the seed, which the caller wipes; undefined: more shares are needed
   * @throws the codes of `Unlock` in unlock.proto; afterwards nothing is open
   */
  async take(evidence: SlotEvidence, nowMs: number): Promise<Secret | undefined> {
    const own = ownBytes(evidence.value.length)
    own.set(evidence.value)
    evidence.value.fill(0)
    const secret = Secret.moveFrom(own)
    try {
      return await this.#open(evidence.case, secret, nowMs)
    } finally {
      secret.wipe()
    }
  }

  async #open(kind: SlotEvidence["case"], secret: Secret, nowMs: number): Promise<Secret | undefined> {
    switch (kind) {
      case "share":
        return this.shares.give(
          secret.use((bytes) => Uint8Array.from(bytes)),
          nowMs,
        )
      case "passphrase":
        if (secret.length > MAX_PASSPHRASE_LENGTH)
          throw refuse("PASSPHRASE_WRONG", `a passphrase has at most ${MAX_PASSPHRASE_LENGTH} bytes`)
        return openByPassphrase(this.#sealed, secret)
      case "key":
        if (secret.length !== COMMAND_KEY_LENGTH)
          throw refuse(
            "UNSEAL_KEY_WRONG",
            `the key of a command has ${COMMAND_KEY_LENGTH} bytes, this one ${secret.length}`,
          )
        return openByKey(this.#sealed, secret)
      default:
        return kind satisfies never
    }
  }
}
