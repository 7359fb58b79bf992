import { createECDH, createHash, type ECDH } from "node:crypto"

/** Customer of a sub-organization: all members follow from a number, so nothing is stored. */
export type Customer = {
  organizationId: string
  email: string
  phoneNumber: string
  /** Hexadecimal, compressed P-256. */
  publicKey: string
  credentialId: Uint8Array
  /** COSE_Key of the passkey, RFC 9053 section 7.1.1: EC2, ES256, P-256. */
  passkeyKey: Uint8Array
  subject: string
}

export const ISSUER = "https://issuer.bench.example"
export const AUDIENCE = "bench"

/** Customer `number`, from 0; ids ascend with it. */
export function customer(number: number): Customer {
  const seed = createHash("sha512").update(`customer ${number}`).digest()
  const key = keyPair(seed.subarray(0, 32))
  return {
    organizationId: organizationIdOf(number),
    email: `customer-${number}@bench.example`,
    phoneNumber: `+1555${String(number).padStart(8, "0")}`,
    publicKey: key.getPublicKey("hex", "compressed"),
    credentialId: seed.subarray(32),
    passkeyKey: coseKey(keyPair(createHash("sha256").update(seed).digest())),
    subject: `subject-${number}`,
  }
}

function keyPair(privateKey: Uint8Array): ECDH {
  const pair = createECDH("prime256v1")
  pair.setPrivateKey(privateKey)
  return pair
}

/** { 1: 2, 3: -7, -1: 1, -2: x, -3: y } in canonical CBOR. */
function coseKey(pair: ECDH): Uint8Array {
  const point = pair.getPublicKey()
  const head = Buffer.from("a5010203262001215820", "hex")
  return Buffer.concat([head, point.subarray(1, 33), Buffer.from("225820", "hex"), point.subarray(33)])
}

/** Long before any run: what is made through the API comes after all customers. */
export const BORN_MS = Date.UTC(2026, 0, 1)
const PER_MILLISECOND = 4096

/** A UUID of version 7 (RFC 9562 section 5.7); they ascend with the numbers. */
export function organizationIdOf(number: number): string {
  return idsOf(number)(0)
}

/** UUIDs of version 7 of one number, which differ in their last digits. */
export function idsOf(number: number): (last: number) => string {
  const milliseconds = (BORN_MS + Math.floor(number / PER_MILLISECOND)).toString(16).padStart(12, "0")
  const counter = (number % PER_MILLISECOND).toString(16).padStart(3, "0")
  const start = `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-7${counter}-8000-${counter.padEnd(8, "0")}`
  return (last) => `${start}${last.toString(16).padStart(4, "0")}`
}
