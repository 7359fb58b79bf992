import t from "tap"
import { type DescMessage, ScalarType } from "@bufbuild/protobuf"
import { activityTypes } from "../../proto/catalog.ts"
import { IntentSchema } from "../../proto/gen/countersign/api/v1/activities_pb.ts"
import { Form } from "../../proto/gen/countersign/api/v1/options_pb.ts"
import { planOf } from "../../proto/read-plan.ts"
import { ruleOf } from "../../proto/read-value.ts"
import { ReadFault, readMessage } from "../../proto/read.ts"
import { field, Label, tinyMessage, Type } from "./tiny-schema.ts"
import { queryPaths } from "../../proto/operations.ts"
import { proxyPaths } from "../../proto/proxy-operations.ts"

/** Path and sentence of the fault; undefined: none. */
function faultOf(schema: DescMessage, json: unknown, path = "") {
  try {
    readMessage(schema, json, path)
  } catch (error) {
    if (!(error instanceof ReadFault)) throw error
    return { path: error.path, sentence: error.sentence }
  }
  return undefined
}

const list = { label: Label.REPEATED }
const colour = { typeName: ".tiny.Colour" }
const self = { typeName: ".tiny.Tiny" }

const tiny = tinyMessage(
  field("user_name", Type.STRING, {}, { required: true, minLength: 1, maxLength: 5 }),
  field("is_on", Type.BOOL),
  field("count", Type.INT32, {}, { minValue: 3, maxValue: 9 }),
  field("size", Type.UINT32),
  field("big", Type.INT64),
  field("huge", Type.UINT64),
  field("share", Type.DOUBLE),
  field("data", Type.BYTES),
  field("colour", Type.ENUM, colour),
  field("colours", Type.ENUM, { ...list, ...colour }, { minItems: 1, maxItems: 2 }),
  field("tags", Type.STRING, list, { form: Form.HEX }),
  field("child", Type.MESSAGE, self),
  field("children", Type.MESSAGE, { ...list, ...self }),
  field("names", Type.MESSAGE, { ...list, typeName: ".tiny.Tiny.NamesEntry" }, { maxItems: 2 }),
  field("this_one", Type.STRING, { oneofIndex: 0 }),
  field("that_one", Type.MESSAGE, { oneofIndex: 0, ...self }),
  field("details", Type.MESSAGE, { typeName: ".google.protobuf.Struct" }),
  field("anything", Type.MESSAGE, { typeName: ".google.protobuf.Value" }),
  field("nick", Type.STRING, { proto3Optional: true, oneofIndex: 1 }, { in: ["a", "b"] }),
)

t.test("the reader reads every type of field and echoes the members that were sent", async (t) => {
  const sent = {
    userName: "bob",
    isOn: true,
    count: 4,
    size: 4294967295,
    big: "-9223372036854775808",
    huge: "18446744073709551615",
    share: 0.5,
    data: "AQI=",
    colour: "COLOUR_RED",
    colours: ["COLOUR_RED"],
    tags: ["", "Ab"],
    child: { userName: "ann" },
    children: [{ userName: "x" }],
    names: { __proto: "p", b: "c" },
    thisOne: "t",
    details: { any: [1, null] },
    anything: [1, "x"],
    nick: "a",
  }
  const { message, clean } = readMessage(tiny, sent)
  t.same(clean, sent)
  t.match(message, {
    userName: "bob",
    big: -9223372036854775808n,
    huge: 18446744073709551615n,
    data: Uint8Array.of(1, 2),
    colour: 1,
    colours: [1],
    child: { $typeName: "tiny.Tiny", userName: "ann", tags: [] },
    choice: { case: "thisOne", value: "t" },
    details: { any: [1, null] },
    nick: "a",
  })
})

