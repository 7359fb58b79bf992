// ECDSA signatures in DER: what is read has one strict form, which OpenSSL's own reader takes, as noble does.
import { p256 } from "@noble/curves/nist.js"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import {
  type EcdsaCurve,
  isDerSignature,
  readDerSignature,
  strictDerSignature,
  writeDerSignature,
} from "../../../signer/core/stamp/der.ts"
import { type Reader, requireSame, requireTrue } from "../engine/reader.ts"
import { der } from "../formats/der.ts"
import { isNoError } from "./refusals.ts"

const CURVES: readonly EcdsaCurve[] = ["P256", "SECP256K1"]
const NOBLE = { P256: p256, SECP256K1: secp256k1 } as const

type Read = { curve: EcdsaCurve; scalars: Uint8Array; strict: Uint8Array | undefined }

export const derSignature: Reader<Read[] | undefined> = {
  format: der,
  maxLength: 300,
  seeds: () => [
    Buffer.from("3006020101020101", "hex"),
    Buffer.from(`3046022100${"f1".repeat(32)}022100${"e2".repeat(32)}`, "hex"),
    Buffer.from(`3045022000${"31".repeat(31)}02210000${"42".repeat(31)}`, "hex"),
    // The greatest r and s of both curves, and the orders themselves.
    ...[p256, secp256k1].flatMap((curve) =>
      [curve.Point.Fn.ORDER - 1n, curve.Point.Fn.ORDER].map((scalar) =>
        Buffer.from(`3046022100${scalar.toString(16)}022100${scalar.toString(16)}`, "hex"),
      ),
    ),
  ],
  read(input) {
    const read = CURVES.flatMap((curve) => {
      const scalars = readDerSignature(input, curve)
      const strict = strictDerSignature(input, curve)
      requireTrue(isDerSignature(input, curve) === (scalars !== undefined), "the test of the form differs")
      requireTrue((strict === undefined) === (scalars === undefined), "a strict form of nothing, or none")
      return scalars === undefined ? [] : [{ curve, scalars, strict }]
    })
    return read.length === 0 ? undefined : read
  },
  isRefusal: isNoError,
  judge(input, outcome) {
    const read = "value" in outcome ? (outcome.value ?? []) : []
    for (const { curve, scalars, strict = input } of read) {
      requireSame(strict, Uint8Array.from(writeDerSignature(scalars)), "the strict form")
      requireSame(NOBLE[curve].Signature.fromBytes(strict, "der").toBytes(), scalars, "r and s of noble")
    }
    for (const curve of CURVES) {
      if (read.some((one) => one.curve === curve)) continue
      requireTrue(!isReadByNoble(input, curve), "a strict signature is refused")
    }
  },
}

function isReadByNoble(input: Buffer, curve: EcdsaCurve): boolean {
  try {
    return NOBLE[curve].Signature.fromBytes(input, "der").toBytes("der").length > 0
  } catch {
    return false
  }
}
