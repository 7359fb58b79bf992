import t from "tap"
import { nextId, ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { outcome, submitBody } from "../prepared.ts"
import { startApi } from "../start-api.ts"
import { FORMED, makeKey } from "../stamps.ts"

const HEADER = "x-countersign-ignored-members"
const key = makeKey()
const alice = user("alice", key)
const api = await startApi(t)
await storeOrganization(api.sql, { users: [alice], rootQuorum: { threshold: 1, userIds: [alice.userId] } })

const CREATED = {
  result: { result: { case: "createUserTagResult" as const, value: { userTagId: nextId(), userIds: [] } } },
}

/** Sends create_user_tag with further parameters and further members beside them. */
function send(parameters: object, beside: object = {}) {
  const body = submitBody("CREATE_USER_TAG", {
    userTagName: `tag ${nextId()}`,
    userIds: [],
    ...parameters,
  })
  api.signer.answers.push(outcome(alice.userId, CREATED))
  return api.post("submit/create_user_tag", { ...JSON.parse(body), ...beside }, key)
}

t.test("members that are not read are listed in a header of the reply", async (t) => {
  const { status, headers, json } = await send({ color: "red", shade: null }, { comment: "x" })
  t.equal(status, 200)
  t.equal(headers.get(HEADER), "comment, parameters.color")
  t.notMatch(JSON.stringify(json["activity"]).replace(/"message":".*?[^\\]"/g, ""), /color/)
  t.equal((await send({})).headers.get(HEADER), null)
})

t.test("a page may read the header, and an error has it too", async (t) => {
  const body = submitBody("CREATE_USER_TAG", { userTagName: "a", userIds: [], color: 1 })
  const { status, headers } = await api.send("/public/v1/submit/create_user_tag", {
    method: "POST",
    body,
    headers: { origin: "https://app.example", ...FORMED },
  })
  t.equal(status, 401)
  t.equal(headers.get(HEADER), "parameters.color")
  t.match(headers.get("access-control-expose-headers"), /X-Countersign-Ignored-Members/)
})

t.test("members of a query that are not read are listed too", async (t) => {
  const query = { organizationId: ORGANIZATION_ID, verbose: true }
  t.equal((await api.post("query/whoami", query, key)).headers.get(HEADER), "verbose")
})

t.test("the header holds any name, and few of many", async (t) => {
  const strange = await send({ "a\u2028Set-Cookie: b, \u00e9": 1 })
  t.equal(strange.headers.get(HEADER), "parameters.a%E2%80%A8Set-Cookie%3A%20b%2C%20%C3%A9")
  t.equal((await send({ "a\r\nSet-Cookie: b": 1 })).status, 400, "no name holds a control character")
  const names = Array.from({ length: 100 }, (_, index) => `zzzz${index}zzzzzzzz`)
  const many = Object.fromEntries(names.map((name) => [name, 1]))
  const listed = (await send(many)).headers.get(HEADER)?.split(", ")
  t.equal(listed?.length, 21)
  t.equal(listed?.at(-1), "...")
  const long = (await send({ ["z".repeat(5000)]: 1 })).headers.get(HEADER)
  t.equal(long?.length, 123)
  const encoded = Object.fromEntries(names.map((name) => [`${name}${"\u20ac".repeat(100)}`, 1]))
  const header = (await send(encoded)).headers.get(HEADER)
  t.match(header, /^parameters\.zzzz0zzzzzzzz%E2%82%AC.*, \.\.\.$/)
  t.ok((header?.length ?? 0) <= 2048 + ", ...".length, "its bytes are bounded, however the names are encoded")
})

t.test("a misspelt member is refused before the signer is asked", async (t) => {
  const before = api.signer.answers.length
  const { status, json } = await send({ userTagNames: "x" })
  t.equal(status, 400)
  t.match(json, { message: /`parameters\.userTagNames` is unknown; did you mean `userTagName`\?/ })
  t.equal(api.signer.answers.length, before + 1)
  api.signer.answers.pop()
})
