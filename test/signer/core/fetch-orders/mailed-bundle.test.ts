import { generateKeyPairSync } from "node:crypto"
import t from "tap"
import { openHpke } from "../../../../signer/core/crypto/hpke.ts"
import { Secret } from "../../../../signer/core/crypto/secret.ts"
import { openMailedBundle, sealMailedBundle } from "../../../../signer/core/fetch-orders/mailed-bundle.ts"

const p256 = () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
const RECIPIENT = p256()
const PLACE = {
  organizationId: "aaaaaaaa-0000-4000-8000-00000000000b",
  activityFingerprint: Uint8Array.from({ length: 32 }, (_, at) => at),
}
const BUNDLE = "2rYTZTnCR4dRkE6NnsHcGDDNvXKYXsp6Mb3Qv"

const seal = (place = PLACE) =>
  sealMailedBundle({ ephemeral: p256(), recipient: RECIPIENT }, place, Secret.copyOf(Buffer.from(BUNDLE)))

t.test("a bundle opens for its activity, and is as long as its parts", async (t) => {
  const sealed = seal()
  t.equal(sealed.length, 65 + BUNDLE.length + 16)
  t.equal(openMailedBundle(RECIPIENT, PLACE, sealed), BUNDLE)
  t.notOk(Buffer.from(sealed).includes(BUNDLE))
})

t.test("a bundle is an HPKE message of its own kind", async (t) => {
  const sealed = seal()
  const fields = [Buffer.from(PLACE.organizationId), PLACE.activityFingerprint].flatMap((part) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(part.length)
    return [length, part]
  })
  const open = (info: string) =>
    openHpke(
      { recipient: RECIPIENT, enc: sealed.subarray(0, 65) },
      { info: Buffer.from(info), aad: Buffer.concat(fields) },
      sealed.subarray(65),
    )
  t.equal(open("countersign/v1/mailed-bundle")?.length, BUNDLE.length)
  t.equal(open("countersign/v1/client-secret"), undefined)
})

t.test("a bundle opens for nothing else", async (t) => {
  const sealed = seal()
  t.equal(openMailedBundle(p256(), PLACE, sealed), undefined, "another fetcher's key")
  const { organizationId, activityFingerprint } = PLACE
  const others = {
    "another organization": { ...PLACE, organizationId: organizationId.replace("b", "c") },
    "another activity": { ...PLACE, activityFingerprint: activityFingerprint.toReversed() },
    // The same bytes, divided elsewhere.
    "fields of other lengths": {
      organizationId: `${organizationId}\0`,
      activityFingerprint: activityFingerprint.subarray(1),
    },
  }
  for (const [what, place] of Object.entries(others))
    t.equal(openMailedBundle(RECIPIENT, place, sealed), undefined, what)
  for (const at of sealed.keys()) {
    const changed = Uint8Array.from(sealed)
    changed[at]! ^= 1
    t.equal(openMailedBundle(RECIPIENT, PLACE, changed), undefined, `byte ${at} changed`)
  }
  for (const length of [0, 64, 65, 81, sealed.length - 1])
    t.equal(openMailedBundle(RECIPIENT, PLACE, sealed.subarray(0, length)), undefined, `${length} bytes`)
})
