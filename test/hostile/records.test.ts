import { fromBinary, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import { RecordKind, RecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { ethereumAccount, signParams } from "../harness/api-seat.ts"
import { stampWith } from "../harness/stamper.ts"
import { allRefused, flips, refused, saysOtherwise, type Stage, stage } from "./stage.ts"

const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
const ACCOUNTS = "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS"

/** Signs with the wallet's first account, with whatever records are offered. Its keys are cold until it succeeds. */
function wish({ seat, acme, address }: Stage) {
  const body = seat.body(SIGN, acme.organizationId, signParams(address))
  const xStamp = stampWith(acme.root, body)
  return (...records: Uint8Array[]) => seat.order(body, xStamp, { records })
}

/** The stored records by kind. */
function recordsOf({ seat }: Stage, organizationId: string) {
  const all = [...seat.records.values()].map((bytes) => ({ bytes, record: fromBinary(RecordSchema, bytes) }))
  const own = all.filter(({ record }) => record.organizationId === organizationId)
  const of = (kind: RecordKind) => own.filter(({ record }) => record.kind === kind).map(({ bytes }) => bytes)
  return { wallets: of(RecordKind.WALLET), accounts: of(RecordKind.WALLET_ACCOUNT) }
}

t.test("A2: refuses a wallet or account record with a bit flipped, at every byte", async (t) => {
  const scene = await stage(t)
  const { wallets, accounts } = recordsOf(scene, scene.acme.organizationId)
  const [wallet, account] = [wallets[0]!, accounts[0]!]
  const attempt = wish(scene)
  const altered = (bytes: Uint8Array) => saysOtherwise(RecordSchema, bytes, flips(bytes))
  await allRefused(t, scene, "RECORD_FORGED", altered(wallet), (bytes) => attempt(bytes, account))
  await allRefused(t, scene, "RECORD_FORGED", altered(account), (bytes) => attempt(wallet, bytes))
  t.match(await attempt(wallet, account), { is: "outcome" })
})

t.test("A2: refuses a record with any member altered", async (t) => {
  const scene = await stage(t)
  const other = await scene.seat.tenant("Other")
  const { wallets, accounts } = recordsOf(scene, scene.acme.organizationId)
  const [wallet, account] = [wallets[0]!, accounts[0]!]
  const attempt = wish(scene)
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
  await allRefused(t, scene, "RECORD_FORGED", edited, (bytes) => attempt(bytes, account))
  t.match(await attempt(wallet, account), { is: "outcome" })
})

t.test("A2: refuses a record that contains authentic parts of another", async (t) => {
  const scene = await stage(t)
  await scene.seat.wallet(scene.acme, "Second")
  const { wallets, accounts } = recordsOf(scene, scene.acme.organizationId)
  const [wallet, account] = [wallets[0]!, accounts[0]!]
  const second = read(wallets[1]!)
  const attempt = wish(scene)
  const mixed = (["sealed", "payload", "mac", "id"] as const).map((member) =>
    toBinary(RecordSchema, { ...read(wallet), [member]: second[member] }),
  )
  await allRefused(t, scene, "RECORD_FORGED", mixed, (bytes) => attempt(bytes, account))
  t.match(await attempt(wallet, account), { is: "outcome" })
})

t.test("A2: refuses records of another organization", async (t) => {
  const scene = await stage(t)
  const other = await scene.seat.tenant("Other")
  await scene.seat.wallet(other)
  const own = recordsOf(scene, scene.acme.organizationId)
  const foreign = recordsOf(scene, other.organizationId)
  const attempt = wish(scene)
  const all: Uint8Array[][] = [
    [foreign.wallets[0]!, foreign.accounts[0]!],
    [foreign.wallets[0]!, own.accounts[0]!],
    [own.wallets[0]!, foreign.accounts[0]!],
  ]
  await allRefused(t, scene, "RECORD_OF_ANOTHER_ORGANIZATION", all, (records) => attempt(...records))
  t.match(await attempt(own.wallets[0]!, own.accounts[0]!), { is: "outcome" })
})

t.test("A2: refuses records of another wallet, and fewer than requested", async (t) => {
  const scene = await stage(t)
  await scene.seat.wallet(scene.acme, "Second")
  const { wallets, accounts } = recordsOf(scene, scene.acme.organizationId)
  const [wallet, account] = [wallets[0]!, accounts[0]!]
  const attempt = wish(scene)
  const all: Uint8Array[][] = [
    [wallets[1]!, accounts[1]!],
    [wallets[1]!, account],
    [wallet, accounts[1]!],
    [wallet],
    [account],
    [wallet, wallet],
  ]
  await allRefused(t, scene, "CONTEXT_MISSING", all, (records) => attempt(...records))
  t.match(await attempt(), { is: "needed" }, "none at all: the signer says what it lacks")
  t.match(await attempt(wallets[1]!, wallet, accounts[1]!, account), { is: "outcome" }, "more than needed")
})

t.test("A2: refuses records of another deployment", async (t) => {
  const scene = await stage(t)
  const elsewhere = await stage(t)
  const foreign = recordsOf(elsewhere, elsewhere.acme.organizationId)
  const own = recordsOf(scene, scene.acme.organizationId)
  const attempt = wish(scene)
  await refused(t, scene, "RECORD_FORGED", () => attempt(foreign.wallets[0]!, foreign.accounts[0]!))
  t.match(await attempt(own.wallets[0]!, own.accounts[0]!), { is: "outcome" })
})

t.test("A2: a changing activity opens its records by the same rules", async (t) => {
  const scene = await stage(t)
  const { seat, acme, walletId } = scene
  const { walletId: secondId } = await seat.wallet(acme, "Second")
  const { wallets, accounts } = recordsOf(scene, acme.organizationId)
  const parameters = { walletId, accounts: [ethereumAccount(5)] }
  const body = seat.body(ACCOUNTS, acme.organizationId, parameters)
  const attempt = (...records: Uint8Array[]) => seat.order(body, stampWith(acme.root, body), { records })
  await refused(t, scene, "RECORD_FORGED", () => attempt(flips(wallets[0]!)[50]!))
  await refused(t, scene, "CONTEXT_MISSING", () => attempt(seat.records.get(secondId)!))
  await refused(t, scene, "CONTEXT_MISSING", () => attempt(accounts[0]!))
  t.match(await attempt(wallets[0]!), { is: "outcome" })
})

function read(bytes: Uint8Array) {
  return fromBinary(RecordSchema, bytes)
}
