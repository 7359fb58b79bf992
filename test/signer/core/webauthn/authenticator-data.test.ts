import fc from "fast-check"
import t from "tap"
import { readAuthenticatorData } from "../../../../signer/core/webauthn/authenticator-data.ts"
import { Passkey } from "../../../harness/authenticator.ts"
import { CborPairs, writeCbor } from "../../../harness/cbor-writer.ts"
import { faultOf } from "./faults.ts"
import { runsOf } from "../../../harness/long.ts"

const passkey = new Passkey()
const head = (flags: number) => Buffer.concat([Buffer.alloc(32, 7), Buffer.of(flags), Buffer.alloc(4)])
const credential = (idLength = passkey.credentialId.length, id: Uint8Array = passkey.credentialId) =>
  Buffer.concat([passkey.aaguid, Buffer.of(idLength >> 8, idLength & 0xff), id, passkey.publicKey])
const extensions = writeCbor(new CborPairs(["credProtect", 2]))
const kindOf = (...parts: Uint8Array[]) => faultOf(() => readAuthenticatorData(Buffer.concat(parts)))

t.test("reads each part that the flags announce", async (t) => {
  t.match(readAuthenticatorData(head(0x01)), { isUserPresent: true, credential: undefined })
  t.match(readAuthenticatorData(head(0x1c)), { isUserPresent: false, credential: undefined })
  const whole = readAuthenticatorData(Buffer.concat([head(0xc1), credential(), extensions]))
  t.same(whole.rpIdHash, Buffer.alloc(32, 7))
  t.same(whole.credential?.credentialId, passkey.credentialId)
  t.same(whole.credential?.publicKey, passkey.publicKey)
  t.same(whole.credential?.aaguid, passkey.aaguid)
  t.equal(kindOf(head(0x81), extensions), "none", "extensions of an assertion")
  t.equal(kindOf(head(0x41), credential(1023, Buffer.alloc(1023))), "none", "the longest credential id")
})

t.test("refuses what the flags do not announce, and what they announce in vain", async (t) => {
  const refused: Record<string, Uint8Array[]> = {
    nothing: [],
    "a byte too few": [head(0x01).subarray(0, 36)],
    "a byte behind the head": [head(0x01), Buffer.of(0)],
    "a credential without flag": [head(0x01), credential()],
    "extensions without flag": [head(0x41), credential(), extensions],
    "a flag without credential": [head(0x41)],
    "a flag without extensions": [head(0xc1), credential()],
    "a credential that ends in its head": [head(0x41), credential().subarray(0, 17)],
    "a credential id that runs over the end": [head(0x41), credential(1000)],
    "no credential id": [head(0x41), credential(0, Buffer.alloc(0))],
    "a credential id of 1024 bytes": [head(0x41), credential(1024, Buffer.alloc(1024))],
    "a key that is cut off": [head(0x41), credential().subarray(0, -1)],
    "extensions that are no map": [head(0x81), writeCbor([1])],
    "extensions with bytes behind": [head(0x81), extensions, Buffer.of(0)],
    "a backup of what cannot be backed up": [head(0x11)],
  }
  for (const [what, parts] of Object.entries(refused)) t.equal(kindOf(...parts), "malformed", what)
})

t.test("bytes of any kind are read or refused, never more", async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 30, maxLength: 300 }), (bytes) => {
      t.match(
        faultOf(() => readAuthenticatorData(bytes)),
        /^(none|malformed)$/,
      )
    }),
    { numRuns: runsOf(1000) },
  )
})
