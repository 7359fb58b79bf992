import { elementAt } from "../../../core/crypto/element.ts"
import { ownBytes, Secret, wipe } from "../../../core/crypto/secret.ts"
import { tapTweakOf } from "../address/taproot.ts"
import { secp256k1 } from "../engine.ts"
import {
  type Backend,
  compressPoint,
  hexOf,
  type OpenBackend,
  requireDigest,
  type Signable,
} from "./backend.ts"

const ODD_Y = 0x03

/** ECDSA (RFC 6979). */
export const openSecp256k1: OpenBackend = (secret) =>
  open(secret, (key) => {
    const scalar = Secret.copyOf(key)
    return {
      sign: (input) =>
        scalar.use((bytes) => {
          const { signature, recovery } = secp256k1.sign(requireDigest(input), bytes)
          return { signature: hexOf(signature), recovery }
        }),
      wipe: () => scalar.wipe(),
    }
  })

/** Schnorr signatures (BIP-340) by the key itself. */
export const openSchnorr: OpenBackend = (secret) =>
  open(secret, (key) => {
    const scalar = Secret.copyOf(key)
    return { sign: (input) => signSchnorr(input, scalar), wipe: () => scalar.wipe() }
  })

/**
 * Schnorr signatures for the key path of a Taproot output: by the private key of the output key (BIP-341, constructing
 * and spending Taproot outputs). The public key shown is the one without tweak. The key without script tree is kept; one with a tree is
 * made for its signature.
 */
export const openTaproot: OpenBackend = (secret) =>
  open(secret, (key, publicKey) => {
    const x = publicKey.subarray(1)
    const isOdd = elementAt(publicKey, 0) === ODD_Y
    const internal = Secret.copyOf(key)
    const tweaked = tweak(key, isOdd, tapTweakOf(x))
    return {
      sign(input) {
        if (!("digest" in input) || input.merkleRoot === undefined) return signSchnorr(input, tweaked)
        const withTree = internal.use((bytes) => tweak(bytes, isOdd, tapTweakOf(x, input.merkleRoot)))
        try {
          return signSchnorr(input, withTree)
        } finally {
          withTree.wipe()
        }
      },
      wipe() {
        internal.wipe()
        tweaked.wipe()
      },
    }
  })

/** `signing` makes what signs from the private key, which it copies, and its compressed point. */
function open(
  secret: Secret,
  signing: (bytes: Uint8Array, publicKey: Uint8Array) => Pick<Backend, "sign" | "wipe">,
): Backend {
  return secret.use((bytes) => {
    if (!secp256k1.isPrivateKey(bytes)) throw new RangeError("the bytes are not a private key of secp256k1")
    const uncompressed = secp256k1.publicKey(bytes, false)
    const publicKey = compressPoint(uncompressed)
    return { publicKey, uncompressed, ...signing(bytes, publicKey) }
  })
}

function signSchnorr(input: Signable, scalar: Secret): ReturnType<Backend["sign"]> {
  const digest = requireDigest(input)
  return { signature: scalar.use((key) => hexOf(secp256k1.signSchnorr(digest, key))), recovery: 0 }
}

/** Adds the tweak to the key, which is negated first if its point has an odd y. */
function tweak(bytes: Uint8Array, isOdd: boolean, by: Uint8Array): Secret {
  const key = ownBytes(bytes.length)
  key.set(bytes)
  try {
    if (isOdd) secp256k1.negatePrivateKey(key)
    secp256k1.addToPrivateKey(key, by)
    return Secret.copyOf(key)
  } finally {
    wipe(key)
  }
}
