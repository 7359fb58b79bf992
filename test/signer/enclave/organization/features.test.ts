import t from "tap"
import { FeatureName, FeatureNameSchema } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { featureOf } from "../../../../signer/core/organization/organization.ts"
import { removeFeature, setFeature } from "../../../../signer/enclave/organization/features.ts"
import { requireApplication } from "../../../../signer/core/oidc/applications.ts"
import { originsOf } from "../../../../signer/core/webauthn/client-data.ts"
import { draftOf, refusal } from "./drafts.ts"

const { WEBAUTHN_ORIGINS, WEBHOOK } = FeatureName
const READ_SWITCHES: readonly FeatureName[] = [
  FeatureName.AUTH_PROXY,
  FeatureName.STRICT_DENY,
  FeatureName.SMS_AUTH,
  FeatureName.OTP_EMAIL_AUTH,
  FeatureName.SEALED_OTP_ONLY,
  FeatureName.ROOT_USER_EMAIL_RECOVERY,
  FeatureName.EMAIL_AUTH,
  FeatureName.EMAIL_RECOVERY,
]

const spelled = (name: FeatureName) => FeatureNameSchema.value[name]?.name ?? ""

/** The stored form of a value; "not served" when only the feature is refused, undefined when the value is. */
function stored(name: FeatureName, value: string): string | undefined {
  const draft = draftOf()
  try {
    setFeature(draft, name, value, "parameters")
  } catch (error) {
    const { code, field } = error as { code?: string; field?: string }
    if (code === "FEATURE_NOT_SERVED" && field === "parameters.name") return "not served"
    if (code !== "FEATURE_VALUE_INVALID" || field !== "parameters.value") throw error
    return draft.nextVersion(1n) === undefined ? undefined : "refused, and changed"
  }
  return featureOf(draft.document, name)?.value
}

t.test("switch features take no value or true", async (t) => {
  for (const name of READ_SWITCHES) {
    t.equal(stored(name, ""), "true", spelled(name))
    t.equal(stored(name, "true"), "true")
    for (const value of ["false", "TRUE", "1", " true", "on"]) t.equal(stored(name, value), undefined, value)
  }
})

t.test("the webhook feature takes an https URL that does not lead inside", async (t) => {
  const good = [
    "https://hooks.example.com",
    "https://example.com:8443/a/b?c=d",
    "https://[2606:4700::1111]/x",
  ]
  for (const value of good) t.equal(stored(WEBHOOK, value), value)
  const bad = [
    "",
    "true",
    "http://hooks.example.com",
    "//hooks.example.com",
    "https://",
    "https://user@example.com",
    "https://user:word@example.com",
    "https://example.com/#part",
    "https://example.com/#",
    "https://exa mple.com",
    " https://example.com",
    "https://example.com/\n",
    "https:\\\\example.com",
    "javascript:alert(1)",
    `https://example.com/${"a".repeat(2048)}`,
    "https://127.0.0.1/",
    "https://0x7f000001/",
    "https://169.254.169.254/latest/meta-data",
    "https://192.168.1.1:8443",
    "https://[::1]:8443/",
    "https://[::ffff:169.254.169.254]/",
    "https://localhost/hook",
    "https://metadata.google.internal/",
    "https://database:5432/",
  ]
  for (const value of bad) t.equal(stored(WEBHOOK, value), undefined, JSON.stringify(value.slice(0, 40)))
})

const EXTENSION = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"

t.test("the passkey origins are one, several separated by commas, or a JSON list", async (t) => {
  const android = `android:apk-key-hash:${"A".repeat(43)}`
  const read = (value: string) => originsOf({ features: [{ name: WEBAUTHN_ORIGINS, value }] })
  const lists: [value: string, origins: string[]][] = [
    ["https://app.example.com", ["https://app.example.com"]],
    ["https://app.example.com:8443", ["https://app.example.com:8443"]],
    ["http://localhost:3000", ["http://localhost:3000"]],
    ["http://app.localhost", ["http://app.localhost"]],
    [android, [android]],
    [EXTENSION, [EXTENSION]],
    [
      "moz-extension://2f1f8a14-56dc-4dfa-90f5-1b4c9b8f7e11",
      ["moz-extension://2f1f8a14-56dc-4dfa-90f5-1b4c9b8f7e11"],
    ],
    ["capacitor://localhost, tauri://localhost", ["capacitor://localhost", "tauri://localhost"]],
    ["https://a.example, https://b.example", ["https://a.example", "https://b.example"]],
    ['["https://a.example","https://b.example"]', ["https://a.example", "https://b.example"]],
  ]
  for (const [value, origins] of lists) {
    t.equal(stored(WEBAUTHN_ORIGINS, value), value)
    t.same(read(value), origins)
  }
})

