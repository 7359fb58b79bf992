// Headers with stamps. The first byte selects the header; the rest is its JSON, which is sent in base64url or as it is.
import { readStampHeaders, type Stamp, stampParts } from "../../../signer/core/stamp/read-stamp.ts"
import { ownVectors } from "../../harness/vectors.ts"
import { type Reader, requireSame } from "../engine/reader.ts"
import type { TreeFormat } from "../engine/tree.ts"
import { json } from "../formats/json.ts"
import { isAnyRefusal } from "./refusals.ts"

const HEADERS = ["xStamp", "xStampWebauthn", "xStampAttested"] as const
const PUBLIC_KEY = "02c5788bd7036eb2a87c00c6e776e93e0ed431bebdd4f1d531fd392772d5e97db0"
const SIGNATURE = "3006020101020101"
const token = (claims: object) =>
  `${Buffer.from('{"alg":"ES256"}').toString("base64url")}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.AAAA`
const WEBAUTHN = {
  authenticatorData: "AAAA",
  clientDataJson: "e30",
  credentialId: "AQID",
  signature: "MAYCAQECAQE",
}
const ATTESTED = {
  publicKeyAttestation: token({ iss: "https://issuer.example", aud: "app", sub: "alice" }),
  scheme: "STAMP_ATTESTED_SCHEME_P256_OIDC",
  publicKey: PUBLIC_KEY,
  signature: SIGNATURE,
}

const format: TreeFormat = {
  parse(input) {
    const tree = json.parse(input.subarray(1))
    return tree && { head: "", body: [{ head: "", body: input.subarray(0, 1) }, tree] }
  },
  write({ body }) {
    return Buffer.concat(Array.isArray(body) ? body.map(json.write) : [body])
  },
}

export const stamps: Reader<Stamp> = {
  format,
  seeds: () => [
    ...ownVectors<{ stamps: { scheme: string; publicKeyHex: string; signatureHex: string }[] }>(
      "stamps",
    ).stamps.map(
      ({ scheme, publicKeyHex, signatureHex }) =>
        `\0${JSON.stringify({ publicKey: publicKeyHex, scheme, signature: signatureHex })}`,
    ),
    `\u0001${JSON.stringify(WEBAUTHN)}`,
    `\u0002${JSON.stringify(ATTESTED)}`,
    `\u0004${JSON.stringify(WEBAUTHN)}`,
  ],
  read: (input) => readStampHeaders(headersOf(input)),
  isRefusal: isAnyRefusal,
  judge(input, outcome) {
    if ("refusal" in outcome) return
    const shown = JSON.parse(input.subarray(1).toString()) as { [name: string]: string }
    const { kind } = outcome.value
    const parts = stampParts(outcome.value)
    if (kind === "passkey") {
      const { signature, credentialId } = JSON.parse(parts.signature) as {
        signature: string
        credentialId: string
      }
      const plain = (name: string) => shown[name]?.replace(/=+$/, "")
      requireSame(
        [signature, credentialId],
        [plain("signature"), plain("credentialId")],
        "the passkey's parts",
      )
      return
    }
    const named = [shown["scheme"], shown["publicKey"]?.toLowerCase(), shown["signature"]?.toLowerCase()]
    requireSame([parts.scheme, parts.publicKey, parts.signature], named, "the stamp's parts")
  },
}

/** Bit 2 of the first byte: the JSON stands in the header as it is. */
function headersOf(input: Buffer): { [name in (typeof HEADERS)[number]]?: string } {
  const [first = 0] = input
  const text = input.subarray(1)
  return { [HEADERS[(first & 3) % 3]!]: (first & 4) === 0 ? text.toString("base64url") : text.toString() }
}
