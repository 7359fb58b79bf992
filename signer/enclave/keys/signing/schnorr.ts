import { tapTweakOf } from "../address/taproot.ts"
import { elementAt } from "../../../core/crypto/element.ts"
import { secp256k1 } from "../engine.ts"
import { compressPoint } from "../point.ts"
import { ownBytes, Secret, wipe } from "../../../core/crypto/secret.ts"
import { type Backend, hexOf, type OpenBackend, requireDigest } from "./backend.ts"

const ODD_Y = 0x03

/** A key of secp256k1 that signs by Schnorr (BIP-340) as it is. */
export const openSchnorr: OpenBackend = (secret) =>
  secret.use((bytes) => open(bytes, (key) => Secret.copyOf(key)))

/**
 * A key of secp256k1 that spends a Taproot output by its key path: Schnorr signatures by the private key of the output
 * key (BIP-341, constructing and spending Taproot outputs). The public key shown is the one without tweak.
 */
export const openTaproot: OpenBackend = (secret) => secret.use((bytes) => open(bytes, tweaked))

/** `signer`: makes of the key, and of its compressed point, the one that signs. */
function open(bytes: Uint8Array, signer: (bytes: Uint8Array, publicKey: Uint8Array) => Secret): Backend {
  if (!secp256k1.isPrivateKey(bytes)) throw new RangeError("these bytes are no private key of secp256k1")
  const uncompressed = secp256k1.publicKey(bytes, false)
  const publicKey = compressPoint(uncompressed)
  const scalar = signer(bytes, publicKey)
  return {
    publicKey,
    uncompressed,
    sign(input) {
      const digest = requireDigest(input)
      return { signature: hexOf(scalar.use((key) => secp256k1.signSchnorr(digest, key))), recovery: 0 }
    },
    wipe: () => scalar.wipe(),
  }
}

/** The private key whose point has an even y, plus the tweak. */
function tweaked(bytes: Uint8Array, publicKey: Uint8Array): Secret {
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