t.test("passkey origins that are invalid or not in canonical form are refused", async (t) => {
  const bad = [
    "",
    "*",
    "true",
    "app.example.com",
    "https://app.example.com/",
    "https://app.example.com/login",
    "https://App.example.com",
    "https://app.example.com:443",
    "https://user@app.example.com",
    "http://app.example.com",
    "http://localhost.example.com",
    "android:apk-key-hash:short",
    "https://*.example.com",
    "https://app.example.*",
    "chrome-extension://*",
    '["https://app.example.com","https://*.example.com"]',
    `${EXTENSION}/`,
    "Capacitor://localhost",
    "capacitor://",
    "null",
    "https://a.example,",
    "https://a.example,https://a.example",
    "https://a.example https://b.example",
    "[]",
    "[1]",
    '["https://a.example"',
    '["https://a.example","nonsense"]',
    '["https://a.example","\\u0068ttps://b.example"]',
    '["https:\\/\\/a.example"]',
    Array.from({ length: 33 }, (_, index) => `https://a${index}.example`).join(),
  ]
  for (const value of bad) t.equal(stored(WEBAUTHN_ORIGINS, value), undefined, value.slice(0, 60))
})

t.test("the applications of OIDC issuers are client ids by issuer, in a JSON object", async (t) => {
  const { OIDC_APPLICATIONS } = FeatureName
  const id = "a".repeat(256)
  const good = [
    "{}",
    '{"https://accounts.google.com":["1.apps.googleusercontent.com"]}',
    '{"https://login.example/tenant":["one","two"],"http://127.0.0.1:8080":["*"]}',
    JSON.stringify({ "https://login.example": [id] }),
  ]
  for (const value of good) t.equal(stored(OIDC_APPLICATIONS, value), value)
  const many = Array.from({ length: 65 }, (_, index) => String(index))
  const bad = [
    "",
    "true",
    "[]",
    "null",
    "*",
    '{"*":["*"]}',
    '{"accounts.google.com":["x"]}',
    '{"https://Login.example":["x"]}',
    '{"https://login.example/?x":["x"]}',
    '{"https://login.example":"x"}',
    '{"https://login.example":[]}',
    '{"https://login.example":[""]}',
    '{"https://login.example":[1]}',
    '{"https://login.example":["x","x"]}',
    '{"https://login.example":["x"],"https://login.example":["y"]}',
    JSON.stringify({ "https://login.example": [`${id}a`] }),
    JSON.stringify({ "https://login.example": many }),
    JSON.stringify(Object.fromEntries(many.map((name) => [`https://${name}.example`, ["x"]]))),
  ]
  for (const value of bad) t.equal(stored(OIDC_APPLICATIONS, value), undefined, value.slice(0, 60))
})

t.test("an unreadable list of applications accepts no token", async (t) => {
  const document = draftOf({
    features: [{ name: FeatureName.OIDC_APPLICATIONS, value: "nonsense" }],
  }).document
  const identity = { issuer: "https://login.example", audience: "app" }
  const attempt = () => requireApplication([document], identity, "parameters.oidcToken")
  t.throws(attempt, refusal("OIDC_APPLICATION_NOT_ALLOWED", "parameters.oidcToken"))
})

t.test("without the feature any passkey origin is allowed; an unreadable value allows none", async (t) => {
  t.equal(originsOf(draftOf().document), undefined)
  const broken = draftOf({ features: [{ name: WEBAUTHN_ORIGINS, value: '["nonsense"' }] })
  t.same(originsOf(broken.document), [])
})

t.test("features that nothing reads are refused by name", async (t) => {
  const draft = draftOf()
  for (const name of [
    FeatureName.SOLANA_RENT_PREFUND_ENABLED,
    FeatureName.SWAP_CONFIG,
    FeatureName.EARN_CONFIG,
    FeatureName.UNSPECIFIED,
  ]) {
    const wanted = refusal("FEATURE_NOT_SERVED", "parameters.name")
    t.throws(() => setFeature(draft, name, "true", "parameters"), wanted, spelled(name))
  }
  t.equal(draft.nextVersion(1n), undefined)
})

t.test("setting a feature replaces its value in place; removing an unset one changes nothing", async (t) => {
  const draft = draftOf()
  const values = () => draft.document.features.map(({ name, value }) => `${spelled(name)} ${value}`)
  setFeature(draft, WEBAUTHN_ORIGINS, "https://one.example", "parameters")
  setFeature(draft, FeatureName.STRICT_DENY, "", "parameters")
  setFeature(draft, WEBAUTHN_ORIGINS, "https://two.example", "parameters")
  const strict = "FEATURE_NAME_STRICT_DENY true"
  t.same(values(), ["FEATURE_NAME_WEBAUTHN_ORIGINS https://two.example", strict])
  removeFeature(draft, WEBAUTHN_ORIGINS)
  t.same(values(), [strict])
  const untouched = draftOf()
  removeFeature(untouched, WEBAUTHN_ORIGINS)
  t.equal(untouched.nextVersion(1n), undefined)
})