t.test("the reader accepts proto names, and drops nulls and unknown members at every depth", async (t) => {
  const sent = { user_name: "bob", nick: null, more: 1, child: { user_name: "x", big: null }, children: null }
  const { message, clean } = readMessage(tiny, sent)
  t.same(clean, { userName: "bob", child: { userName: "x" } })
  t.match(message, { userName: "bob", children: [], choice: { case: undefined } })
  t.same(readMessage(tiny, { user_name: null, userName: "bob" }).clean, { userName: "bob" })
})

t.test("the reader treats an empty string as absent only where the rule says so", async (t) => {
  const schema = tinyMessage(
    field("id", Type.STRING, {}, { form: Form.UUID, emptyIsAbsent: true }),
    field("name", Type.STRING, {}, { required: true, emptyIsAbsent: true }),
    field("note", Type.STRING),
  )
  t.same(readMessage(schema, { id: "", name: "x", note: "" }).clean, { name: "x", note: "" })
  t.match(faultOf(schema, { name: "" }), { path: "name", sentence: /missing/ })
  t.match(faultOf(schema, { id: " ", name: "x" }), { path: "id" })
})

t.test("an undeclared member has no effect, whatever its name", async (t) => {
  const { message, clean } = readMessage(
    tiny,
    JSON.parse('{"userName":"x","__proto__":{"isOn":true},"$typeName":"y"}'),
  )
  t.same(clean, { userName: "x" })
  t.match(message, { isOn: false, $typeName: "tiny.Tiny" })
})

t.test("a fault names its path and its reason", async (t) => {
  const good = { userName: "bob" }
  const cases: [json: unknown, path: string, words: string][] = [
    [null, "", "the request must be an object"],
    [[], "", "the request must be an object"],
    [{}, "userName", "missing field `userName`"],
    [{ userName: null }, "userName", "missing field `userName`"],
    [{ user: "bob", color: 1 }, "userName", "missing field `userName` (`user` is unknown)"],
    [{ "a b": 1, ["x".repeat(65)]: 1, user: null }, "userName", "missing field `userName`"],
    [{ ...good, color: 1, child: {} }, "child.userName", "missing field `child.userName`"],
    [{ ...good, child: {} }, "child.userName", "missing field `child.userName`"],
    [{ ...good, children: [good, {}] }, "children[1].userName", "missing field `children[1].userName`"],
    [{ userName: "a", user_name: "a" }, "userName", "`userName` is sent twice, under both of its names"],
    [{ userName: 1 }, "userName", "`userName` must be a string"],
    [{ userName: "" }, "userName", "`userName` must have at least 1 character"],
    [{ userName: "123456" }, "userName", "`userName` must have at most 5 characters"],
    [{ ...good, isOn: "true" }, "isOn", "`isOn` must be true or false"],
    [{ ...good, count: "4" }, "count", "`count` must be an integer of 32 bits"],
    [{ ...good, count: 4.5 }, "count", "`count` must be an integer of 32 bits"],
    [{ ...good, count: 2 }, "count", "`count` must be from 3 to 9"],
    [{ ...good, count: 10 }, "count", "`count` must be from 3 to 9"],
    [{ ...good, size: -1 }, "size", "`size` must be an integer of 32 bits"],
    [{ ...good, size: 2 ** 32 }, "size", "`size` must be an integer of 32 bits"],
    [{ ...good, share: "1" }, "share", "`share` must be a number"],
    [{ ...good, data: "?" }, "data", "`data` must be base64"],
    [{ ...good, data: 1 }, "data", "`data` must be base64"],
    [{ ...good, colour: 1 }, "colour", "`colour` must be one of COLOUR_RED"],
    [{ ...good, colour: "RED" }, "colour", "`colour` must be one of COLOUR_RED"],
    [{ ...good, colour: "COLOUR_UNSPECIFIED" }, "colour", "`colour` must be one of COLOUR_RED"],
    [{ ...good, colours: [] }, "colours", "`colours` must have at least 1 item"],
    [{ ...good, colours: ["COLOUR_RED", 1] }, "colours[1]", "`colours[1]` must be one of COLOUR_RED"],
    [{ ...good, colours: Array(3).fill("COLOUR_RED") }, "colours", "`colours` must have at most 2 items"],
    [{ ...good, tags: "ab" }, "tags", "`tags` must be a list"],
    [{ ...good, tags: ["ab", null] }, "tags[1]", "`tags[1]` must be a string"],
    [{ ...good, tags: ["a"] }, "tags[0]", "`tags[0]` must be hexadecimal, two digits a byte, without 0x"],
    [{ ...good, child: [] }, "child", "`child` must be an object"],
    [{ ...good, children: {} }, "children", "`children` must be a list"],
    [{ ...good, names: { a: 1 } }, "names", "`names` must be a string"],
    [{ ...good, names: [] }, "names", "`names` must be an object"],
    [{ ...good, names: { a: "", b: "", c: "" } }, "names", "`names` must have at most 2 items"],
    [{ ...good, details: "x" }, "details", "`details` must be an object"],
    [{ ...good, nick: "c" }, "nick", "`nick` must be one of a, b"],
    [{ ...good, thisOne: "x", thatOne: good }, "thatOne", "`thatOne` excludes another member that was sent"],
  ]
  for (const [json, path, sentence] of cases) t.same(faultOf(tiny, json), { path, sentence }, sentence)
  for (const big of [1, "", "01", "+1", "-0", "1e3", "0x1", "9223372036854775808", "1".repeat(999)]) {
    t.equal(faultOf(tiny, { ...good, big })?.path, "big", String(big).slice(0, 30))
  }
  t.equal(faultOf(tiny, { ...good, huge: "-1" })?.path, "huge")
})

