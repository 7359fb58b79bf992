// Numbers of users, tags and credentials: the operator's settings, and what a document may weigh.
import t from "tap"
import { apiKey, userParams } from "../harness/api-client.ts"
import { documentOf } from "../harness/document.ts"
import { newKey } from "../harness/stamper.ts"
import { asRoot, refused, setup } from "./setup.ts"

const users = (from: number, count: number, name: string) =>
  Array.from({ length: count }, (_, index) => userParams(`${from + index} ${name}`, newKey()))

/** The most API keys that a user may have, each with the longest name. */
const manyKeys = () =>
  Array.from({ length: 10 }, (_, index) => apiKey(newKey(), String(index).padEnd(256, "界")))

t.test("an organization has more users, keys and tags than published price lists name", async (t) => {
  const fixture = await setup(t)
  const { submit } = asRoot(fixture)
  for (const from of [0, 100]) await submit("CREATE_USERS_V4", { users: users(from, 100, "user") })
  for (let tag = 0; tag < 11; tag++)
    await submit("CREATE_USER_TAG", { userTagName: `tag ${tag}`, userIds: [] })
  const document = documentOf(fixture.client, fixture.acme.organizationId)
  t.equal(document.users.length, 201)
  t.equal(document.tags.length, 11)
})

t.test("the operator sets the numbers", async (t) => {
  const fixture = await setup(t, {
    COUNTERSIGN_SIGNER_MAX_USERS: "3",
    COUNTERSIGN_SIGNER_MAX_API_KEYS: "2",
  })
  const { submit, attempt } = asRoot(fixture)
  const { client, acme } = fixture
  await submit("CREATE_USERS_V4", { users: users(0, 2, "user") })
  const another = () => attempt("CREATE_USERS_V4", { users: users(2, 1, "user") })
  await refused(t, fixture, "LIMIT_EXCEEDED", another, "a fourth user")
  const [root] = documentOf(client, acme.organizationId).users
  const key = () => ({ apiKeyName: "key", publicKey: newKey().publicKeyHex, curveType: "API_KEY_CURVE_P256" })
  const addKey = () => attempt("CREATE_API_KEYS_V2", { userId: root!.userId, apiKeys: [key()] })
  t.match(await addKey(), { is: "outcome" }, "the unaltered twin")
  await refused(t, fixture, "LIMIT_EXCEEDED", addKey, "a third key")
})

t.test("B3: an organization's document is bounded in bytes, whatever the operator's limits", async (t) => {
  const fixture = await setup(t, { COUNTERSIGN_SIGNER_MAX_USERS: "999999999" })
  const { submit, attempt } = asRoot(fixture)
  const { client, acme } = fixture
  const long = "n".repeat(240)
  const many = (from: number) => ({ users: users(from, 100, long) })
  const bytes = () => client.documents.get(acme.organizationId)!.length
  let from = 0
  // Each change reads the whole document: large users fill it in few changes.
  for (let count = 100; bytes() < 1.9 * 1024 * 1024; from += count) {
    if (bytes() > 1024 * 1024) count = 20
    const heavy = users(from, count, long).map((user) => ({ ...user, apiKeys: manyKeys() }))
    await submit("CREATE_USERS_V4", { users: heavy })
  }
  let answer = await attempt("CREATE_USERS_V4", many(from))
  for (
    ;
    answer.is === "outcome" && bytes() < 3 * 1024 * 1024;
    answer = await attempt("CREATE_USERS_V4", many(from))
  )
    from += 100
  t.match(answer, { is: "refused", code: "DOCUMENT_TOO_LARGE" })
  t.comment(`${bytes()} bytes`)
  t.ok(bytes() <= 2 * 1024 * 1024)
  const [, first] = documentOf(client, acme.organizationId).users
  await submit("DELETE_USERS", { userIds: [first!.userId] })
  t.match(
    await attempt("CREATE_USERS_V4", { users: users(0, 1, "one") }),
    { is: "outcome" },
    "a smaller change",
  )
})
