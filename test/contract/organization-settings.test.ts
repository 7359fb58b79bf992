// Name and features of an organization: what the root quorum alone may change, with its votes.
import t from "tap"
import {
  ActivityStatus,
  FeatureName,
  FeatureNameSchema,
} from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Outcome } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { RefusalName } from "../../signer/core/refusal.ts"
import { outcomeOf, valueOf } from "../harness/api-client.ts"
import { documentOf } from "../harness/document.ts"
import { fingerprintOf } from "../harness/stamper.ts"
import { TYPE } from "./boundary/names.ts"
import { refusedAt, settled } from "./refused.ts"
import { FEATURE_NAME } from "./tables/enums.ts"

/** The features that this release reads, with a value that fits. */
const VALUES: { readonly [name: string]: string } = {
  FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY: "true",
  FEATURE_NAME_WEBAUTHN_ORIGINS: "https://app.example.com",
  FEATURE_NAME_EMAIL_AUTH: "true",
  FEATURE_NAME_EMAIL_RECOVERY: "true",
  FEATURE_NAME_WEBHOOK: "https://hooks.example.com/activities",
  FEATURE_NAME_SMS_AUTH: "true",
  FEATURE_NAME_OTP_EMAIL_AUTH: "true",
  FEATURE_NAME_STRICT_DENY: "true",
}

const ROOT_ONLY = [
  ["SET_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_STRICT_DENY" }],
  ["REMOVE_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_WEBAUTHN_ORIGINS" }],
  ["UPDATE_ORGANIZATION_NAME", { organizationName: "Eve's" }],
] as const

function featuresOf(outcome: Outcome): (string | undefined)[] {
  const result = outcome.result?.result
  const set = result?.case === "removeOrganizationFeatureResult"
  const { features } = set
    ? valueOf(outcome, "removeOrganizationFeatureResult")
    : valueOf(outcome, "setOrganizationFeatureResult")
  return features.map(({ name, value }) => `${FeatureNameSchema.value[name]?.name} ${value}`)
}

t.test("features", async (t) => {
  const { client, organizationId, root, submit } = await settled(t)
  const set = async (name: string, value?: string) =>
    featuresOf(await submit("SET_ORGANIZATION_FEATURE", { name, ...(value === undefined ? {} : { value }) }))

  t.test("that this release reads can be set, and the result lists every set feature", async (t) => {
    const shown = Object.entries(VALUES).map(([name, value]) => `${name} ${value}`)
    for (const [at, [name, value]] of Object.entries(VALUES).entries())
      t.same(await set(name, value), shown.slice(0, at + 1), name)
    t.same(
      documentOf(client, organizationId).features.map(({ name }) => FeatureNameSchema.value[name]?.name),
      Object.keys(VALUES),
    )
  })

  t.test("of the interface are read by this release, all of them", async (t) => {
    t.same(
      FEATURE_NAME.filter((name) => !(name in VALUES)),
      ["FEATURE_NAME_AUTH_PROXY"],
      "that one needs an auth proxy, which this signer is not paired with",
    )
  })

  t.test("take a new value in place of the old one, and are removed one by one", async (t) => {
    const name = "FEATURE_NAME_WEBAUTHN_ORIGINS"
    const others = Object.entries(VALUES)
      .filter(([other]) => other !== name)
      .map(([other, value]) => `${other} ${value}`)
    const elsewhere = "https://elsewhere.example.com"
    const replaced = Object.entries({ ...VALUES, [name]: elsewhere }).map(([one, value]) => `${one} ${value}`)
    t.same(await set(name, elsewhere), replaced)
    t.same(featuresOf(await submit("REMOVE_ORGANIZATION_FEATURE", { name })), others)
    const { version } = documentOf(client, organizationId)
    const again = await submit("REMOVE_ORGANIZATION_FEATURE", { name })
    t.same(featuresOf(again), others, "what is not set is as gone as it can be")
    t.equal(documentOf(client, organizationId).version, version)
  })

  t.test("refuse invalid values, and names that are unknown or not served", async (t) => {
    const refuses = (parameters: object, code: RefusalName, field: string) =>
      refusedAt(t, client, root, ["SET_ORGANIZATION_FEATURE", organizationId, parameters], code, field)
    const at = "parameters.value"
    const code = "FEATURE_VALUE_INVALID"
    await refuses({ name: "FEATURE_NAME_EMAIL_AUTH", value: "false" }, code, at)
    await refuses({ name: "FEATURE_NAME_WEBHOOK" }, code, at)
    await refuses({ name: "FEATURE_NAME_WEBHOOK", value: "http://hooks.example.com" }, code, at)
    await refuses({ name: "FEATURE_NAME_WEBHOOK", value: "https://169.254.169.254/latest" }, code, at)
    await refuses({ name: "FEATURE_NAME_WEBAUTHN_ORIGINS" }, code, at)
    await refuses({ name: "FEATURE_NAME_WEBAUTHN_ORIGINS", value: "https://app.example.com/" }, code, at)
    const long = `https://hooks.example.com/${"a".repeat(4096)}`
    await refuses({ name: "FEATURE_NAME_WEBHOOK", value: long }, "REQUEST_INVALID", at)
    const unserved = { name: "FEATURE_NAME_SWAP_CONFIG", value: "{}" }
    await refuses(unserved, "FEATURE_NOT_SERVED", "parameters.name")
    await refuses({ name: "FEATURE_NAME_NONE" }, "REQUEST_INVALID", "parameters.name")
    await refuses({ value: "true" }, "REQUEST_INVALID", "parameters.name")
  })
})

