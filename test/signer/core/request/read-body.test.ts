// The one reading of a stamped body: typed parameters, clean members, ignored members, and the literal texts of refusals.
import t from "tap"
import { misspellingCheck } from "../../../../proto/unknown-members.ts"
import { type MemberRule, readBody, readBodyText } from "../../../../signer/core/request/read-body.ts"

const organizationId = "01234567-89AB-4cde-8f01-23456789abcd"

const bodyOf = (type: string, parameters: unknown, more: object = {}) =>
  JSON.stringify({ type, organizationId, timestampMs: "1700000000000", parameters, ...more })

const read = (text: string, rule?: MemberRule) => readBody(new TextEncoder().encode(text), rule)

t.test("members have lowerCamel names in the reading, under whichever name they were sent", async (t) => {
  const member = "11111111-2222-4333-8444-555555555555"
  const snake = readBodyText(bodyOf("ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", { threshold: 1, user_ids: [member] }))
  const camel = readBodyText(bodyOf("ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", { threshold: 1, userIds: [member] }))
  t.strictSame(snake.clean, { threshold: 1, userIds: [member] })
  t.strictSame(camel.clean, snake.clean)
  t.strictSame(camel.parameters, snake.parameters, "both have the message that the signer runs")
  t.match(snake, { organizationId: organizationId.toLowerCase(), timestampMs: 1_700_000_000_000 })
  t.match(snake, { activity: { type: "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM" }, wantsProofs: false, ignored: [] })
})

t.test("members without effect are listed by their paths, and null is absence", async (t) => {
  const tag = { userTagName: "tag", userIds: [], colour: "red", size: null }
  const text = bodyOf("ACTIVITY_TYPE_CREATE_USER_TAG", tag, { comment: 1, remark: null })
  const { ignored, clean, members } = readBodyText(text)
  t.strictSame(ignored, ["comment", "parameters.colour"])
  t.strictSame(clean, { userTagName: "tag", userIds: [] })
  t.strictSame(members, JSON.parse(text), "the body as it was sent")
})

t.test("a rule gets the activity, and refuses members by their paths", async (t) => {
  const asked: unknown[] = []
  const rule: MemberRule = (activity) => {
    asked.push(activity?.type)
    return misspellingCheck()
  }
  const tag = { userTagName: "tag", userIds: [] }
  const type = "ACTIVITY_TYPE_CREATE_USER_TAG"
  t.throws(() => read(bodyOf(type, { ...tag, userIdz: [] }), rule), {
    code: "REQUEST_INVALID",
    field: "parameters.userIdz",
    message: /^invalid request body: `parameters.userIdz` is unknown; did you mean `userIds`\?/,
  })
  const misspelt = { code: "REQUEST_INVALID", field: "organisationId" }
  t.throws(() => read(bodyOf("NONE", tag, { organisationId: "" }), rule), misspelt)
  t.strictSame(asked, [type, undefined])
})

t.test("sentences of refusals begin with published texts", async (t) => {
  const type = "ACTIVITY_TYPE_CREATE_USER_TAG"
  const rows: [body: string, code: string, message: RegExp][] = [
    ["{", "REQUEST_MALFORMED", /^bad request body: it is not strict JSON: ./],
    ['{"a":1,"a":1}', "REQUEST_MALFORMED", /^bad request body: it is not strict JSON: ./],
    ["[]", "REQUEST_MALFORMED", /^bad request body: it is not a JSON object$/],
    ["{}", "REQUEST_INVALID", /^invalid request body: missing field `type`$/],
    [bodyOf(type, null), "REQUEST_INVALID", /^invalid request body: missing field `parameters`$/],
    [bodyOf(type, {}), "REQUEST_INVALID", /^invalid request body: missing field `parameters.userTagName`$/],
    [bodyOf(type, {}, { organizationId: "x" }), "REQUEST_INVALID", /^malformed organization ID provided$/],
    [bodyOf("ACTIVITY_TYPE_NONE", {}), "ACTIVITY_TYPE_UNKNOWN", /^type is not an activity type$/],
  ]
  for (const [body, code, message] of rows) t.throws(() => readBodyText(body), { code, message }, body)
})
