// Queries without pages: their answers are bounded in bytes.
import { create, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  Oauth2CredentialRecordSchema,
  PrivateKeyRecordSchema,
  RecordKind,
  RecordSchema,
  SmartContractInterfaceRecordSchema,
  WalletRecordSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { AnswerSize, MAX_LIST_BYTES } from "../../../../services/api/queries/shared/answer-size.ts"
import { restoreState } from "../../../../services/api/store/changes.ts"
import { recordChanges } from "../../../../services/api/store/state-change.ts"
import { nextId, ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { casesOf } from "../../../harness/long.ts"
import { type Json, startApi } from "../start-api.ts"
import { makeKey } from "../stamps.ts"

const key = makeKey()
const api = await startApi(t)
const alice = user("alice", key)
await storeOrganization(api.sql, { users: [alice], rootQuorum: { threshold: 1, userIds: [alice.userId] } })

/** Just under a 32nd of the bound. */
const TEXT = "x".repeat(MAX_LIST_BYTES / 32 - 1024)

const LISTS = [
  {
    path: "list_wallets",
    kind: RecordKind.WALLET,
    member: "wallets",
    instead: "get_wallet",
    payload: toBinary(WalletRecordSchema, create(WalletRecordSchema, { name: TEXT })),
  },
  {
    path: "list_private_keys",
    kind: RecordKind.PRIVATE_KEY,
    member: "privateKeys",
    instead: "get_private_key",
    payload: toBinary(PrivateKeyRecordSchema, create(PrivateKeyRecordSchema, { name: TEXT })),
  },
  {
    path: "list_smart_contract_interfaces",
    kind: RecordKind.SMART_CONTRACT_INTERFACE,
    member: "smartContractInterfaces",
    instead: "get_smart_contract_interface",
    payload: toBinary(
      SmartContractInterfaceRecordSchema,
      create(SmartContractInterfaceRecordSchema, { text: TEXT }),
    ),
  },
  {
    path: "list_oauth2_credentials",
    kind: RecordKind.OAUTH2_CREDENTIAL,
    member: "oauth2Credentials",
    instead: "get_oauth2_credential",
    payload: toBinary(
      Oauth2CredentialRecordSchema,
      create(Oauth2CredentialRecordSchema, { encryptedClientSecret: TEXT }),
    ),
  },
]

/** Records of each kind so far. */
const counts = new Map<RecordKind, number>()

async function addRecords(kind: RecordKind, payload: Uint8Array, count: number): Promise<void> {
  const records = Array.from({ length: count }, () => {
    const record = { kind, id: nextId(), organizationId: ORGANIZATION_ID, version: 1n, payload }
    return toBinary(RecordSchema, create(RecordSchema, record))
  })
  const state = { organizationId: ORGANIZATION_ID, organization: undefined, createdMs: 0 }
  await restoreState(api.sql, { ...state, ...recordChanges(records) })
  counts.set(kind, (counts.get(kind) ?? 0) + count)
}

const query = (path: string) => api.post(`query/${path}`, { organizationId: ORGANIZATION_ID }, key)

async function refusedFor(path: string, instead: string): Promise<void> {
  const { status, json } = await query(path)
  t.equal(status, 400, path)
  t.match(json, {
    code: 11,
    message: `the answer exceeds 32 MiB, and this query has no pages: use ${instead}`,
  })
  t.match((json["details"] as Json[]).at(-1), { reason: "LIST_TOO_LARGE" })
}

t.test("get_organization counts all of its lists together, and names their queries", async (t) => {
  for (const [index, { kind, payload }] of LISTS.slice(0, 2).entries())
    await addRecords(kind, payload, index === 0 ? 31 : 2)
  for (const path of ["list_wallets", "list_private_keys"]) t.equal((await query(path)).status, 200, path)
  await refusedFor("get_organization", "the queries of its parts, such as list_users")
})

for (const { path, kind, member, instead, payload } of casesOf(1, LISTS)) {
  t.test(`${path} is refused beyond 32 MiB, and names the query of one object`, async (t) => {
    const missing = 31 - (counts.get(kind) ?? 0)
    if (missing > 0) await addRecords(kind, payload, missing)
    const below = await query(path)
    t.equal(below.status, 200)
    t.equal((below.json[member] as unknown[]).length, 31)
    await addRecords(kind, payload, 2)
    await refusedFor(path, instead)
  })
}

t.test("the size of an answer is that of its items and of the commas between them", async (t) => {
  const size = new AnswerSize("another", 8)
  size.add("123")
  size.add("456")
  t.throws(() => size.add(""), { message: /this query has no pages: use another/ })
})
