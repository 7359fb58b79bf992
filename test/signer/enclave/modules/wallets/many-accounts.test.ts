// Activities over hundreds of accounts, a thousand in the long form, in an organization whose rows are in many shards: others have their turns meanwhile.
import { fromBinary } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import { RecordKind, RecordSchema } from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { LedgerMac } from "../../../../../signer/enclave/ledger/mac.ts"
import { ethereumAccount, signParams } from "../../../../harness/api-client.ts"
import { isLong } from "../../../../harness/long.ts"
import { stampWith } from "../../../../harness/stamper.ts"
import { asRoot, type Fixture, setup } from "../../../../hostile/setup.ts"

/** The most of one activity; in the short form what is more than a slice. */
const ACCOUNTS = isLong ? 1_000 : 250

const fixture = await setup(t)
const { boundary, client, acme, walletId, address } = fixture
const { submit } = asRoot(fixture)
for (const from of [1, ACCOUNTS + 1]) {
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => ethereumAccount(from + index))
  await submit("CREATE_WALLET_ACCOUNTS", { walletId, accounts })
}
const accountIds = [...client.records.values()]
  .map((bytes) => fromBinary(RecordSchema, bytes))
  .filter(({ kind }) => kind === RecordKind.WALLET_ACCOUNT)
  .map(({ id }) => id)
  .slice(-ACCOUNTS)

/** Restarts the signer and reads the organization's own shard. */
async function restart({ boundary }: Fixture): Promise<void> {
  await boundary.restart()
  await submit("SIGN_RAW_PAYLOAD_V2", signParams(address))
}

/** Runs `work` and counts MACs of rows: all, and the most between two turns of the event loop. */
async function countMacs<T>(
  t: Test,
  work: () => Promise<T>,
): Promise<{ result: T; all: number; most: number }> {
  const original = LedgerMac.prototype.row
  let [all, most, before] = [0, 0, 0]
  LedgerMac.prototype.row = function (...parameters) {
    all += 1
    most = Math.max(most, all - before)
    return original.apply(this, parameters)
  }
  const onTurn = () => {
    before = all
    turn = setImmediate(onTurn)
  }
  let turn = setImmediate(onTurn)
  t.teardown(() => {
    clearImmediate(turn)
    LedgerMac.prototype.row = original
  })
  const result = await work()
  clearImmediate(turn)
  LedgerMac.prototype.row = original
  return { result, all, most }
}

function orderOf(type: string, parameters: object) {
  const body = client.body(`ACTIVITY_TYPE_${type}`, acme.organizationId, parameters)
  return (records: Uint8Array[]) => client.order(body, stampWith(acme.root, body), { records })
}

t.test(
  "the first request that makes many accounts, 1,000 in the long form, verifies the ledger in slices",
  async (t) => {
    await restart(fixture)
    const accounts = Array.from({ length: ACCOUNTS }, (_, index) => ethereumAccount(index))
    const made = await countMacs(t, () => orderOf("CREATE_WALLET", { walletName: "Many", accounts })([]))
    t.match(made.result, { is: "outcome" })
    t.ok(made.all > ACCOUNTS, "the shards of the addresses were verified")
    t.ok(made.most < made.all / 2, `${made.most} of ${made.all} in one turn`)
  },
)

t.test(
  "the first request that deletes many accounts, 1,000 in the long form, verifies the ledger in slices",
  async (t) => {
    await restart(fixture)
    const deletion = orderOf("DELETE_WALLET_ACCOUNTS", {
      walletAccountIds: accountIds,
      deleteWithoutExport: true,
    })
    const asked = await countMacs(t, () => deletion([]))
    t.match(asked.result, { is: "needed", needed: { recordIds: accountIds } })
    t.ok(asked.all > ACCOUNTS, "the shards of the records were verified")
    t.ok(asked.most < asked.all / 2, `${asked.most} of ${asked.all} in one turn`)
    const done = await countMacs(t, () => deletion(accountIds.map((id) => client.records.get(id)!)))
    t.match(done.result, { is: "outcome" })
    t.ok(done.most < done.all / 2, `${done.most} of ${done.all} in one turn`)
  },
)

t.test(
  "the first request that deletes a wallet of many accounts, 1,000 in the long form, verifies the ledger in slices",
  async (t) => {
    await restart(fixture)
    const deletion = orderOf("DELETE_WALLETS", { walletIds: [walletId], deleteWithoutExport: true })
    const done = await countMacs(t, () => deletion([client.records.get(walletId)!]))
    t.match(done.result, { is: "outcome" })
    t.ok(done.all > ACCOUNTS)
    t.ok(done.most < done.all / 2, `${done.most} of ${done.all} in one turn`)
    t.match(boundary.signer.state().ledger.rows(acme.organizationId, "address"), [], "no account is left")
  },
)
