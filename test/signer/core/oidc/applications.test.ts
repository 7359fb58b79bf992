import t from "tap"
import { FeatureName } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { readApplications, requireApplication } from "../../../../signer/core/oidc/applications.ts"

const GOOGLE = "https://accounts.google.com"

t.test("C-1906: of stored applications each counts, also beside one that a newer rule refuses", async (t) => {
  const value = JSON.stringify({
    "no issuer": ["a"],
    [GOOGLE]: ["mine", "", 7, "mine"],
    "https://b.example": "*",
  })
  t.equal(readApplications(value), undefined, "no new value")
  const accepts = (issuer: string, audience: string, stored = value) => {
    const features = [{ name: FeatureName.OIDC_APPLICATIONS, value: stored }]
    try {
      requireApplication([{ organizationId: "acme", features } as never], { issuer, audience }, "field")
      return true
    } catch {
      return false
    }
  }
  t.ok(accepts(GOOGLE, "mine"))
  for (const [issuer, audience] of [
    [GOOGLE, "other"],
    ["https://b.example", "any"],
    ["https://c.example", "mine"],
  ] as const)
    t.notOk(accepts(issuer, audience), `${issuer} ${audience}`)
  for (const stored of ["no JSON", "[]", '"*"']) t.notOk(accepts(GOOGLE, "mine", stored), stored)
})
