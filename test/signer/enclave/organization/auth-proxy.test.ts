import { create, type MessageInitShape } from "@bufbuild/protobuf"
import t from "tap"
import { AuthProxySettingsSchema } from "../../../../proto/gen/countersign/api/v1/auth_proxy_pb.ts"
import { FeatureName } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { UpdateAuthProxyConfigIntentSchema } from "../../../../proto/gen/countersign/api/v1/intents/proxy_pb.ts"
import { AuthProxySchema } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { compile } from "../../../../signer/core/policy/expression.ts"
import {
  changeProxySettings,
  disableProxy,
  enableProxy,
} from "../../../../signer/enclave/organization/auth-proxy.ts"
import { storeFeature } from "../../../../signer/enclave/organization/features.ts"
import { draftOf, refusal } from "./drafts.ts"

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

t.test(
  "C-1904: settings that a newer rule refuses stay as they are while other settings change",
  async (t) => {
    const stored = {
      allowedOrigins: ["https://App.example", "https://no origin"],
      otpTemplateId: "a template of an earlier release",
      emailAuthTemplateId: "another",
      replyToEmailAddress: "nobody",
      sendFromEmailSenderName: "line\nline",
    }
    const settings = create(AuthProxySettingsSchema, { ...stored, otpLength: 6 })
    const authProxy = create(AuthProxySchema, { configId: "config", publicKey: "key", settings })
    const changed = (change: MessageInitShape<typeof UpdateAuthProxyConfigIntentSchema>) => {
      const draft = draftOf({ authProxy })
      changeProxySettings(draft, create(UpdateAuthProxyConfigIntentSchema, change))
      return draft.document.authProxy?.settings
    }
    t.match(changed({ otpLength: 8 }), { ...stored, otpLength: 8 })
    t.match(changed({ allowedOrigins: ["https://New.example"] }), {
      ...stored,
      allowedOrigins: ["https://new.example"],
    })
    t.match(changed({ sendFromEmailSenderName: "Acme" }), { ...stored, sendFromEmailSenderName: "Acme" })
    for (const change of [
      { replyToEmailAddress: "somebody" },
      { emailCustomizationParams: { appName: " " } },
    ])
      t.throws(() => changed(change), refusal("OTP_MESSAGE_INVALID"))
    t.throws(
      () => changed({ allowedOrigins: ["https://a.example", "https://no origin"] }),
      refusal("AUTH_PROXY_SETTING_INVALID", "parameters.allowedOrigins[1]"),
    )
    t.throws(
      () => changed({ otpTemplateId: "other" }),
      refusal("RESOURCE_UNKNOWN", "parameters.otpTemplateId"),
    )
    t.throws(
      () => changed({ emailAuthTemplateId: "new" }),
      refusal("AUTH_PROXY_SETTING_INVALID", "parameters.emailAuthTemplateId"),
    )
  },
)
