import { secp256k1 } from "../engine.ts"
import { compressPoint } from "../point.ts"
import { Secret } from "../secret.ts"
import { type OpenBackend, requireDigest } from "./backend.ts"

export const openSecp256k1: OpenBackend = (secret) =>
  secret.use((bytes) => {
    if (!secp256k1.isPrivateKey(bytes)) throw new RangeError("these bytes are no private key of secp256k1")
    const scalar = Secret.copyOf(bytes)
    const uncompressed = secp256k1.publicKey(bytes, false)
    return {
      publicKey: compressPoint(uncompressed),
      uncompressed,
      sign: (input) => scalar.use((key) => secp256k1.sign(requireDigest(input), key)),
      wipe: () => scalar.wipe(),
    }
  })
