// A key in the cache of derived keys, and the ledger's rows that it was opened from.
import t, { type Test } from "tap"
import type { LedgerRow, RowName } from "../../signer/enclave/ledger/ledger.ts"
import { writeRecordState } from "../../signer/enclave/records/record.ts"
import { addressKey } from "../../signer/enclave/execution/state/ledger-keys.ts"
import { archiveKey } from "../../signer/enclave/execution/state/archived-records.ts"
import { fromBinary } from "@bufbuild/protobuf"
import { RecordKind, RecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import type { RefusalName } from "../../signer/core/refusal.ts"
import { ethereumAccount, signParams } from "../harness/api-client.ts"
import { asRoot, type Fixture, setup } from "./setup.ts"

const ALIVE = { is: "outcome" } as const

/** Changes rows of the organization without any activity, as damage or a fault of the signer would. */
async function write({ boundary, acme }: Fixture, rows: { put?: LedgerRow[]; remove?: RowName[] }) {
  const { ledger } = boundary.signer.state()
  const { organizationId } = acme
  const head = ledger.head(organizationId)!
  await ledger.commit([{ organizationId, expect: head, head, put: [], remove: [], ...rows }])
}

function sign(fixture: Fixture, signWith: string) {
  return asRoot(fixture).attempt("SIGN_RAW_PAYLOAD_V2", signParams(signWith))
}

async function stops(
  t: Test,
  fixture: Fixture,
  signWith: string,
  rows: Parameters<typeof write>[1],
  code: RefusalName,
) {
  t.match(await sign(fixture, signWith), ALIVE, "the unaltered twin")
  t.match(await sign(fixture, signWith), ALIVE, "from the cache")
  await write(fixture, rows)
  t.match(await sign(fixture, signWith), { is: "refused", code })
  t.match(await sign(fixture, signWith), { is: "refused", code }, "and again")
}

t.test("A2: a cached account signs only while the ledger has its row", async (t) => {
  const fixture = await setup(t)
  const { boundary, address, walletId } = fixture
  const { keyring, ledger } = boundary.signer.state()
  const { organizationId } = fixture.acme
  const parameters = { walletId, accounts: [ethereumAccount(1)] }
  const { result } = await asRoot(fixture).submit("CREATE_WALLET_ACCOUNTS", parameters)
  const other = (result!.result.value as { addresses: string[] }).addresses[0]!
  t.match(await sign(fixture, other), ALIVE)
  const row = { kind: "address", key: addressKey(keyring, address) } as const
  const value = ledger.row(organizationId, row.kind, row.key)!
  await stops(t, fixture, address, { remove: [row] }, "SIGN_WITH_UNKNOWN")
  t.match(await sign(fixture, other), ALIVE, "another account signs on")
  await write(fixture, { put: [{ ...row, value }] })
  t.match(await sign(fixture, address), ALIVE, "with its row restored")
  const targetOfOther = ledger.row(organizationId, "address", addressKey(keyring, other))!
  await write(fixture, { put: [{ ...row, value: targetOfOther }] })
  const swapped = await sign(fixture, address)
  const expected = await sign(fixture, other)
  t.same(signatureOf(swapped), signatureOf(expected), "the row alone says which account signs")
})

t.test("A2: a cached account signs only while its wallet's row has it alive", async (t) => {
  const fixture = await setup(t)
  const { address, walletId } = fixture
  const value = writeRecordState({ version: 2n, deleted: true })
  const rows = { put: [{ kind: "record", key: walletId, value } as const] }
  await stops(t, fixture, address, rows, "RECORD_DELETED")
})

t.test("A2: a cached private key signs only while the ledger has its rows", async (t) => {
  for (const [what, code] of [
    ["archive-record", "SIGN_WITH_UNKNOWN"],
    ["record", "RECORD_DELETED"],
  ] as const) {
    const fixture = await setup(t)
    const privateKeys = [
      { privateKeyName: "K", curve: "CURVE_SECP256K1", privateKeyTags: [], addressFormats: [] },
    ]
    const { result } = await asRoot(fixture).submit("CREATE_PRIVATE_KEYS_V2", { privateKeys })
    const id = (result!.result.value as { privateKeys: { privateKeyId: string }[] }).privateKeys[0]!
      .privateKeyId
    const key = archiveKey(RecordKind.PRIVATE_KEY, id)
    const value = writeRecordState({ version: 2n, deleted: true })
    const rows =
      what === "record"
        ? { put: [{ kind: "record", key: id, value } as const] }
        : { remove: [{ kind: "archive-record", key } as const] }
    await stops(t, fixture, id, rows, code)
  }
})

function signatureOf(answer: Awaited<ReturnType<typeof sign>>): unknown {
  return answer.is === "outcome" ? answer.outcome.result?.result.value : answer
}

/** For each wallet whether the signer holds keys along its last paths. */
function heldOf({ boundary, acme }: Fixture, walletIds: readonly string[]): boolean[] {
  const { heldWallets } = boundary.signer.state()
  return walletIds.map((id) => heldWallets.get(`${acme.organizationId} ${id}`, 0) !== undefined)
}

t.test(
  "C-1940: keys along a wallet's last path leave memory with an account, its wallet, their time and the signer",
  async (t) => {
    const fixture = await setup(t)
    const { boundary, client, acme, walletId, address } = fixture
    const { submit } = asRoot(fixture)
    const [second, third] = [await client.wallet(acme, "Second"), await client.wallet(acme, "Third")]
    const ids = [walletId, second.walletId, third.walletId]
    for (const signWith of [address, second.address, third.address])
      t.match(await sign(fixture, signWith), ALIVE)
    t.same(heldOf(fixture, ids), [true, true, true])
    const { records } = await submit("CREATE_WALLET_ACCOUNTS", { walletId, accounts: [ethereumAccount(1)] })
    const walletAccountIds = records.map((bytes) => fromBinary(RecordSchema, bytes).id)
    await submit("DELETE_WALLET_ACCOUNTS", { walletAccountIds, deleteWithoutExport: true })
    t.same(heldOf(fixture, ids), [false, true, true], "of its wallet alone")
    await submit("DELETE_WALLETS", { walletIds: [second.walletId], deleteWithoutExport: true })
    t.notOk(heldOf(fixture, ids)[1])

    const { heldWallets, signingKeys } = boundary.signer.state()
    const sizes = () => [heldWallets.size, signingKeys.size]
    t.match(await sign(fixture, third.address), ALIVE)
    t.same(sizes(), [1, 1])
    boundary.clock.pass(11 * 60 * 1000)
    await boundary.signer.purge()
    t.same(sizes(), [0, 0], "no longer than their time, used or not")
    t.match(await sign(fixture, third.address), ALIVE)
    t.same(sizes(), [1, 1])
    await boundary.restart()
    t.same(sizes(), [0, 0])
  },
)

t.test("C-1941: a signer that decides nothing keeps no keys of users in memory", async (t) => {
  const fixture = await setup(t)
  const { boundary, address } = fixture
  t.match(await sign(fixture, address), ALIVE)
  const { heldWallets, signingKeys, rollback } = boundary.signer.state()
  t.same([heldWallets.size, signingKeys.size], [1, 1])
  rollback.report({ version: 1_000n })
  t.equal(boundary.signer.phase().name, "ledger-older")
  await boundary.signer.purge()
  t.same([heldWallets.size, signingKeys.size], [0, 0])
})
