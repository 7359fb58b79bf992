// @peculiar/x509.
import "reflect-metadata"
import { X509Crl } from "@peculiar/x509"
import type { RevocationList } from "../../../signer/core/crypto/revocations.ts"
import { type Judge, requireSame } from "../engine/reader.ts"
import { ANSWER } from "../readers/certificates.ts"

export const judge: Judge<RevocationList | undefined> = {
  judge(input, outcome) {
    if (!("value" in outcome) || outcome.value === undefined) return
    // Unsigned lists are never used, so only signed lists are compared.
    if (!outcome.value.isOf(ANSWER.authority)) return
    const theirs = new X509Crl(Uint8Array.from(input))
    const serials = theirs.entries.map(({ serialNumber }) =>
      serialNumber.toUpperCase().replace(/^00(?=.)/, ""),
    )
    requireSame([...outcome.value.serials.keys()], serials, "@peculiar/x509")
  },
}
