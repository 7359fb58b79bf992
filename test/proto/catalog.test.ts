import t from "tap"
import { activityTypes } from "../../proto/catalog.ts"
import { IntentSchema, ResultSchema } from "../../proto/gen/countersign/api/v1/activities_pb.ts"
import { Authority, Consequence } from "../../proto/gen/countersign/api/v1/options_pb.ts"
import { queryPaths, submitPaths } from "../../proto/operations.ts"
import { proxyPaths } from "../../proto/proxy-operations.ts"

t.test("a catalog entry has everything that its type declares", async (t) => {
  const entry = activityTypes.get("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2")
  t.match(entry, {
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    path: "sign_raw_payload",
    intentName: "signRawPayloadIntentV2",
    resultName: "signRawPayloadResult",
    action: "SIGN",
    authority: Authority.POLICIES,
    consequence: Consequence.SIGNS,
  })
  t.equal(entry?.intentSchema.name, "SignRawPayloadIntentV2")
  t.equal(entry?.intentField.localName, "signRawPayloadIntentV2")
  t.equal(entry?.resultSchema?.name, "SignRawPayloadResult")
})

t.test("versions of a type share its path", async (t) => {
  const versions = submitPaths.get("sign_raw_payload")?.map(({ type }) => type)
  t.ok(versions?.includes("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"))
  const counted = [...submitPaths.values()].flat()
  t.equal(counted.length, activityTypes.size)
})

t.test("intents are named after their type, as published clients derive it", async (t) => {
  for (const { type, intentName } of activityTypes.values()) {
    const [, name = "", version = ""] = /^ACTIVITY_TYPE_(.+?)(_V\d+)?$/.exec(type) ?? []
    const camel = name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
    t.equal(intentName, `${camel}Intent${version.replace("_", "")}`)
  }
})

t.test("only votes have no result", async (t) => {
  for (const { type, resultName, authority } of activityTypes.values()) {
    t.equal(resultName === undefined, authority === Authority.VOTE, type)
  }
})

t.test("every intent and every result belongs to a declared type", async (t) => {
  const entries = [...activityTypes.values()]
  const intents = new Set(entries.map(({ intentField }) => intentField.name))
  const results = new Set(entries.map(({ resultField }) => resultField?.name))
  t.same(
    IntentSchema.fields.map(({ name }) => name).filter((name) => !intents.has(name)),
    [],
  )
  t.same(
    ResultSchema.fields.map(({ name }) => name).filter((name) => !results.has(name)),
    [],
  )
})

t.test("queries and proxy operations are found by their path", async (t) => {
  const whoami = queryPaths.get("whoami")
  t.match(whoami, { path: "whoami", name: "whoami" })
  t.equal(whoami?.input.name, "WhoamiRequest")
  t.equal(whoami?.output.name, "WhoamiResponse")
  t.ok(proxyPaths.has("signup"))
  t.notOk(queryPaths.has("__proto__"))
})
