import { secp256k1 } from "../engine.ts"
import { compressPoint } from "../point.ts"
import { Secret } from "../../../core/crypto/secret.ts"
import { hexOf, type OpenBackend, requireDigest } from "./backend.ts"

export const openSecp256k1: OpenBackend = (secret) =>
  secret.use((bytes) => {
    if (!secp256k1.isPrivateKey(bytes)) throw new RangeError("these bytes are no private key of secp256k1")
    const scalar = Secret.copyOf(bytes)
    const uncompressed = secp256k1.publicKey(bytes, false)
    return {
      publicKey: compressPoint(uncompressed),
      uncompressed,
      sign(input) {
        const { signature, recovery } = scalar.use((key) => secp256k1.sign(requireDigest(input), key))
        return { signature: hexOf(signature), recovery }
      },
      wipe: () => scalar.wipe(),
    }
  })
