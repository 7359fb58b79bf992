// A backup of several hosts: the database first, the ledger after it, restored onto empty ones.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { ethereumAccount } from "../harness/api-client.ts"
import {
  emptyHost,
  fetcherCommand,
  holderFolder,
  nodeCommand,
  signerCommand,
  sharedSystemToBackUp,
} from "../harness/backups.ts"
import { freshDatabase } from "../harness/database.ts"
import { type CreatedOrganization, type Json, System } from "../harness/system.ts"

const emptyDatabase = (t: Test) => freshDatabase(t, { migrated: false })

async function createWallet(system: System, { organizationId, root }: CreatedOrganization, name: string) {
  const body = system.body("CREATE_WALLET", organizationId, {
    walletName: name,
    accounts: [ethereumAccount(0)],
  })
  await system.submit("create_wallet", body, root)
}

/** Names of the wallets that the API shows, and the number of activities. */
async function shown(system: System, { organizationId, root }: CreatedOrganization) {
  const ask = async (path: string) =>
    (await system.post(`query/${path}`, JSON.stringify({ organizationId }), root)).json
  const wallets = (await ask("list_wallets"))["wallets"] as Json[]
  const activities = (await ask("list_activities"))["activities"] as Json[]
  return {
    wallets: wallets.map(({ walletName }) => String(walletName)).toSorted(),
    activities: activities.length,
  }
}

/** The id that `create` printed. */
const idIn = (out: string) => (JSON.parse(out) as { backupId: string }).backupId

const { system, directory, url } = await sharedSystemToBackUp()

t.test("W126: a database's part goes to its own deployment and place, or nowhere", async (t) => {
  const { at, key, holders } = holderFolder(t)
  const create = ["backup", "database", "create", "--to", holders, "--out", at("database.part")]
  t.match(await nodeCommand(system.directory, url, ...create), { status: 0 })
  t.match(await nodeCommand(system.directory, url, ...create), { status: 2, log: /exists already/ })
  const join = ["backup", "create", "--to", holders, "--out", at("backup"), at("database.part")]
  t.match(await signerCommand(system.directory, ...join), { status: 0 })

  const host = emptyHost(t)
  const target = await emptyDatabase(t)
  const restore = (...words: string[]) =>
    nodeCommand(host, target.url, "backup", "database", "restore", at("backup"), "--key", key, ...words)
  const { notarizerPublicKey: _, ...pins } = JSON.parse(
    (await signerCommand(system.directory, "pins", "--json")).out,
  ) as { notarizerPublicKey: string }
  const foreign = { ...pins, notarizerPublicKey: "04".repeat(130) }
  writeFileSync(at("foreign.json"), JSON.stringify(foreign))
  t.match(await restore("--pins", at("foreign.json")), { status: 3, log: /BACKUP_FOREIGN/ })
  mkdirSync(`${host}/exports`)
  writeFileSync(`${host}/exports/mine`, "")
  t.match(await restore(), { status: 3, log: /BACKUP_TARGET_USED: .*exports/ })
  t.match(await restore("--dry-run"), { status: 2 })
  t.match(await restore("--to", holders), { status: 2, log: /--to does not belong/ })
  t.match(await nodeCommand(host, url, "backup", "create"), {
    status: 2,
    log: /backup takes one of database/,
  })
  t.notOk(existsSync(`${host}/exports.restoration-in-progress`), "nothing is left")

  // A restoration that was killed after the database had its rows, before exported files were in their place.
  const elsewhere = ["--exports", at("exports")]
  t.match(await restore(...elsewhere), { status: 0 })
  mkdirSync(at("exports.restoration-in-progress"))
  renameSync(at("exports"), at("exports.restoration-in-progress/exports"))
  writeFileSync(at("exports.restoration-in-progress/backup-id"), "00")
  t.match(
    await restore(...elsewhere),
    { status: 3, log: /BACKUP_TARGET_USED: the database/ },
    "of another one",
  )
  const { backupId } = JSON.parse(
    (await signerCommand(host, "backup", "verify", at("backup"), "--json")).out,
  ) as { backupId: string }
  mkdirSync(at("exports.restoration-in-progress/exports"), { recursive: true })
  writeFileSync(at("exports.restoration-in-progress/exports/activities-000001.jsonl"), "{}")
  writeFileSync(at("exports.restoration-in-progress/backup-id"), backupId)
  t.match(await restore(...elsewhere), { status: 0, out: /an earlier restoration was finished/ })
  t.strictSame(readdirSync(at("exports")), ["activities-000001.jsonl"])
})

