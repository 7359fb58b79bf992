import { elementAt } from "../../core/crypto/element.ts"
import { ownBytes, Secret } from "../../core/crypto/secret.ts"

/** Length of a BIP-39 seed, in bytes. */
const SEED_LENGTH = 64

/** Source of a wallet: the entropy of its words, and its passphrase as imported, in UTF-8. */
export type WalletSource = { readonly entropy: Secret; readonly passphrase?: Secret }

/**
 * Packs the secret that is sealed for a wallet: entropy and passphrase for exports, and the seed. Accounts are derived from the
 * seed without running PBKDF2 each time.
 *
 * entropy length(1) || entropy(16 to 32) || passphrase || seed(64)
 */
export function packWalletSecret({ entropy, passphrase }: WalletSource, seed: Secret): Secret {
  const parts = passphrase === undefined ? [entropy, seed] : [entropy, passphrase, seed]
  const packed = ownBytes(parts.reduce((sum, { length }) => sum + length, 1))
  packed[0] = entropy.length
  let at = 1
  for (const part of parts) {
    part.use((bytes) => packed.set(bytes, at))
    at += part.length
  }
  return Secret.moveFrom(packed)
}

/** The seed of a packed wallet secret; the caller wipes it. */
export function seedOf(walletSecret: Secret): Secret {
  return walletSecret.use((bytes) => Secret.copyOf(bytes.subarray(bytes.length - SEED_LENGTH)))
}

/** The source of a packed wallet secret; the passphrase is empty when there is none. The caller wipes both. */
export function sourceOf(walletSecret: Secret): Required<WalletSource> {
  return walletSecret.use((bytes) => {
    const end = 1 + elementAt(bytes, 0)
    return {
      entropy: Secret.copyOf(bytes.subarray(1, end)),
      passphrase: Secret.copyOf(bytes.subarray(end, bytes.length - SEED_LENGTH)),
    }
  })
}
