import { createPrivateKey } from "node:crypto"
import { readFile } from "node:fs/promises"
import { compressP256, p256Point } from "../../signer/core/crypto/p256.ts"
import { type Layout, programs } from "./layout.ts"
import { outputOf } from "./run-program.ts"

/**
 * The auth proxy's public key, for pairing the signer: from the key's file, or from the auth proxy's program, which makes the key at the
 * first start and names every fault of the file.
 */
export async function authProxyPublicKey(
  { authProxyKey }: Layout,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string> {
  const plain = await readFile(authProxyKey).catch(() => undefined)
  return (plain && publicKeyOf(plain)) ?? outputOf([programs.authProxy, "public-key"], environment, signal)
}

/** The public key of a private key of P-256 in PEM, as a compressed point; undefined: these bytes are none. */
function publicKeyOf(pem: Buffer): string | undefined {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyDetails?.namedCurve !== "prime256v1") return undefined
    return Buffer.from(compressP256(p256Point(key))).toString("hex")
  } catch {
    return undefined
  } finally {
    pem.fill(0)
  }
}