t.test("C-1758: the parts of all hosts are one backup, and each is restored onto its own host", async (t) => {
  const { at, key, holders } = holderFolder(t)
  const [fetcherHost, proxyHost] = [emptyHost(t), emptyHost(t)]
  t.match(await fetcherCommand(fetcherHost, "init"), { status: 0 })
  const { out: publicKey } = await fetcherCommand(fetcherHost, "public-key")
  mkdirSync(join(proxyHost, "auth-proxy"), { mode: 0o700 })
  cpSync(key, join(proxyHost, "auth-proxy", "key"))
  const create = (out: string) => ["create", "--to", holders, "--json", "--out", at(out)]
  const database = await nodeCommand(directory, url, "backup", "database", ...create("database.part"))
  const id = ["--id", idIn(database.out)]
  const parts = ["database.part", "fetcher.part", "proxy.part"].map(at)
  t.match(await fetcherCommand(fetcherHost, "backup", ...create("fetcher.part"), ...id), { status: 0 })
  t.match(await nodeCommand(proxyHost, url, "backup", "proxy", ...create("proxy.part"), ...id), { status: 0 })
  const joined = await signerCommand(directory, "backup", ...create("backup"), ...parts)
  t.match(joined, { status: 0 }, joined.log)
  t.strictSame((JSON.parse(joined.out) as { parts: string[] }).parts, [
    "signer",
    "database",
    "fetcher",
    "auth proxy",
  ])
  t.match(await fetcherCommand(fetcherHost, "backup", ...create("other.part")), { status: 0 })
  t.match(
    await signerCommand(directory, "backup", ...create("mixed"), at("database.part"), at("other.part")),
    {
      status: 3,
      log: /BACKUP_MIXED/,
    },
  )

  const host = emptyHost(t)
  const restore = ["restore", at("backup"), "--key", key]
  t.match(await fetcherCommand(host, "backup", ...restore), {
    status: 0,
    out: /^the fetcher part is restored.*\nNext: compare restored-settings\.json .* join .*start the fetcher, and unlock it/s,
  })
  t.equal((await fetcherCommand(host, "public-key")).out, publicKey)
  t.match(await fetcherCommand(host, "backup", ...restore), { status: 3, log: /BACKUP_TARGET_USED/ })
  t.match(await nodeCommand(host, url, "backup", "proxy", ...restore), {
    status: 0,
    out: /^the auth proxy part is restored.*\nNext: compare restored-settings\.json .*start the auth proxy, and unlock it/s,
  })
  t.strictSame(readFileSync(join(host, "auth-proxy", "key")), readFileSync(key))
  t.match(await nodeCommand(host, url, "backup", "proxy", ...restore), {
    status: 3,
    log: /BACKUP_TARGET_USED/,
  })

  // A restoration that was killed while it moved the files goes on.
  const other = emptyHost(t)
  t.match(await fetcherCommand(other, "backup", ...restore), { status: 0 })
  const seed = join(other, "fetcher", "seed")
  mkdirSync(`${seed}.restoration-in-progress`)
  renameSync(seed, join(`${seed}.restoration-in-progress`, "seed"))
  t.match(await fetcherCommand(other, "public-key"), { status: 1 })
  writeFileSync(join(`${seed}.restoration-in-progress`, "committed"), "")
  t.match(await fetcherCommand(other, "backup", ...restore), { status: 0, out: /was finished.*\nNext: /s })
  t.equal((await fetcherCommand(other, "public-key")).out, publicKey)
  t.notOk(existsSync(`${seed}.restoration-in-progress`))
  for (const words of [
    [],
    ["make"],
    ["create", "--out", at("x")],
    ["create", "--to", holders, "--out", at("x"), "--id", "x"],
  ])
    t.match(await fetcherCommand(other, "backup", ...words), { status: 2 }, words.join(" "))
})

t.test(
  "C-1757: database and ledger of one backup are restored onto empty hosts, and the API takes from the ledger what came between",
  async (t) => {
    const { at, key, holders } = holderFolder(t)
    const acme = await system.createOrganization()
    await createWallet(system, acme, "Before")
    const exports = join(directory, "exports")
    mkdirSync(exports)
    t.teardown(() => rmSync(exports, { recursive: true }))
    writeFileSync(join(exports, "activities-000001.jsonl"), "{}\n")
    writeFileSync(join(exports, "activities-000002.jsonl.partial"), "not whole")
    const create = ["backup", "database", "create", "--to", holders, "--json", "--out"]
    const part = await nodeCommand(system.directory, url, ...create, at("database.part"))
    t.equal(part.status, 0, part.log)
    t.match(JSON.parse(part.out), { exports: 1 })
    await createWallet(system, acme, "Between")
    const words = ["backup", "create", "--to", holders, "--out", at("backup"), "--json", at("database.part")]
    const made = await signerCommand(system.directory, ...words)
    t.match(made, { status: 0 }, made.log)
    t.match(JSON.parse(made.out), { backupId: idIn(part.out), parts: ["signer", "database"] })
    t.notOk(readFileSync(at("backup")).includes("Before"), "no row can be read")
    const before = await shown(system, acme)

    const host = emptyHost(t)
    const target = await emptyDatabase(t)
    const restore = ["backup", "database", "restore", at("backup"), "--key", key]
    const restored = await nodeCommand(host, target.url, ...restore)
    t.match(restored, {
      status: 0,
      out: /\d+ rows of \d+ tables, 1 exported file\n.*compared with none.*Lost: what it alone stored.*takes them from the restored signer/s,
    })
    t.strictSame(readdirSync(join(host, "exports")), ["activities-000001.jsonl"])
    t.match(await nodeCommand(host, target.url, ...restore), {
      status: 3,
      log: /BACKUP_TARGET_USED: .*Nothing was changed/,
    })
    const [row] = await target.sql<{ count: number }[]>`select count(*)::int as count
      from activities where organization_id = ${acme.organizationId}`
    t.ok(row!.count < before.activities, "the database is as it was before the ledger was copied")
    const signer = ["backup", "restore", at("backup"), "--key", key, "--latest"]
    t.match(await signerCommand(host, ...signer), { status: 0 })
    const on = { directory: host, environment: {}, options: [] }
    const again = await System.startOn(target.url, { signer: on, api: on })
    t.teardown(() => again.stop())
    t.strictSame((await shown(again, acme)).wallets, ["Before", "Between"])
    await createWallet(again, acme, "After")
    t.strictSame((await shown(again, acme)).wallets, ["After", "Before", "Between"])
  },
)
