// CBOR of passkeys: what is read is written again as the same bytes.
import { CEREMONY_KINDS } from "../../../signer/core/fault.ts"
import { type CborValue, readCbor } from "../../../signer/core/webauthn/cbor.ts"
import { type Cbor, CborPairs, writeCbor } from "../../harness/cbor-writer.ts"
import { type Reader, requireTrue } from "../engine/reader.ts"
import { cbor as format } from "../formats/cbor.ts"
import { isFaultOf } from "./refusals.ts"

export const cbor: Reader<{ item: CborValue }> = {
  format,
  seeds: () =>
    [
      "a2616101616282820203f5",
      "a401020326200121",
      "83f4f6f5",
      "3a00010000",
      "1903e8",
      "62c3bc",
      "8181818181818100",
    ].map((hex) => Buffer.from(hex, "hex")),
  read: (input) => ({ item: readCbor(input) }),
  isRefusal: isFaultOf(...CEREMONY_KINDS),
  judge(input, outcome) {
    if ("value" in outcome)
      requireTrue(writeCbor(written(outcome.value.item)).equals(input), "two encodings are read")
  },
}

function written(value: CborValue): Cbor {
  if (value instanceof Map)
    return new CborPairs(...[...value].map(([name, item]) => [name, written(item as CborValue)] as const))
  return Array.isArray(value) ? value.map((one) => written(one)) : (value as Cbor)
}
