import { scrypt } from "node:crypto"
import { ownBytes, Secret } from "../crypto/secret.ts"
import type { PassphraseSlot } from "../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"

const KEY_LENGTH = 32
/** Fixed, so that a file cannot choose them (RFC 7914 section 2). */
const [BLOCK_SIZE, PARALLELIZATION] = [8, 1]
/** A passphrase is all that protects a stolen file: five words of a list, or so many random letters. */
export const MIN_PASSPHRASE_LENGTH = 15
export const MAX_PASSPHRASE_LENGTH = 1024

/** The slot's key: scrypt of the passphrase's bytes, computed beside the event loop. */
export function keyOfPassphrase(
  passphrase: Secret,
  { salt, costLog2 }: Pick<PassphraseSlot, "salt" | "costLog2">,
): Promise<Secret> {
  const cost = 2 ** costLog2
  // Twice what the computation takes: Node counts a little more than 128 * N * r.
  const maxmem = 2 * 128 * cost * BLOCK_SIZE
  const options = { cost, blockSize: BLOCK_SIZE, parallelization: PARALLELIZATION, maxmem }
  return new Promise((resolve, reject) => {
    passphrase.use((bytes) =>
      scrypt(bytes, salt, KEY_LENGTH, options, (error, key) =>
        error === null ? resolve(Secret.moveFrom(key)) : reject(error),
      ),
    )
  })
}

/** Bytes of a typed passphrase: NFKD, as BIP-39 has it, so that every keyboard gives the same. */
export function readPassphrase(text: string): Secret {
  const encoded = new TextEncoder().encode(text.normalize("NFKD"))
  const own = ownBytes(encoded.length)
  own.set(encoded)
  encoded.fill(0)
  return Secret.moveFrom(own)
}
