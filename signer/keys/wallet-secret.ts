import { Secret } from "./secret.ts"

/** Length of a BIP-39 seed, in bytes. */
const SEED_LENGTH = 64

/**
 * What is sealed of a wallet: the entropy, from which an export makes the words, and the seed, from which
 * accounts are derived without running PBKDF2 each time.
 *
 * entropy length(1) || entropy(16 to 32) || seed(64)
 */
export function packWalletSecret(entropy: Secret, seed: Secret): Secret {
  return entropy.use((entropyBytes) =>
    seed.use((seedBytes) => {
      const packed = Buffer.concat([Buffer.from([entropyBytes.length]), entropyBytes, seedBytes])
      const secret = Secret.copyOf(packed)
      packed.fill(0)
      return secret
    }),
  )
}

/** The seed of a packed wallet secret; the caller wipes it. */
export function seedOf(walletSecret: Secret): Secret {
  return walletSecret.use((bytes) => Secret.copyOf(bytes.subarray(bytes.length - SEED_LENGTH)))
}
