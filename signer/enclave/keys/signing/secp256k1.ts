import { elementAt } from "../../../core/crypto/element.ts"
import { ownBytes, Secret, wipe } from "../../../core/crypto/secret.ts"
import { tapTweakOf } from "../address/taproot.ts"
import { secp256k1 } from "../engine.ts"
import { type Backend, compressPoint, hexOf, type OpenBackend, requireDigest } from "./backend.ts"

const ODD_Y = 0x03

/** ECDSA (RFC 6979). */
export const openSecp256k1: OpenBackend = (secret) =>
  open(
    secret,
    (key) => Secret.copyOf(key),
    (digest, key) => {
      const { signature, recovery } = secp256k1.sign(digest, key)
      return { signature: hexOf(signature), recovery }
    },
  )

/** Schnorr signatures (BIP-340) by the key itself. */
export const openSchnorr: OpenBackend = (secret) => open(secret, (key) => Secret.copyOf(key), signSchnorr)

/**
 * Schnorr signatures for the key path of a Taproot output: by the private key of the output key (BIP-341, constructing
 * and spending Taproot outputs). The public key shown is the one without tweak.
 */
export const openTaproot: OpenBackend = (secret) => open(secret, tweak, signSchnorr)

/** `signingKey` makes the key that signs from the private key and its compressed point. */
function open(
  secret: Secret,
  signingKey: (bytes: Uint8Array, publicKey: Uint8Array) => Secret,
  sign: (digest: Uint8Array, key: Uint8Array) => ReturnType<Backend["sign"]>,
): Backend {
  return secret.use((bytes) => {
    if (!secp256k1.isPrivateKey(bytes)) throw new RangeError("the bytes are not a private key of secp256k1")
    const uncompressed = secp256k1.publicKey(bytes, false)
    const publicKey = compressPoint(uncompressed)
    const scalar = signingKey(bytes, publicKey)
    return {
      publicKey,
      uncompressed,
      sign: (input) => scalar.use((key) => sign(requireDigest(input), key)),
      wipe: () => scalar.wipe(),
    }
  })
}

function signSchnorr(digest: Uint8Array, key: Uint8Array): ReturnType<Backend["sign"]> {
  return { signature: hexOf(secp256k1.signSchnorr(digest, key)), recovery: 0 }
}

/** Negates the key unless its point has an even y, and adds the tweak. */
function tweak(bytes: Uint8Array, publicKey: Uint8Array): Secret {
  const key = ownBytes(bytes.length)
  key.set(bytes)
  try {
    if (elementAt(publicKey, 0) === ODD_Y) secp256k1.negatePrivateKey(key)
    secp256k1.addToPrivateKey(key, tapTweakOf(publicKey.subarray(1)))
    return Secret.copyOf(key)
  } finally {
    wipe(key)
  }
}