t.test("a string with U+0000 is refused at every depth", async (t) => {
  const good = { userName: "bob" }
  const cases: [json: object, path: string][] = [
    [{ userName: "\0" }, "userName"],
    [{ ...good, tags: ["ab", "\0"] }, "tags[1]"],
    [{ ...good, children: [good, { userName: "a\0b" }] }, "children[1].userName"],
    [{ ...good, thisOne: "x\0" }, "thisOne"],
    [{ ...good, names: { a: "x", b: "\0" } }, "names"],
    [{ ...good, names: { "a\0": "x" } }, "names"],
    [{ ...good, details: { any: [1, { deep: ["\0"] }] } }, "details"],
    [{ ...good, details: { any: { "\0": null } } }, "details"],
    [{ ...good, anything: "\0" }, "anything"],
    [{ ...good, anything: [{ member: "\0" }] }, "anything"],
  ]
  for (const [json, path] of cases) {
    const sentence = `\`${path}\` must not hold the character U+0000`
    t.same(faultOf(tiny, json), { path, sentence }, JSON.stringify(json))
  }
  t.equal(faultOf(tiny, { ...good, unknown: "\0", details: { any: ["\u0001"] } }), undefined)
})

t.test("the path of a fault begins with the caller's prefix", async (t) => {
  t.same(faultOf(tiny, [], "parameters"), { path: "parameters", sentence: "`parameters` must be an object" })
  t.equal(faultOf(tiny, { children: [{}] }, "parameters")?.path, "parameters.children[0].userName")
})

t.test("a fault names the member of a real activity", async (t) => {
  const schema = activityTypes.get("ACTIVITY_TYPE_CREATE_USERS_V2")?.intentSchema
  if (schema === undefined) throw new Error("no such type")
  const user = { userName: "a", apiKeys: [{ apiKeyName: "k" }], authenticators: [], userTags: [] }
  t.equal(faultOf(schema, { users: [user] }, "parameters")?.path, "parameters.users[0].apiKeys[0].publicKey")
})

t.test("a required list may be empty, a required string too", async (t) => {
  const schema = tinyMessage(
    field("tags", Type.STRING, list, { required: true }),
    field("text", Type.STRING, {}, { required: true }),
  )
  t.same(readMessage(schema, { tags: [], text: "" }).clean, { tags: [], text: "" })
  t.equal(faultOf(schema, { text: "" })?.path, "tags")
})