t.test("the organization's name is replaced, twice the same included", async (t) => {
  const { client, organizationId, root, submit } = await settled(t)
  const organizationName = "Acme & Söhne"
  for (let time = 0; time < 2; time++) {
    const done = await submit("UPDATE_ORGANIZATION_NAME", { organizationName })
    const { organizationId: id, organizationName: name } = valueOf(done, "updateOrganizationNameResult")
    t.same({ id, name }, { id: organizationId, name: organizationName })
  }
  t.equal(documentOf(client, organizationId).name, organizationName)
  for (const name of ["", "n".repeat(257)]) {
    const order = ["UPDATE_ORGANIZATION_NAME", organizationId, { organizationName: name }] as const
    await refusedAt(t, client, root, order, "REQUEST_INVALID", "parameters.organizationName")
  }
})

t.test("users outside the root quorum change neither name nor features", async (t) => {
  const { client, organizationId, alice, submit } = await settled(t)
  await submit("SET_ORGANIZATION_FEATURE", {
    name: "FEATURE_NAME_WEBAUTHN_ORIGINS",
    value: "https://app.example.com",
  })
  for (const [type, parameters] of ROOT_ONLY)
    await refusedAt(t, client, alice.key, [type, organizationId, parameters], "PERMISSION_DENIED")
})

t.test("with a root quorum of two, name and features change when both have approved", async (t) => {
  const { client, organizationId, root, rootUserId, alice, submit } = await settled(t)
  const eve = await client.user({ organizationId, root, rootUserId }, "eve")
  await submit("SET_ORGANIZATION_FEATURE", {
    name: "FEATURE_NAME_WEBAUTHN_ORIGINS",
    value: "https://app.example.com",
  })
  await submit("UPDATE_ROOT_QUORUM", { threshold: 2, userIds: [rootUserId, alice.userId] })
  const state = () => {
    const { name, features } = documentOf(client, organizationId)
    return { name, features: features.map((feature) => feature.name) }
  }
  const before = state()
  const approve = (body: string) => ({ fingerprint: `sha256:${fingerprintOf(body)}` })
  for (const [type, parameters] of ROOT_ONLY) {
    const body = client.body(TYPE(type), organizationId, parameters)
    t.equal(outcomeOf(await client.send(body, root)).status, ActivityStatus.CONSENSUS_NEEDED, type)
    t.same(state(), before, "one vote changes nothing")
    const vote = ["APPROVE_ACTIVITY", organizationId, approve(body)] as const
    await refusedAt(t, client, eve.key, vote, "VOTE_NOT_COUNTED")
    const rejected = client.body(TYPE("REJECT_ACTIVITY"), organizationId, approve(body))
    t.equal(outcomeOf(await client.send(rejected, alice.key)).status, ActivityStatus.REJECTED)
    t.same(state(), before, "a rejected activity changes nothing")
  }
  for (const [type, parameters] of ROOT_ONLY) {
    const body = client.body(TYPE(type), organizationId, parameters)
    await client.send(body, root)
    const done = await client.submit(alice.key, TYPE("APPROVE_ACTIVITY"), organizationId, approve(body))
    t.equal(done.status, ActivityStatus.COMPLETED, type)
  }
  t.same(state(), { name: "Eve's", features: [FeatureName.STRICT_DENY] })
})

t.test("a value approved by two users that a feature refuses ends as failed", async (t) => {
  const { client, organizationId, root, rootUserId, alice, submit } = await settled(t)
  await submit("UPDATE_ROOT_QUORUM", { threshold: 2, userIds: [rootUserId, alice.userId] })
  for (const [type, parameters, sentence] of [
    ["SET_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_WEBHOOK", value: "nowhere" }, /https URL/],
    ["SET_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_EARN_CONFIG", value: "{}" }, /is not served/],
    ["DELETE_USERS", { userIds: [alice.userId] }, /quorum users missing/],
  ] as const) {
    const body = client.body(TYPE(type), organizationId, parameters)
    await client.send(body, root)
    const vote = { fingerprint: `sha256:${fingerprintOf(body)}` }
    const done = await client.submit(alice.key, TYPE("APPROVE_ACTIVITY"), organizationId, vote)
    t.match(done, { status: ActivityStatus.FAILED, failure: { sentence } }, type)
  }
})
