// Lists of revoked certificates, and the certificates of answers to hosts that join.
import { X509Certificate } from "node:crypto"
import {
  derOfList,
  pemOfList,
  readRevocationList,
  readRevocationLists,
  type RevocationList,
} from "../../../signer/core/crypto/revocations.ts"
import { writeCertificate } from "../../../signer/operator/authority/certificate.ts"
import { writeRevocationList } from "../../../signer/operator/authority/revocation-list.ts"
import { type Reader, requireSame } from "../engine/reader.ts"
import { der } from "../formats/der.ts"
import { isNoError } from "./refusals.ts"
import { p256KeyOf } from "./test-keys.ts"

const { privateKey, publicKey } = p256KeyOf(7)
const issuer = { name: "Authority", privateKey }
const FROM_MS = 1_767_225_600_000
const TO_MS = FROM_MS + 365 * 86_400_000

const certificateOf = (name: string, purpose: Parameters<typeof writeCertificate>[0]["purpose"]) =>
  new X509Certificate(
    writeCertificate(
      { name, publicKey, purpose, serial: Uint8Array.of(5, 6), fromMs: FROM_MS, toMs: TO_MS },
      issuer,
    ),
  )

const list = (serials: readonly string[]) =>
  writeRevocationList(
    {
      number: 300n,
      fromMs: FROM_MS,
      toMs: TO_MS,
      revoked: new Map(serials.map((serial) => [serial, { atMs: FROM_MS }])),
    },
    issuer,
  )

/** An answer to a host that joins. */
export const ANSWER = {
  certificate: certificateOf("api", { kind: "caller" }),
  authority: certificateOf("Authority", { kind: "authority" }),
  servers: [{ name: "signer", address: "signer.internal:7443" } as const],
  revocations: list(["0506"]),
}

export const revocationList: Reader<RevocationList | undefined> = {
  format: der,
  seeds: () => [list([]), list(["0506", "7F", "A0B1C2"])].map(derOfList),
  read(input) {
    const [inPem] = readRevocationLists(Buffer.from(pemOfList(input))) ?? []
    const read = readRevocationList(input)
    requireSame(inPem?.serials, read?.serials, "the list in PEM")
    return read
  },
  isRefusal: isNoError,
}
