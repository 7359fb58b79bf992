import { generateKeyPairSync } from "node:crypto"
import t from "tap"
import { sealClientSecret } from "../../../services/dashboard/api/seal-secret.ts"
import { openEnvelope } from "../../../signer/core/crypto/envelope.ts"
import { p256Point } from "../../../signer/core/crypto/p256.ts"
import { readBoundSecret } from "../../../signer/core/fetch-orders/bound-secret.ts"

const ORGANIZATION = "6f0b7c1e-1111-4222-8333-444455556666"

t.test(
  "a client secret that the browser seals opens with the fetcher's key alone, for one organization",
  async (t) => {
    const [own, other] = [
      generateKeyPairSync("ec", { namedCurve: "P-256" }),
      generateKeyPairSync("ec", { namedCurve: "P-256" }),
    ]
    const keySet = `${Buffer.from(p256Point(own.privateKey)).toString("hex")}${"00".repeat(65)}`
    const sealed = Buffer.from(await sealClientSecret(keySet, ORGANIZATION, "s3cret é"), "hex")
    const opened = openEnvelope(own.privateKey, sealed)
    t.ok(opened)
    const bound = opened?.use((bytes) => {
      const { organizationId, secret } = readBoundSecret("client-secret", bytes) ?? {}
      return { organizationId, secret: secret && Buffer.from(secret).toString() }
    })
    t.strictSame(bound, { organizationId: ORGANIZATION, secret: "s3cret é" })
    t.equal(openEnvelope(other.privateKey, sealed), undefined)
  },
)

t.test("nothing is sealed while the pins name no fetcher", async (t) => {
  await t.rejects(sealClientSecret("", ORGANIZATION, "x"), /name no fetcher/)
})
