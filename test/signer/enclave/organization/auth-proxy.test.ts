import t from "tap"
import { FeatureName } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { compile } from "../../../../signer/core/policy/expression.ts"
import { disableProxy, enableProxy } from "../../../../signer/enclave/organization/auth-proxy.ts"
import { storeFeature } from "../../../../signer/enclave/organization/features.ts"
import { draftOf } from "./drafts.ts"

const source = () => {
  let made = 0
  return {
    newId: () => `id ${(made += 1)}`,
    newAuthProxyKey: () => ({ publicKey: `key ${(made += 1)}`, sealedPrivateKey: new Uint8Array(113) }),
  }
}

t.test("an organization that set the feature before can enable the proxy, and disable it", async (t) => {
  const draft = draftOf()
  storeFeature(draft, FeatureName.AUTH_PROXY, "true")
  const userId = enableProxy(draft, source())
  t.equal(draft.document.authProxy?.userId, userId)
  t.match(draft.document.features, [{ name: FeatureName.AUTH_PROXY, value: "true" }])
  t.equal(draft.document.features.length, 1)
  disableProxy(draft)
  t.same(draft.document.features, [])
})

t.test("a feature that was set before is removed although nothing was enabled", async (t) => {
  const draft = draftOf()
  storeFeature(draft, FeatureName.AUTH_PROXY, "true")
  disableProxy(draft)
  t.same(draft.document.features, [])
  t.equal(draft.document.authProxy, undefined)
})

t.test("the expressions of the proxy's policy compile", async (t) => {
  const draft = draftOf()
  enableProxy(draft, source())
  const { condition = "", consensus = "" } = draft.document.policies.at(-1) ?? {}
  t.doesNotThrow(() => compile(condition, "condition"))
  t.doesNotThrow(() => compile(consensus, "consensus"))
})