t.test("a rule that its field cannot satisfy is a fault of the proto", async (t) => {
  const wrong = [
    field("n", Type.INT32, {}, { form: Form.HEX }),
    field("s", Type.STRING, {}, { maxItems: 1 }),
    field("s", Type.STRING, {}, { minValue: 1, maxValue: 2 }),
    field("n", Type.INT32, {}, { minValue: 1 }),
    field("b", Type.BOOL, {}, { in: ["x"] }),
    field("b", Type.BOOL, {}, { emptyIsAbsent: true }),
    field("s", Type.STRING, {}, { maxDecimal: 5n }),
    field("s", Type.STRING, {}, { orEmpty: true }),
    field("s", Type.STRING, {}, { form: Form.HEX, maxDecimal: 5n }),
    field("n", Type.INT32, {}, { maxDecimal: 5n }),
    field("s", Type.STRING, {}, { unsetText: "s must be set", minLength: 1 }),
    field("s", Type.STRING, {}, { unsetText: "s must be set", required: true }),
    field("l", Type.STRING, list, { unsetText: "l must be set", required: true, minLength: 1 }),
    field("n", Type.INT32, {}, { unsetText: "n must be set", required: true }),
  ]
  for (const its of wrong) t.throws(() => planOf(tinyMessage(its)), TypeError)
})

t.test("a fault of a member that is not set begins with the literal text of its rule", async (t) => {
  const coded = tinyMessage(
    field("auth_code", Type.STRING, {}, { required: true, minLength: 2, unsetText: "auth_code must be set" }),
  )
  const sentenceOf = (json: unknown) => faultOf(coded, json, "parameters")?.sentence
  const missing = "auth_code must be set: missing field `parameters.authCode`"
  t.equal(sentenceOf({}), missing)
  t.equal(sentenceOf({ authCode: null }), missing)
  t.equal(sentenceOf({ code: "c" }), `${missing} (\`code\` is unknown)`)
  t.equal(
    sentenceOf({ authCode: "" }),
    "auth_code must be set: `parameters.authCode` must have at least 2 characters",
  )
  t.equal(sentenceOf({ authCode: "c" }), "`parameters.authCode` must have at least 2 characters", "it is set")
  t.equal(sentenceOf({ authCode: 1 }), "`parameters.authCode` must be a string")
  t.equal(sentenceOf({ auth_code: "ok" }), undefined)
})

t.test(
  "every list of a request has a greatest length, every decimal of a lifetime a greatest value",
  async (t) => {
    const seen = new Set<DescMessage>()
    const unbounded: string[] = []
    const visit = (message: DescMessage | undefined) => {
      if (message === undefined || seen.has(message) || message.typeName.startsWith("google.")) return
      seen.add(message)
      for (const field of message.fields) {
        const rule = ruleOf(field)
        const isList = field.fieldKind === "list" || field.fieldKind === "map"
        const isLifetime = field.scalar === ScalarType.STRING && field.name === "expiration_seconds"
        if (isList && !rule?.maxItems) unbounded.push(`${message.name}.${field.name}`)
        if (isLifetime && !rule?.maxDecimal) unbounded.push(`${message.name}.${field.name}`)
        visit(field.message)
      }
    }
    visit(IntentSchema)
    for (const { input } of [...queryPaths.values(), ...proxyPaths.values()]) visit(input)
    t.same(unbounded, [])
  },
)

t.test("every message of every request and reply can be read", async (t) => {
  const seen = new Set<DescMessage>()
  const visit = (message: DescMessage | undefined) => {
    if (message === undefined || seen.has(message)) return
    seen.add(message)
    planOf(message)
    for (const { message: inner } of message.fields) visit(inner)
  }
  visit(IntentSchema)
  for (const { input, output } of [...queryPaths.values(), ...proxyPaths.values()]) {
    visit(input)
    visit(output)
  }
  t.ok(seen.size > 100)
})
