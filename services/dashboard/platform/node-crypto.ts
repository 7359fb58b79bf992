// `node:crypto`, as far as verifying in signer/core uses it. It verifies and hashes; no private key comes here.
import { ed25519 } from "@noble/curves/ed25519.js"
import { p256 } from "@noble/curves/nist.js"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js"
import { BrowserBuffer } from "./buffer.ts"
import { verifyRsa } from "./rsa.ts"

type Data = string | Uint8Array
type HashName = "sha256" | "sha384" | "sha512"
type Output = "hex" | "base64" | "base64url" | "binary"

const HASHES = { sha256, sha384, sha512 } as const
const CURVES = { p256, secp256k1 } as const

const bytesOf = (data: Data): Uint8Array => (typeof data === "string" ? BrowserBuffer.from(data) : data)

/** The digest of one text or list of bytes. */
export function hash(name: HashName, data: Data, output: Output | "buffer" = "hex"): BrowserBuffer | string {
  const bytes = digest(name, bytesOf(data))
  if (output === "buffer") return bytes
  return bytes.toString(output === "binary" ? "latin1" : output)
}

function digest(name: HashName, data: Uint8Array): BrowserBuffer {
  return BrowserBuffer.from(HASHES[name](Uint8Array.from(data)))
}

/** Data that come in parts, for one hash function. */
class Parts {
  readonly #parts: Uint8Array[] = []
  readonly hashName: HashName

  constructor(hashName: HashName) {
    this.hashName = hashName
  }

  update(data: Data): this {
    this.#parts.push(bytesOf(data))
    return this
  }

  joined(): BrowserBuffer {
    return BrowserBuffer.concat(this.#parts)
  }
}

class Hash extends Parts {
  digest(output?: Output): BrowserBuffer | string {
    return hash(this.hashName, this.joined(), output ?? "buffer")
  }
}

export const createHash = (name: HashName): Hash => new Hash(name)

type Material =
  | { kind: "ec"; curve: keyof typeof CURVES; point: Uint8Array }
  | { kind: "ed25519"; point: Uint8Array }
  | { kind: "rsa"; modulus: bigint; exponent: bigint; bytes: number }

/** A public key. */
export class KeyObject {
  readonly type = "public"
  readonly material: Material

  constructor(material: Material) {
    this.material = material
  }

  get asymmetricKeyType(): string {
    return this.material.kind
  }
}

type Jwk = { kty?: string; crv?: string; x?: string; y?: string; n?: string; e?: string }

/** Heads of SubjectPublicKeyInfo up to the key itself, and the key's curve (RFC 5480 §2, RFC 8410 §4). */
const SPKI: readonly (readonly [head: string, curve: keyof typeof CURVES | "ed25519"])[] = [
  ["3039301306072a8648ce3d020106082a8648ce3d030107032200", "p256"],
  ["3059301306072a8648ce3d020106082a8648ce3d030107034200", "p256"],
  ["3036301006072a8648ce3d020106052b8104000a032200", "secp256k1"],
  ["302a300506032b6570032100", "ed25519"],
]

/** @throws {Error} for a key of another kind, and for a point that is not on its curve */
export function createPublicKey(
  from: KeyObject | { key: Jwk; format: "jwk" } | { key: Uint8Array; format: "der"; type: "spki" },
): KeyObject {
  if (from instanceof KeyObject) return from
  return from.format === "jwk" ? keyOfJwk(from.key) : keyOfSpki(from.key)
}

function keyOfJwk({ kty, crv, x = "", y = "", n = "", e = "" }: Jwk): KeyObject {
  if (kty === "OKP" && crv === "Ed25519") return ed25519Key(fromBase64url(x))
  if (kty === "RSA") {
    const modulus = fromBase64url(n)
    const exponent = fromBase64url(e)
    return new KeyObject({
      kind: "rsa",
      modulus: bigint(modulus),
      exponent: bigint(exponent),
      bytes: modulus.length,
    })
  }
  const curve = crv === "P-256" ? "p256" : crv === "secp256k1" ? "secp256k1" : undefined
  if (kty !== "EC" || curve === undefined) throw new Error(`no key of kind ${kty} ${crv} is verified here`)
  return ecKey(curve, BrowserBuffer.concat([Uint8Array.of(4), fromBase64url(x), fromBase64url(y)]))
}

const fromBase64url = (text: string) => BrowserBuffer.from(text, "base64url")

function keyOfSpki(der: Uint8Array): KeyObject {
  const hex = BrowserBuffer.from(der).toString("hex")
  const [head, curve] = SPKI.find(([start]) => hex.startsWith(start)) ?? []
  if (head === undefined || curve === undefined) throw new Error("no key of this kind is verified here")
  const point = BrowserBuffer.from(hex.slice(head.length), "hex")
  return curve === "ed25519" ? ed25519Key(point) : ecKey(curve, point)
}

function ecKey(curve: keyof typeof CURVES, bytes: Uint8Array): KeyObject {
  const point = CURVES[curve].Point.fromBytes(Uint8Array.from(bytes))
  point.assertValidity()
  return new KeyObject({ kind: "ec", curve, point: point.toBytes(true) })
}

const ed25519Key = (point: Uint8Array) => new KeyObject({ kind: "ed25519", point: Uint8Array.from(point) })

type Form = { key: KeyObject; dsaEncoding?: "der" | "ieee-p1363"; padding?: number }

/** As Node.js verifies: a malformed signature is a false one. */
export function verify(
  name: HashName | null,
  data: Uint8Array,
  key: KeyObject | Form,
  signature: Uint8Array,
): boolean {
  const form = key instanceof KeyObject ? { key } : key
  const { material } = form.key
  const [message, signed] = [Uint8Array.from(data), Uint8Array.from(signature)]
  try {
    switch (material.kind) {
      case "ed25519":
        return name === null && ed25519.verify(signed, message, material.point, { zip215: false })
      case "ec": {
        if (name === null) return false
        const options = { prehash: false, lowS: false, format: encodingOf(form) } as const
        return CURVES[material.curve].verify(signed, HASHES[name](message), material.point, options)
      }
      case "rsa":
        return name !== null && verifyRsa(name, HASHES[name](message), material, signed)
      default:
        return material satisfies never
    }
  } catch {
    return false
  }
}

class Verify extends Parts {
  verify(key: KeyObject | Form, signature: Uint8Array): boolean {
    return verify(this.hashName, this.joined(), key, signature)
  }
}

export const createVerify = (name: HashName): Verify => new Verify(name)

const encodingOf = ({ dsaEncoding = "der" }: Form) => (dsaEncoding === "der" ? "der" : "compact")

export const ECDH = {
  /** Another form of a point of P-256. */
  convertKey(point: Uint8Array, _curve: string, _in: unknown, _out: unknown, form: string): BrowserBuffer {
    return BrowserBuffer.from(p256.Point.fromBytes(Uint8Array.from(point)).toBytes(form === "compressed"))
  },
}

export const constants = { RSA_PKCS1_PADDING: 1, RSA_PKCS1_PSS_PADDING: 6 } as const

const bigint = (bytes: BrowserBuffer) => BigInt(`0x${bytes.toString("hex") || "0"}`)

/** Functions that need a private key. Modules that verify import them beside others and never call them here. */
function needsPrivateKey(): never {
  throw new Error("the browser has no private key in clear")
}

export { needsPrivateKey as createPrivateKey, needsPrivateKey as hkdfSync, needsPrivateKey as sign }
