import { createHash } from "node:crypto"
import { p256 } from "@noble/curves/nist.js"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import type { Assertion } from "../webauthn/assertion.ts"
import { type EcdsaCurve, readDerSignature } from "./der.ts"
import { curveOfScheme } from "./keys.ts"
import type { ApiKeyStamp } from "./read-stamp.ts"
import { eip191Digest, sha256OfBody } from "./large-body.ts"

const curves = { P256: p256, SECP256K1: secp256k1 } as const

/**
 * Every public key that the signature of a stamp fits, in lower-case hexadecimal, and the key that the header names. A
 * stamp covers neither the key nor the scheme of its header, so the keys of every ECDSA scheme count. An Ed25519
 * signature fits one key, because verification refuses points of small order and S at or above the order.
 * (Brendel et al., "The Provable Security of Ed25519", exclusive ownership.)
 */
export function fittingKeys(stamp: ApiKeyStamp, body: Uint8Array): string[] {
  if (curveOfScheme(stamp.scheme) === "ED25519") return [stamp.publicKeyHex]
  const digest = sha256OfBody(body)
  return [
    ...new Set([
      stamp.publicKeyHex,
      ...recoverKeys("P256", stamp.signature, [digest]),
      ...recoverKeys("SECP256K1", stamp.signature, [digest, eip191Digest(body)]),
    ]),
  ]
}

/** Every P-256 key that the signature of an assertion fits, compressed; none for a signature that is not ECDSA's. */
export function fittingPasskeyKeys({ authenticatorData, clientDataJson, signature }: Assertion): string[] {
  return recoverKeys("P256", signature, [sha256(Buffer.concat([authenticatorData, sha256(clientDataJson)]))])
}

/**
 * Public keys under which a DER signature verifies for one of the digests, compressed, in hexadecimal (SEC 1 §4.1.6).
 * The x coordinate of R is r or r + n, and R has one of two signs: Q = s/r·R - e/r·G. Empty for a signature that has
 * no such R.
 */
function recoverKeys(curve: EcdsaCurve, der: Uint8Array, digests: readonly Uint8Array[]): string[] {
  const scalars = readDerSignature(der, curve)
  if (scalars === undefined) return []
  const { Point } = curves[curve]
  const { Fn, Fp } = Point
  const [r, s] = [scalars.subarray(0, 32), scalars.subarray(32)].map((bytes) => Fn.fromBytes(bytes)) as [
    bigint,
    bigint,
  ]
  const inverse = Fn.inv(r)
  return [r, r + Fn.ORDER].flatMap((x) => {
    const point = Fp.isValid(x) ? pointAt(Point, Fp.toBytes(x)) : undefined
    if (point === undefined) return []
    const ofR = point.multiplyUnsafe(Fn.mul(s, inverse))
    return digests.flatMap((digest) => {
      const e = Fn.create(BigInt(`0x${Buffer.from(digest).toString("hex")}`))
      const ofG = Point.BASE.multiplyUnsafe(Fn.mul(Fn.neg(e), inverse))
      return [ofG.add(ofR), ofG.subtract(ofR)].filter((key) => !key.is0()).map((key) => key.toHex(true))
    })
  })
}

type CurvePoint = typeof p256.Point.BASE

function pointAt(Point: { fromBytes(bytes: Uint8Array): CurvePoint }, x: Uint8Array): CurvePoint | undefined {
  try {
    return Point.fromBytes(Buffer.concat([Buffer.of(0x02), x]))
  } catch {
    return undefined // not the x coordinate of a point
  }
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest()
}
