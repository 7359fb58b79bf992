import { createPublicKey, type KeyObject } from "node:crypto"
import { ed25519 } from "@noble/curves/ed25519.js"
import type { ApiKeyCurve } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RecentlyUsed } from "../recently-used.ts"
import { refuse } from "../refusal.ts"
import { type Curve, curveOfApiKey } from "./scheme.ts"

// SubjectPublicKeyInfo up to the key itself: RFC 5480 §2 with compressed points, RFC 8410 §4.
const forms: Readonly<Record<Curve, { spkiPrefix: Buffer; hex: RegExp }>> = {
  P256: {
    spkiPrefix: Buffer.from("3039301306072a8648ce3d020106082a8648ce3d030107032200", "hex"),
    hex: /^0[23][0-9a-f]{64}$/,
  },
  SECP256K1: {
    spkiPrefix: Buffer.from("3036301006072a8648ce3d020106052b8104000a032200", "hex"),
    hex: /^0[23][0-9a-f]{64}$/,
  },
  ED25519: { spkiPrefix: Buffer.from("302a300506032b6570032100", "hex"), hex: /^[0-9a-f]{64}$/ },
}

/** Keys kept parsed, for each curve; parsing costs as much as verifying. A KeyObject takes about 1 KiB. */
const MAX_CACHED_KEYS = 4096

const caches: Readonly<Record<Curve, RecentlyUsed<string, KeyObject>>> = {
  P256: new RecentlyUsed(MAX_CACHED_KEYS),
  SECP256K1: new RecentlyUsed(MAX_CACHED_KEYS),
  ED25519: new RecentlyUsed(MAX_CACHED_KEYS),
}

/**
 * Whether the text has the form of a key of the curve: lower-case hex of a 33-byte compressed SEC1 point, or of 32 bytes
 * for Ed25519. Whether it is a point is not checked.
 */
export function isPublicKeyHex(curve: Curve, hex: string): boolean {
  return forms[curve].hex.test(hex)
}

/**
 * The key in lower-case hex, as it is stored and looked up. Used wherever an API key is registered; a wallet that stamps
 * by EIP-191 registers a SECP256K1 key.
 *
 * @throws Refusal PUBLIC_KEY_INVALID: not of the curve's length, not compressed, off the curve, a coordinate
 *   not below the field's prime, a point of small order
 */
export function requirePublicKey(curve: ApiKeyCurve, hex: string, field?: string): string {
  const canonical = hex.toLowerCase()
  const known = curveOfApiKey(curve)
  if (known !== undefined && findPublicKey(known, canonical) !== undefined) return canonical
  throw refuse(
    "PUBLIC_KEY_INVALID",
    `the public key is no compressed point of the curve ${known ?? "it names"}, in hex`,
    field === undefined ? {} : { field },
  )
}

/** The parsed key of canonical hex, from a bounded cache; undefined if invalid. */
export function findPublicKey(curve: Curve, hex: string): KeyObject | undefined {
  const cached = caches[curve].get(hex)
  if (cached !== undefined) return cached
  const key = parsePublicKey(curve, hex)
  if (key !== undefined) caches[curve].set(hex, key)
  return key
}

function parsePublicKey(curve: Curve, hex: string): KeyObject | undefined {
  if (!isPublicKeyHex(curve, hex)) return undefined
  if (curve === "ED25519" && !isSoundEd25519Key(hex)) return undefined
  try {
    const der = Buffer.concat([forms[curve].spkiPrefix, Buffer.from(hex, "hex")])
    return createPublicKey({ key: der, format: "der", type: "spki" })
  } catch {
    return undefined // not the x coordinate of a point
  }
}

/** OpenSSL accepts any 32 bytes, so RFC 8032 §5.1.3 decoding and the eight points of small order are checked here. */
function isSoundEd25519Key(hex: string): boolean {
  try {
    return !ed25519.Point.fromHex(hex, false).isSmallOrder()
  } catch {
    return false
  }
}
