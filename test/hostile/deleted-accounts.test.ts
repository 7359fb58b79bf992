// Cost of deleting a wallet, an account or an organization, for other requests.
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import { RecordKind, RecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { type Ledger, ROW_KINDS } from "../../signer/enclave/ledger/ledger.ts"
import { LedgerMac } from "../../signer/enclave/ledger/mac.ts"
import { readArchive } from "../../signer/enclave/rpc/reads.ts"
import { ethereumAccount, outcomeOf, signParams, valueOf } from "../harness/api-client.ts"
import { stampWith } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { isLong } from "../harness/long.ts"
import { asRoot, refused, type Fixture, ledgerSequence, setup } from "./setup.ts"

const DELETE_SUB_ORGANIZATION = "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION"

/** Bounds of delete_wallets and delete_sub_organization. */
const MOST_ACCOUNTS = 2_000
const MOST_ROWS = 20_000

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)
const accountsFrom = (from: number, to: number) => range(from, to).map(ethereumAccount)

/** A wallet with so many accounts, made in requests of at most a thousand. */
async function walletOf(fixture: Fixture, walletName: string, count: number): Promise<string> {
  const { submit } = asRoot(fixture)
  const made = await submit("CREATE_WALLET", { walletName, accounts: accountsFrom(0, Math.min(count, 1000)) })
  const { walletId } = valueOf(made, "createWalletResult")
  for (let from = 1000; from < count; from += 1000) {
    const accounts = accountsFrom(from, Math.min(count, from + 1000))
    await submit("CREATE_WALLET_ACCOUNTS", { walletId, accounts })
  }
  return walletId
}

function ledgerOf({ boundary }: Fixture): Ledger {
  return boundary.signer.state().ledger
}

/** Number of rows that the signer reads or writes during the call, counted by their MACs. */
async function rowsTouched(task: () => Promise<unknown>): Promise<number> {
  const { row } = LedgerMac.prototype
  let count = 0
  Object.assign(LedgerMac.prototype, {
    row(this: LedgerMac, ...parameters: Parameters<LedgerMac["row"]>) {
      count += 1
      return row.apply(this, parameters)
    },
  })
  try {
    await task()
  } finally {
    Object.assign(LedgerMac.prototype, { row })
  }
  return count
}

function accountIds({ client }: Fixture): string[] {
  const records = [...client.records.values()].map((bytes) => fromBinary(RecordSchema, bytes))
  return records
    .filter(({ kind, deleted }) => kind === RecordKind.WALLET_ACCOUNT && !deleted)
    .map(({ id }) => id)
}

t.test(
  "deleting a wallet or account reads only its own rows, whatever the organization's size",
  async (t) => {
    const fixture = await setup(t)
    const { submit } = asRoot(fixture)
    const endOne = async (name: string) => {
      const known = new Set(accountIds(fixture))
      const walletId = await walletOf(fixture, name, 4)
      const [accountId] = accountIds(fixture).filter((id) => !known.has(id))
      const freely = { deleteWithoutExport: true }
      return {
        account: await rowsTouched(() =>
          submit("DELETE_WALLET_ACCOUNTS", { walletAccountIds: [accountId], ...freely }),
        ),
        wallet: await rowsTouched(() => submit("DELETE_WALLETS", { walletIds: [walletId], ...freely })),
      }
    }
    const before = await endOne("Small")
    t.ok(before.account > 0 && before.wallet > 0)
    const many = isLong ? 1000 : 200
    await walletOf(fixture, "Large", many)
    const after = await endOne("Small")
    t.comment(before, after)
    // A row may be looked up in two shards; hundreds would be all rows of the organization.
    for (const end of ["account", "wallet"] as const)
      t.ok(after[end] <= 2 * before[end], `${end}: ${after[end]}`)
    const left = ledgerOf(fixture).rows(fixture.acme.organizationId, "wallet-account")
    t.equal(left.length, 1 + many, "of the small wallets there is nothing left")
  },
)

