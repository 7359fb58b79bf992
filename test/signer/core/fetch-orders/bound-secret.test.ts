import t from "tap"
import { bindSecret, readBoundSecret } from "../../../../signer/core/fetch-orders/bound-secret.ts"

const ACME = "aaaaaaaa-0000-4000-8000-00000000000b"
const TAG = "countersign/v1/client-secret:"

const organizationOf = (text: Uint8Array) => readBoundSecret("client-secret", text)?.organizationId

t.test("a bound text names its organization, whatever the secret is", async (t) => {
  for (const secret of ["s", "top secret", ":", TAG, `${TAG}${ACME}:s`, "très secrèt \u{1F511}", "\n"]) {
    const text = bindSecret("client-secret", ACME.toUpperCase(), Buffer.from(secret))
    t.equal(Buffer.from(text).toString(), `${TAG}${ACME}:${secret}`)
    t.equal(organizationOf(text), ACME)
  }
  t.equal(organizationOf(Buffer.from(`${TAG}${ACME.toUpperCase()}:s`)), ACME, "in capitals")
})

t.test("a bare text is bound to no organization", async (t) => {
  for (const secret of ["s", "countersign", TAG.slice(0, -1), ` ${TAG}${ACME}:s`, `${ACME}:s`])
    t.equal(organizationOf(Buffer.from(secret)), "", secret)
})

t.test("a text bound to something else, or without a secret, is none", async (t) => {
  const odd = ["", TAG, `${TAG}${ACME}`, `${TAG}${ACME}:`, `${TAG}${ACME} s`, `${TAG}acme:s`, `${TAG}:s`]
  for (const text of [...odd, `${TAG}${ACME.slice(1)}g:s`, `${TAG}${ACME.replaceAll("-", "x")}:s`])
    t.equal(organizationOf(Buffer.from(text)), undefined, text)
  t.equal(organizationOf(Buffer.from([0xff])), undefined, "not UTF-8")
})
