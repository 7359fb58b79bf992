import { create, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  AddressFormat,
  Curve,
  FeatureName,
  PathFormat,
  TagType,
} from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  RecordKind,
  RecordSchema,
  WalletAccountRecordSchema,
  WalletRecordSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { requireQueryReply } from "../../../contract/replies.ts"
import { CREATED_MS, nextId, ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { outcome, signBody, signed, submitBody } from "../prepared.ts"
import { type Json, startApi } from "../start-api.ts"
import { makeKey } from "../stamps.ts"

const key = makeKey()
const api = await startApi(t)
const alice = user("alice", key)
const bob = user("bob", makeKey(), BigInt(Date.now() + 3_600_000))
const [staff, keys] = [TagType.USER, TagType.PRIVATE_KEY].map((type) => ({
  tagId: nextId(),
  name: "staff",
  type,
  createdAtMs: BigInt(CREATED_MS),
  updatedAtMs: BigInt(CREATED_MS),
}))
await storeOrganization(api.sql, {
  users: [{ ...alice, tagIds: [staff!.tagId] }, bob],
  rootQuorum: { threshold: 1, userIds: [alice.userId] },
  tags: [staff!, keys!],
  features: [
    { name: FeatureName.WEBHOOK, value: "https://hooks.example.com" },
    { name: FeatureName.SMS_AUTH, value: "true" },
  ],
})

const organizationId = ORGANIZATION_ID
const ask = (path: string, body: object = {}) => api.post(`query/${path}`, { organizationId, ...body }, key)
const created = { createdAtMs: BigInt(CREATED_MS), updatedAtMs: BigInt(CREATED_MS) }
const TIME = { seconds: String(CREATED_MS / 1000), nanos: "0" }

function record(kind: RecordKind, id: string, payload: Uint8Array): Uint8Array {
  return toBinary(RecordSchema, create(RecordSchema, { kind, id, organizationId, version: 1n, payload }))
}

function wallet(name: string): { id: string; bytes: Uint8Array } {
  const id = nextId()
  const payload = create(WalletRecordSchema, { name, mnemonicLength: 12, ...created })
  return { id, bytes: record(RecordKind.WALLET, id, toBinary(WalletRecordSchema, payload)) }
}

function account(walletId: string, number: number): { id: string; bytes: Uint8Array } {
  const id = nextId()
  const payload = create(WalletAccountRecordSchema, {
    walletId,
    curve: Curve.SECP256K1,
    pathFormat: PathFormat.BIP32,
    path: `m/44'/60'/0'/0/${number}`,
    addressFormat: AddressFormat.ETHEREUM,
    address: `0x${number}`,
    publicKey: "02".padEnd(66, "a"),
    ...created,
  })
  return { id, bytes: record(RecordKind.WALLET_ACCOUNT, id, toBinary(WalletAccountRecordSchema, payload)) }
}

const first = wallet("First")
const second = wallet("Second")
const accounts = Array.from({ length: 14 }, (_, number) =>
  account(number < 12 ? first.id : second.id, number),
)
api.signer.answers.push(
  outcome(alice.userId, {
    records: [first, second, ...accounts].map(({ bytes }) => bytes),
    result: { result: { case: "createWalletResult", value: { walletId: first.id } } },
  }),
)
await api.post(
  "submit/create_wallet",
  submitBody("CREATE_WALLET", { walletName: "First", accounts: [] }),
  key,
)

t.test("users", async (t) => {
  const one = (await ask("get_user", { userId: bob.userId })).json["user"]
  t.match(one, {
    userId: bob.userId,
    userName: "bob",
    userEmail: "bob@example.com",
    authenticators: [],
    userTags: [],
    oauthProviders: [],
    mfaPolicies: [],
    apiKeys: [
      { credential: { type: "CREDENTIAL_TYPE_API_KEY_P256" }, expirationSeconds: "3600", createdAt: TIME },
    ],
    createdAt: TIME,
  })
  t.notOk(Object.hasOwn(one as Json, "userPhoneNumber"), "unset optionals are absent")
  t.match((await ask("list_users")).json, { users: [{ userName: "alice" }, one] })
  t.match(await ask("get_user", { userId: nextId() }), {
    status: 404,
    json: { code: 5, message: /unable to find user/ },
  })
})

t.test("api keys of one user or of all", async (t) => {
  t.match((await ask("get_api_keys")).json, { apiKeys: { length: 2 } })
  const own = await ask("get_api_keys", { userId: alice.userId })
  t.match(own.json, { apiKeys: [{ apiKeyName: "alice's key", credential: { publicKey: key.publicKey } }] })
  t.match(await ask("get_api_keys", { userId: nextId() }), { status: 404 })
})

t.test("one api key of any user", async (t) => {
  const [{ apiKeyId }] = bob.apiKeys as [{ apiKeyId: string }]
  const { json } = await ask("get_api_key", { apiKeyId: apiKeyId.toUpperCase() })
  const { apiKey } = requireQueryReply("get_api_key", json)
  t.match(apiKey, { apiKeyId, apiKeyName: "bob's key", expirationSeconds: "3600", createdAt: TIME })
  const unknown = await ask("get_api_key", { apiKeyId: nextId() })
  t.match(unknown, { status: 404, json: { code: 5, message: /unable to find api key/ } })
  t.match(await ask("get_api_key"), { status: 400, json: { message: /apiKeyId/ } })
})

t.test("tags of users, not those of private keys", async (t) => {
  const { userTags } = requireQueryReply("list_user_tags", (await ask("list_user_tags")).json)
  const shown = { tagId: staff!.tagId, tagName: "staff", tagType: "TAG_TYPE_USER" }
  t.same(userTags, [{ ...shown, createdAt: TIME, updatedAt: TIME }])
  t.match((await ask("get_user", { userId: alice.userId })).json, { user: { userTags: [staff!.tagId] } })
})

t.test("features and root quorum", async (t) => {
  const { json } = await ask("get_organization_configs")
  const { configs } = requireQueryReply("get_organization_configs", json)
  t.same(configs, {
    features: [
      { name: "FEATURE_NAME_WEBHOOK", value: "https://hooks.example.com" },
      { name: "FEATURE_NAME_SMS_AUTH", value: "true" },
    ],
    quorum: { threshold: 1, userIds: [alice.userId] },
  })
})

t.test("wallets", async (t) => {
  const shown = {
    walletId: first.id,
    walletName: "First",
    createdAt: TIME,
    updatedAt: TIME,
    exported: false,
    imported: false,
  }
  t.same((await ask("get_wallet", { walletId: first.id })).json, { wallet: shown })
  t.match((await ask("list_wallets")).json, { wallets: [shown, { walletName: "Second" }] })
  t.match(await ask("get_wallet", { walletId: nextId() }), { status: 404, json: { code: 5 } })
  t.match(await ask("get_wallet", {}), { status: 400, json: { message: /walletId/ } })
})

t.test("an organization with all of its objects", async (t) => {
  t.match((await ask("get_organization")).json, {
    organizationData: {
      organizationId,
      name: "Dev",
      users: { length: 2 },
      policies: [],
      rootQuorum: { threshold: 1, userIds: [alice.userId] },
      tags: [{ tagType: "TAG_TYPE_USER" }, { tagType: "TAG_TYPE_PRIVATE_KEY" }],
      features: { length: 2 },
      wallets: { length: 2 },
    },
  })
})

t.test("wallet accounts, page by page", async (t) => {
  const list = async (body: object) => (await ask("list_wallet_accounts", body)).json["accounts"] as Json[]
  const ids = (rows: Json[]) => rows.map((row) => row["walletAccountId"])
  const all = accounts.map(({ id }) => id)
  const page = (options: object) => list({ paginationOptions: options }).then(ids)
  t.match((await list({}))[0], {
    walletAccountId: all[0],
    organizationId,
    walletId: first.id,
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    address: "0x0",
    caip2Prefix: "eip155",
    createdAt: TIME,
  })
  t.same(await page({}), all.slice(0, 10), "ten when no limit is given")
  t.same(await page({ limit: "100" }), all)
  t.same(await page({ limit: "1", after: all[0] }), [all[1]])
  t.same(await page({ limit: "2", before: all[5] }), [all[3], all[4]])
  t.same(ids(await list({ walletId: second.id })), all.slice(12))
  t.notOk(Object.hasOwn((await list({}))[0] ?? {}, "walletDetails"))
  t.match((await list({ includeWalletDetails: true, walletId: second.id }))[0], {
    walletDetails: { walletName: "Second" },
  })
  const faults: [object, RegExp][] = [
    [{ limit: "0" }, /limit/],
    [{ limit: "101" }, /limit/],
    [{ limit: "ten" }, /limit/],
    [{ limit: "1.5" }, /limit/],
    [{ limit: 10 }, /limit/],
    [{ before: all[1], after: all[0] }, /exclude/],
    [{ after: nextId() }, /after/],
    [{ before: "nothing" }, /before/],
  ]
  for (const [paginationOptions, message] of faults) {
    const reply = await ask("list_wallet_accounts", { paginationOptions })
    t.match(reply, { status: 400, json: { code: 3, message } }, JSON.stringify(paginationOptions))
  }
  t.match(await ask("list_wallet_accounts", { walletId: nextId() }), { status: 404 })
})

t.test("activities, newest first", async (t) => {
  for (const payload of ["a", "b", "c"]) {
    api.signer.answers.push(signed(alice.userId))
    await api.post("submit/sign_raw_payload", signBody(payload), key)
  }
  const list = async (body: object) => (await ask("list_activities", body)).json["activities"] as Json[]
  const all = await list({})
  t.match(all, [
    { intent: { signRawPayloadIntentV2: { payload: "c" } } },
    {},
    {},
    { type: "ACTIVITY_TYPE_CREATE_WALLET" },
  ])
  t.same(
    await list({ paginationOptions: { limit: "1", after: all[0]?.["id"] } }),
    [all[1]],
    "after a cursor come older ones",
  )
  t.same(await list({ filterByType: ["ACTIVITY_TYPE_CREATE_WALLET"] }), [all[3]])
  t.same(await list({ filterByStatus: ["ACTIVITY_STATUS_REJECTED"] }), [])
  t.match(await ask("list_activities", { filterByStatus: ["ODD"] }), { status: 400 })
  t.same((await ask("get_activity", { activityId: all[1]?.["id"] })).json, { activity: all[1] })
  t.match(await ask("get_activity", { activityId: nextId() }), { status: 404, json: { code: 5 } })
})

t.test("times of activities as the caller reads them", async (t) => {
  const ask = async (headers: Record<string, string>) => {
    const reply = await api.post("query/list_activities", { organizationId }, key, headers)
    return (reply.json["activities"] as Json[])[0]?.["createdAt"]
  }
  t.match(await ask({}), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  t.match(await ask({ "x-client-version": "@turnkey/http@6.6.0" }), { seconds: /^\d+$/, nanos: /^\d+$/ })
  t.match(await ask({ "user-agent": "turnkey-rust-client/0.6.0" }), { seconds: String })
  t.match(await ask({ "user-agent": "Go-http-client/1.1" }), { seconds: String })
})
