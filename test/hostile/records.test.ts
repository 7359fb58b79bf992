import { fromBinary, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import { RecordKind, RecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { ethereumAccount, signParams } from "../harness/api-client.ts"
import { stampWith } from "../harness/stamper.ts"
import { allRefused, bitFlips, refused, decodesDifferently, type Fixture, setup } from "./setup.ts"

const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
const ACCOUNTS = "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS"

/** Signs with the wallet's first account and the supplied records. Its keys are not cached until it succeeds. */
function request({ client, acme, address }: Fixture) {
  const body = client.body(SIGN, acme.organizationId, signParams(address))
  const xStamp = stampWith(acme.root, body)
  return (...records: Uint8Array[]) => client.order(body, xStamp, { records })
}

/** The stored records by kind. */
function recordsOf({ client }: Fixture, organizationId: string) {
  const all = [...client.records.values()].map((bytes) => ({
    bytes,
    record: fromBinary(RecordSchema, bytes),
  }))
  const own = all.filter(({ record }) => record.organizationId === organizationId)
  const of = (kind: RecordKind) => own.filter(({ record }) => record.kind === kind).map(({ bytes }) => bytes)
  return { wallets: of(RecordKind.WALLET), accounts: of(RecordKind.WALLET_ACCOUNT) }
}

t.test("A2: refuses a wallet or account record with a bit flipped, at every byte", async (t) => {
  const fixture = await setup(t)
  const { wallets, accounts } = recordsOf(fixture, fixture.acme.organizationId)
  const [wallet, account] = [wallets[0]!, accounts[0]!]
  const attempt = request(fixture)
  const altered = (bytes: Uint8Array) => decodesDifferently(RecordSchema, bytes, bitFlips(bytes))
  await allRefused(t, fixture, "RECORD_FORGED", altered(wallet), (bytes) => attempt(bytes, account))
  await allRefused(t, fixture, "RECORD_FORGED", altered(account), (bytes) => attempt(wallet, bytes))
  t.match(await attempt(wallet, account), { is: "outcome" })
})

t.test("A2: refuses a record with any member altered", async (t) => {
  const fixture = await setup(t)
  const other = await fixture.client.createOrganization("Other")
  const { wallets, accounts } = recordsOf(fixture, fixture.acme.organizationId)
  const [wallet, account] = [wallets[0]!, accounts[0]!]
  const attempt = request(fixture)
  const edits: Partial<ReturnType<typeof read>>[] = [
    { kind: RecordKind.WALLET_ACCOUNT },
    { kind: RecordKind.UNSPECIFIED },
    { kind: 99 as RecordKind },
    { organizationId: other.organizationId },
    { id: other.organizationId },
    { version: 2n },
    { version: 0n },
    { epoch: 2 },
    { deleted: true },
    { payload: new Uint8Array(0) },
    { sealed: new Uint8Array(0) },
    { mac: new Uint8Array(0) },
    { mac: new Uint8Array(32) },
  ]
  const edited = edits.map((edit) => toBinary(RecordSchema, { ...read(wallet), ...edit }))
  await allRefused(t, fixture, "RECORD_FORGED", edited, (bytes) => attempt(bytes, account))
  t.match(await attempt(wallet, account), { is: "outcome" })
})

t.test("A2: refuses a record that contains authentic parts of another", async (t) => {
  const fixture = await setup(t)
  await fixture.client.wallet(fixture.acme, "Second")
  const { wallets, accounts } = recordsOf(fixture, fixture.acme.organizationId)
  const [wallet, account] = [wallets[0]!, accounts[0]!]
  const second = read(wallets[1]!)
  const attempt = request(fixture)
  const mixed = (["sealed", "payload", "mac", "id"] as const).map((member) =>
    toBinary(RecordSchema, { ...read(wallet), [member]: second[member] }),
  )
  await allRefused(t, fixture, "RECORD_FORGED", mixed, (bytes) => attempt(bytes, account))
  t.match(await attempt(wallet, account), { is: "outcome" })
})

t.test("A2: refuses records of another organization", async (t) => {
  const fixture = await setup(t)
  const other = await fixture.client.createOrganization("Other")
  await fixture.client.wallet(other)
  const own = recordsOf(fixture, fixture.acme.organizationId)
  const foreign = recordsOf(fixture, other.organizationId)
  const attempt = request(fixture)
  const all: Uint8Array[][] = [
    [foreign.wallets[0]!, foreign.accounts[0]!],
    [foreign.wallets[0]!, own.accounts[0]!],
    [own.wallets[0]!, foreign.accounts[0]!],
  ]
  await allRefused(t, fixture, "RECORD_OF_ANOTHER_ORGANIZATION", all, (records) => attempt(...records))
  t.match(await attempt(own.wallets[0]!, own.accounts[0]!), { is: "outcome" })
})

t.test("A2: refuses records of another wallet, and fewer than requested", async (t) => {
  const fixture = await setup(t)
  await fixture.client.wallet(fixture.acme, "Second")
  const { wallets, accounts } = recordsOf(fixture, fixture.acme.organizationId)
  const [wallet, account] = [wallets[0]!, accounts[0]!]
  const attempt = request(fixture)
  const all: Uint8Array[][] = [
    [wallets[1]!, accounts[1]!],
    [wallets[1]!, account],
    [wallet, accounts[1]!],
    [wallet],
    [account],
    [wallet, wallet],
  ]
  await allRefused(t, fixture, "CONTEXT_MISSING", all, (records) => attempt(...records))
  t.match(await attempt(), { is: "outcome" }, "none at all: the ledger has its own")
  t.match(await attempt(wallets[1]!, wallet, accounts[1]!, account), { is: "outcome" }, "more than needed")
})

t.test("A2: refuses records of another deployment", async (t) => {
  const fixture = await setup(t)
  const elsewhere = await setup(t)
  const foreign = recordsOf(elsewhere, elsewhere.acme.organizationId)
  const own = recordsOf(fixture, fixture.acme.organizationId)
  const attempt = request(fixture)
  await refused(t, fixture, "RECORD_FORGED", () => attempt(foreign.wallets[0]!, foreign.accounts[0]!))
  t.match(await attempt(own.wallets[0]!, own.accounts[0]!), { is: "outcome" })
})

t.test("A2: a changing activity opens its records by the same rules", async (t) => {
  const fixture = await setup(t)
  const { client, acme, walletId } = fixture
  const { walletId: secondId } = await client.wallet(acme, "Second")
  const { wallets, accounts } = recordsOf(fixture, acme.organizationId)
  const parameters = { walletId, accounts: [ethereumAccount(5)] }
  const body = client.body(ACCOUNTS, acme.organizationId, parameters)
  const attempt = (...records: Uint8Array[]) => client.order(body, stampWith(acme.root, body), { records })
  await refused(t, fixture, "RECORD_FORGED", () => attempt(bitFlips(wallets[0]!)[50]!))
  await refused(t, fixture, "CONTEXT_MISSING", () => attempt(client.records.get(secondId)!))
  await refused(t, fixture, "CONTEXT_MISSING", () => attempt(accounts[0]!))
  t.match(await attempt(wallets[0]!), { is: "outcome" })
})

function read(bytes: Uint8Array) {
  return fromBinary(RecordSchema, bytes)
}
