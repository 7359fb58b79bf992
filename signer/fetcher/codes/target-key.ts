import type { CodeState } from "../../../proto/gen/countersign/state/v1/code_pb.ts"
import { isJsonObject, parseStrictJson } from "../../../proto/strict-json.ts"
import { clientContext } from "../../core/crypto/client-hpke.ts"
import { openHpke } from "../../core/crypto/hpke.ts"
import { type KeySet, signDer } from "../../core/crypto/keyset.ts"
import { isP256Scalar, p256Point, p256PrivateKey, uncompressP256 } from "../../core/crypto/p256.ts"
import { type RandomBytes, Secret, wiping } from "../../core/crypto/secret.ts"

/** A new scalar of P-256, 32 bytes. */
export function newTargetKey(random: RandomBytes): Uint8Array {
  for (;;) {
    const scalar = random(32)
    if (isP256Scalar(scalar)) return scalar
  }
}

/**
 * The key to seal a code to, as published clients read it: JSON text whose data the fetcher signed (DER, over SHA-256 of
 * the data). The format has no domain tag: what the fetcher signs otherwise begins with other bytes.
 */
export function targetBundle(
  { targetKey, organizationId }: Pick<CodeState, "targetKey" | "organizationId">,
  keySet: KeySet,
): string {
  const point = withKey(targetKey, (key) => p256Point(key))
  const targetPublic = Buffer.from(point).toString("hex")
  const data = Buffer.from(JSON.stringify({ targetPublic, organizationId, userId: "" }))
  return JSON.stringify({
    version: "v1.0.0",
    data: data.toString("hex"),
    dataSignature: Buffer.from(signDer(keySet, data)).toString("hex"),
    enclaveQuorumPublic: keySet.publicHex.slice(keySet.publicHex.length / 2),
  })
}

/** A code as the user gives it. `publicKey`: "" or a compressed point, lower-case hexadecimal. */
export type GivenCode = { code: string; publicKey: string }

/** Largest plaintext, bytes: a code, a key and their names. */
const MAX_PLAINTEXT = 1024

/** Opens a sealed code: JSON text {encappedPublic, ciphertext}, in it {otp_code, public_key}. Undefined for every fault. */
export function openSealedCode(text: string, targetKey: Uint8Array): GivenCode | undefined {
  const bundle = readMembers(text)
  const enc = bytesOf(bundle["encappedPublic"])
  const ciphertext = bytesOf(bundle["ciphertext"])
  if (enc?.length !== 65 || ciphertext === undefined || ciphertext.length > MAX_PLAINTEXT) return undefined
  const opened = withKey(targetKey, (recipient) =>
    openHpke({ recipient, enc }, clientContext(enc, recipient), ciphertext),
  )
  if (opened === undefined) return undefined
  return wiping([opened], () => {
    const { otp_code: code, public_key: key } = readMembers(
      opened.use((bytes) => Buffer.from(bytes).toString()),
    )
    const publicKey = typeof key === "string" ? key.toLowerCase() : ""
    return typeof code === "string" && isCompressedPoint(publicKey) ? { code, publicKey } : undefined
  })
}

/** True for a compressed point of P-256 in lower-case hexadecimal. */
export function isCompressedPoint(digits: string): boolean {
  return /^[0-9a-f]{66}$/.test(digits) && uncompressP256(Buffer.from(digits, "hex")) !== undefined
}

function withKey<T>(scalar: Uint8Array, use: (key: ReturnType<typeof p256PrivateKey>) => T): T {
  const secret = Secret.copyOf(scalar)
  return wiping([secret], () => use(p256PrivateKey(secret)))
}

function readMembers(text: string): { readonly [name: string]: unknown } {
  try {
    const value = parseStrictJson(text)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}

function bytesOf(digits: unknown): Uint8Array | undefined {
  return typeof digits === "string" && /^(?:[0-9a-fA-F]{2})+$/.test(digits)
    ? Uint8Array.from(Buffer.from(digits, "hex"))
    : undefined
}