t.test("A2: deleting a wallet deletes its accounts without their records", async (t) => {
  const fixture = await setup(t)
  const { client, acme, walletId, address } = fixture
  const { submit, attempt, order } = asRoot(fixture)
  await submit("CREATE_WALLET_ACCOUNTS", { walletId, accounts: accountsFrom(1, 4) })
  const wallet = client.records.get(walletId)!
  const answer = await order("DELETE_WALLETS", { walletIds: [walletId], deleteWithoutExport: true })(wallet)
  t.match(answer, { is: "outcome" })
  const ledger = ledgerOf(fixture)
  for (const kind of ["wallet-account", "address"] as const) {
    t.same(ledger.rows(acme.organizationId, kind), [], kind)
  }
  await refused(t, fixture, "SIGN_WITH_UNKNOWN", () => attempt("SIGN_RAW_PAYLOAD_V2", signParams(address)))
})

t.test(
  "delete_wallets deletes at most 2,000 accounts; a larger wallet's accounts must be deleted first",
  async (t) => {
    const fixture = await setup(t)
    const { submit, attempt } = asRoot(fixture)
    const walletId = await walletOf(fixture, "Large", MOST_ACCOUNTS)
    const freely = { deleteWithoutExport: true }
    const both = { walletIds: [walletId, fixture.walletId], ...freely }
    const tooMany = (parameters: object, what: string) =>
      refused(t, fixture, "LIMIT_EXCEEDED", () => attempt("DELETE_WALLETS", parameters), what, ledgerSequence)
    await tooMany(both, "of two wallets")
    t.match(await attempt("DELETE_WALLETS", both), { field: "parameters.walletIds" })
    await submit("CREATE_WALLET_ACCOUNTS", {
      walletId,
      accounts: accountsFrom(MOST_ACCOUNTS, MOST_ACCOUNTS + 1),
    })
    const alone = { walletIds: [walletId], ...freely }
    await tooMany(alone, "of one wallet")
    const last = accountIds(fixture).at(-1)
    await submit("DELETE_WALLET_ACCOUNTS", { walletAccountIds: [last], ...freely })
    await submit("DELETE_WALLETS", alone)
    const left = ledgerOf(fixture).rows(fixture.acme.organizationId, "address")
    t.equal(left.length, 1, "of the other wallet")
  },
)

t.test("a sub-organization that once was large is deleted at once, and purges remove its rows", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const { organizationId, root, address } = await child(client, acme)
  const names = range(0, MOST_ROWS + 1000).map((index) => ({ kind: "name", key: `key ${index}` }) as const)
  const head = ledgerOf(fixture).head(organizationId)!
  const put = names.map((name) => ({ ...name, value: new Uint8Array(0) }))
  await ledgerOf(fixture).commit([{ organizationId, expect: head, head, put, remove: [] }])

  const careful = client.body(DELETE_SUB_ORGANIZATION, organizationId, { deleteWithoutExport: false })
  const sendCareful = () => client.offer(careful, stampWith(root, careful))
  await refused(t, fixture, "LIMIT_EXCEEDED", sendCareful, "all keys would have to be read", ledgerSequence)
  const readToRefuse = await rowsTouched(sendCareful)
  t.ok(readToRefuse < 100, `${readToRefuse} rows`)

  const body = client.body(DELETE_SUB_ORGANIZATION, organizationId, { deleteWithoutExport: true })
  const touched = await rowsTouched(async () => outcomeOf(await client.send(body, root)))
  t.ok(touched < MOST_ROWS / 4, `${touched} rows: of its own shard only`)
  await boundary.restart()
  const sign = client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", organizationId, signParams(address))
  const attack = () => client.offer(sign, stampWith(root, sign))
  await refused(t, fixture, "ORGANIZATION_DELETED", attack, "after the deletion", ledgerSequence)
  const request = { organizationId, afterRecordId: "", activityFingerprints: [] }
  const archive = await readArchive(request as never, boundary.signer)
  t.same({ records: archive.records, more: archive.more }, { records: [], more: false })

  const left = () => ROW_KINDS.filter((kind) => ledgerOf(fixture).rows(organizationId, kind).length > 0)
  t.ok(left().includes("name"), "the rest is still there")
  await boundary.signer.purge()
  t.same(
    new Set(left()),
    new Set(["archive-document", "changed", "fingerprint"]),
    "no key is left in the ledger",
  )
})
