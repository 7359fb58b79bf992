// Parents look up and read their sub-organizations, and not the other way round.
import { create, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  RecordKind,
  RecordSchema,
  WalletAccountRecordSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { UserSchema } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { restoreState } from "../../../../services/api/store/changes.ts"
import { recordChanges } from "../../../../services/api/store/state-change.ts"
import { type DocumentParts, nextId, user } from "../documents.ts"
import { makeKey, type TestKey } from "../stamps.ts"
import {
  ADDRESS,
  api,
  children,
  claims,
  CREDENTIAL,
  family,
  first,
  ids,
  keys,
  list,
  PARENT,
  query,
  root,
  second,
  STRANGER,
} from "./family.ts"

t.test("summaries have the names and the first users of the parent's own sub-organizations", async (t) => {
  const ask = (organizationIds: string[], key: TestKey = keys.root, organizationId = PARENT) =>
    query("get_suborg_summaries", { organizationIds }, key, organizationId)
  const userEmail = "shared@example.com"
  const { status, json } = await ask([second, STRANGER, first.toUpperCase(), nextId(), PARENT])
  t.equal(status, 200)
  t.strictSame(json, {
    suborgSummaries: [
      { organizationId: second, organizationName: "Child 1", userCount: 1, userName: "shared", userEmail },
      { organizationId: first, organizationName: "Child 0", userCount: 2, userName: "shared", userEmail },
    ],
  })
  t.equal((await ask([first], keys.stranger)).status, 401, "another organization's user")
  t.match((await ask([first], keys.stranger, STRANGER)).json, { suborgSummaries: [] })
  t.match(await ask(Array.from({ length: 26 }, () => first)), {
    status: 400,
    json: { message: /organizationIds/ },
  })
  t.match(await ask([]), { status: 400 })
})

t.test("list_suborgs finds by each filter", async (t) => {
  const account = create(WalletAccountRecordSchema, { walletId: nextId(), address: ADDRESS })
  const payload = toBinary(WalletAccountRecordSchema, account)
  const record = {
    kind: RecordKind.WALLET_ACCOUNT,
    id: nextId(),
    organizationId: first,
    version: 1n,
    payload,
  }
  const bytes = toBinary(RecordSchema, create(RecordSchema, record))
  const state = {
    organizationId: first,
    organization: undefined,
    createdMs: 0,
    ...recordChanges([bytes]),
  }
  await restoreState(api.sql, state)
  const credentialId = CREDENTIAL.toString("base64url")
  const hits: [string, string][] = [
    ["NAME", "Child 0"],
    ["USERNAME", "one"],
    ["EMAIL", "one@example.com"],
    ["EMAIL", "ONE@EXAMPLE.COM"],
    ["PHONE_NUMBER", "+15555550100"],
    ["CREDENTIAL_ID", credentialId],
    ["CREDENTIAL_ID", `${credentialId}==`],
    ["PUBLIC_KEY", keys.one.publicKey],
    ["PUBLIC_KEY", keys.one.publicKey.toUpperCase()],
    ["OIDC_TOKEN", token(claims)],
    ["OIDC_TOKEN", token({ ...claims, aud: ["app"], iss: "accounts.google.com" })],
    ["OIDC_CLAIMS", JSON.stringify(claims)],
    ["WALLET_ACCOUNT_ADDRESS", ADDRESS],
    ["WALLET_ACCOUNT_ADDRESS", ADDRESS.toLowerCase()],
  ]
  for (const [type, value] of hits) t.same(ids(await list(type, value)), [first], `${type} ${value}`)
  const misses: [string, string][] = [
    ["NAME", "child 0"],
    ["USERNAME", "One"],
    ["EMAIL", "two@example.com"],
    ["PHONE_NUMBER", "+15555550101"],
    ["CREDENTIAL_ID", "AAAA"],
    ["PUBLIC_KEY", makeKey().publicKey],
    ["OIDC_TOKEN", token({ ...claims, aud: "other" })],
    ["WALLET_ACCOUNT_ADDRESS", "0x0000000000000000000000000000000000000000"],
    ["NAME", "Dev"],
  ]
  for (const [type, value] of misses) t.same(ids(await list(type, value)), [], `${type} ${value}`)
})

t.test("list_suborgs answers pages, oldest first", async (t) => {
  const page = async (options: object) =>
    ids(await list("USERNAME", "shared", { paginationOptions: options }))
  t.same(ids(await list()), children.slice(0, 10), "ten without a limit, all without a filter")
  t.same(
    ids(await list("", "", { paginationOptions: { limit: "", before: "", after: "" } })),
    children.slice(0, 10),
  )
  t.same(await page({ limit: "100" }), children)
  t.same(await page({ limit: "2", after: children[3] }), children.slice(4, 6))
  t.same(await page({ limit: "2", before: children[3] }), children.slice(1, 3))
  t.same(ids(await list("USERNAME", "one", { paginationOptions: { after: second } })), [])
  t.same(ids(await list("USERNAME", "one", { paginationOptions: { before: second } })), [first])
  for (const options of [{ limit: "101" }, { limit: "0" }, { after: PARENT }, { before: STRANGER }])
    t.match(await list(undefined, undefined, { paginationOptions: options }), { status: 400 })
})

t.test("list_verified_suborgs finds verified contacts only", async (t) => {
  const verified = (body: object) => query("list_verified_suborgs", body, keys.root)
  t.same(ids(await verified({ filterType: "EMAIL", filterValue: "one@example.com" })), [first])
  t.same(ids(await verified({ filterType: "PHONE_NUMBER", filterValue: "+15555550100" })), [], "not proven")
  t.same(ids(await verified({ filterType: "EMAIL", filterValue: "shared@example.com" })), [], "not proven")
  t.same(ids(await list("EMAIL", "shared@example.com")), children.slice(0, 10))
  t.same(ids(await verified({})), [first])
  t.match(await verified({ filterType: "PUBLIC_KEY", filterValue: keys.one.publicKey }), {
    status: 400,
    json: { message: /`filterType` must be one of EMAIL, PHONE_NUMBER/ },
  })
})

t.test(
  "list_login_suborgs: where a contact is proven, else the oldest of which it is the only login method",
  async (t) => {
    const found = async (filterValue: string, filterType = "EMAIL") =>
      ids(await query("list_login_suborgs", { filterType, filterValue }, keys.root))
    t.same(await found("ONE@example.com"), [first], "proven")
    t.same(await found("shared@example.com"), [], "its users have keys too")
    t.same(await found("+15555550100", "PHONE_NUMBER"), [], "not proven, and not the only login method")
    const alone = (email: string) => [create(UserSchema, { userId: nextId(), name: "ann", email })]
    const [older, newer] = [nextId(), nextId()]
    await family(newer, PARENT, { name: "newer", users: alone("Ann@Example.com") })
    t.same(await found("ann@example.com"), [newer])
    await family(older, PARENT, { name: "older", users: alone("ann@example.com") })
    t.same(await found("ann@example.com"), [older], "the older one")
    const left = { name: "left", users: alone("bob@example.com"), version: 2n }
    await family(nextId(), PARENT, { ...left, previousDigest: new Uint8Array(32).fill(1) })
    t.same(await found("bob@example.com"), [], "its maker may have been in it")
    await api.sql`update identities set only_login_method = null`
    t.same(await found("bob@example.com"), [])
    t.same(await found("ann@example.com"), [older], "rows of before the column: their documents decide")
    t.same(await found("shared@example.com"), [])
    const proven = [create(UserSchema, { ...alone("ann@example.com")[0]!, emailVerified: true })]
    await family(newer, PARENT, { name: "newer", users: proven, version: 2n })
    t.same(await found("ann@example.com"), [newer], "the proven one")
    t.match(await query("list_login_suborgs", { filterType: "NAME", filterValue: "x" }, keys.root), {
      status: 400,
    })
  },
)

t.test("an invalid filter is refused, not answered with an empty list", async (t) => {
  const bad: [string | undefined, string | undefined, RegExp][] = [
    ["PASSWORD", "x", /`filterType` must be one of .*WALLET_ACCOUNT_ADDRESS/],
    ["email", "one@example.com", /`filterType` must be one of/],
    ["EMAIL", undefined, /filterType EMAIL needs a filterValue/],
    ["EMAIL", "", /filterType EMAIL needs a filterValue/],
    [undefined, "one@example.com", /filterValue needs a filterType/],
    ["EMAIL", "one", /filterValue must be an e-mail address/],
    ["PHONE_NUMBER", "555 0100", /filterValue must be a phone number/],
    ["PUBLIC_KEY", `0x${keys.one.publicKey}`, /filterValue must/],
    ["PUBLIC_KEY", "02ab", /filterValue must be a compressed P-256 key/],
    ["CREDENTIAL_ID", "+/==", /filterValue must be base64url/],
    ["NAME", "x".repeat(16_385), /`filterValue` must have at most 16384/],
    ["OIDC_TOKEN", "one", /invalid OIDC token: it is not a compact JWT/],
    ["OIDC_TOKEN", "a.b.c.d", /it is not a compact JWT/],
    ["OIDC_TOKEN", "a.+.c", /payload is not base64url/],
    ["OIDC_TOKEN", "a.e30.c", /iss, sub and a single aud are required/],
    ["OIDC_TOKEN", token({ ...claims, aud: ["app", "other"] }), /a single aud/],
    ["OIDC_TOKEN", token({ ...claims, sub: 42 }), /as text/],
    ["OIDC_CLAIMS", "[]", /iss, sub and a single aud/],
    ["OIDC_CLAIMS", "null", /not a JSON object/],
    ["OIDC_CLAIMS", '{"iss":"a","iss":"b"}', /not strict JSON/],
  ]
  for (const [type, value, message] of bad)
    t.match(
      await list(type, value),
      { status: 400, json: { code: 3, message } },
      `${type} ${value?.slice(0, 80)}`,
    )
  t.match(await list("OIDC_TOKEN", "one"), { json: { turnkeyErrorCode: "INVALID_OIDC_TOKEN" } })
})

t.test("a parent's user reads a sub-organization by every query", async (t) => {
  const ask = (path: string, body: object = {}) => query(path, body, keys.root, first)
  t.match((await ask("get_organization")).json, {
    organizationData: { organizationId: first, name: "Child 0" },
  })
  t.match((await ask("list_users")).json, { users: [{ userName: "shared" }, { userName: "one" }] })
  t.match((await ask("get_api_keys")).json, { apiKeys: { length: 2 } })
  t.match((await ask("list_wallets")).json, { wallets: [] })
  t.match((await ask("list_wallet_accounts")).json, { accounts: Array })
  t.match((await ask("list_activities")).json, { activities: [] })
  t.same(ids(await ask("list_suborgs")), [], "sub-organizations have none themselves")
})

t.test("no user reads the parent or another sub-organization", async (t) => {
  const refused = { status: 401, json: { turnkeyErrorCode: "PUBLIC_KEY_NOT_FOUND" } }
  for (const path of ["get_organization", "list_users", "list_suborgs", "list_activities"]) {
    t.match(await query(path, {}, keys.one, PARENT), refused, `${path} upwards`)
    t.match(await query(path, {}, keys.one, second), refused, `${path} sideways`)
    t.match(await query(path, {}, keys.stranger, first), refused, `${path} of another family`)
    t.match(await query(path, {}, keys.root, STRANGER), refused, `${path} of another parent`)
  }
})

t.test("whoami finds the one owner below the parent, and refuses to choose between several", async (t) => {
  const whoami = (key: TestKey, id = PARENT) => query("whoami", {}, key, id)
  t.match(await whoami(keys.one), { status: 200, json: { organizationId: first, username: "one" } })
  t.match(await whoami(keys.one, first), { status: 200, json: { organizationId: first } })
  t.match(await whoami(keys.shared), {
    status: 401,
    json: {
      code: 16,
      message: "more than one suborg associated with a public key",
      turnkeyErrorCode: "CREDENTIAL_CONFLICT",
    },
  })
  t.match(
    await whoami(keys.shared, second),
    { status: 200, json: { organizationId: second } },
    "named itself",
  )
  t.match(await whoami(keys.stranger), { status: 401, json: { turnkeyErrorCode: "PUBLIC_KEY_NOT_FOUND" } })
  t.match(await whoami(keys.one, second), { status: 401, json: { turnkeyErrorCode: "PUBLIC_KEY_NOT_FOUND" } })
  t.match(
    await whoami(keys.root, first),
    { status: 200, json: { organizationId: PARENT, userId: root.userId, username: "root" } },
    "a parent's user is a user of the parent",
  )
})

t.test("an identity is found from its creation to its deletion", async (t) => {
  const late = makeKey()
  const added = { ...user("late", late), email: "late@example.com" }
  const change = async (version: bigint, users: DocumentParts["users"], deletedAtMs = 0n) =>
    family(second, PARENT, { name: "Child 1", version, users: users ?? [], deletedAtMs })
  await change(2n, [added])
  t.same(ids(await list("EMAIL", "late@example.com")), [second])
  t.match(await query("whoami", {}, late), { json: { organizationId: second } })
  await change(3n, [{ ...added, email: "new@example.com" }])
  t.same(ids(await list("EMAIL", "late@example.com")), [])
  await change(4n, [added], 1n)
  t.same(ids(await list("EMAIL", "late@example.com")), [], "nothing of a deleted one")
  t.same(ids(await list()), [first, ...children.slice(2, 11)])
})

function token(payload: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url")
  return `${encode({ alg: "none" })}.${encode(payload)}.c2lnbmF0dXJl`
}
