// Rehearsals of each part of a backup: it is restored aside, used as its process uses it, and removed.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { once } from "node:events"
import { dirname, join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { closeDatabase, connectDatabase } from "../../services/database/database.ts"
import { ethereumAccount, solanaAccount } from "../harness/api-client.ts"
import {
  backUpAll,
  beginOn,
  emptyHost,
  fetcherCommand,
  holderFiles,
  holderFolder,
  nodeCommand,
  runOn,
  signerCommand,
  sharedSystemToBackUp,
  serveSigner,
} from "../harness/backups.ts"
import { casesOf } from "../harness/long.ts"
import { PASSPHRASE, sealedSigner } from "../signer/operator/sealed-signer.ts"

const { system, directory, url } = await sharedSystemToBackUp()
const sql = connectDatabase({ url })
t.teardown(() => closeDatabase(sql))
const acme = await system.createOrganization()
const accounts = [ethereumAccount(0), solanaAccount(0)]
const body = system.body("CREATE_WALLET", acme.organizationId, { walletName: "Kept", accounts })
await system.submit("create_wallet", body, acme.root)

/** Folders that a rehearsal or a restoration left below a data directory. */
const leftIn = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.includes("-in-progress"),
  )

t.test("C-1761, W129: each part of a joined backup is rehearsed, and nothing is left", async (t) => {
  const { at, key, holders } = holderFolder(t)
  const backup = await backUpAll({ directory, url, holders, out: at("backup") })
  const words = ["rehearse", backup, "--key", key]
  const signer = await signerCommand(directory, "backup", ...words, "--json")
  t.equal(signer.status, 0, signer.log)
  const report = JSON.parse(signer.out) as { signatures: number }
  t.ok(report.signatures >= 2, "those of this file's wallet, and of other wallets of the system")
  t.match(report, {
    isSealed: false,
    curves: ["CURVE_SECP256K1", "CURVE_ED25519"],
    others: ["database", "fetcher", "auth proxy"].map((part) => ({ part, isOpened: true })),
  })
  const [fetcherKeys, count] = [
    (await fetcherCommand(directory, "public-key")).out.trim(),
    await sql<{ count: number }[]>`select count(*)::int as count from activities`,
  ]
  t.match(await fetcherCommand(directory, "backup", ...words), {
    status: 0,
    out: new RegExp(`its public keys are ${fetcherKeys}; its store of codes opens[^]*Everything was removed`),
  })
  t.match(await nodeCommand(directory, url, "backup", "proxy", ...words), {
    status: 0,
    out: /its public key is 0[23][0-9a-f]{64}/,
  })
  t.match(await nodeCommand(directory, url, "backup", "database", ...words), {
    status: 0,
    out: /\d+ rows of \d+ tables, 0 exported files\n[^]*rolled back/,
  })
  const schemas = await sql`select from pg_namespace where nspname like '%rehearsal%'`
  t.equal(schemas.length, 0)
  t.strictSame(
    await sql`select count(*)::int as count from activities`,
    count,
    "the running database is as before",
  )
  t.strictSame(leftIn(directory), [])

  writeFileSync(at("other.key"), "5ca1ab1f".repeat(8))
  for (const ended of [
    await signerCommand(directory, "backup", "rehearse", backup, "--key", at("other.key")),
    await fetcherCommand(directory, "backup", "rehearse", backup, "--key", at("other.key")),
    await nodeCommand(directory, url, "backup", "proxy", "rehearse", backup, "--key", at("other.key")),
    await nodeCommand(directory, url, "backup", "database", "rehearse", backup, "--key", at("other.key")),
  ])
    t.match(ended, { status: 3, log: /BACKUP_KEY_WRONG/ })
  t.strictSame(leftIn(directory), [])
})

t.test("W129: a rehearsal removes its folder before a signal ends it", async (t) => {
  const { at, key, holders } = holderFolder(t)
  t.match(await signerCommand(directory, "backup", "create", "--to", holders, "--out", at("backup")), {
    status: 0,
  })
  const scratch = join(directory, "signer", "ledger.rehearsal-in-progress")
  for (const signal of casesOf(1, ["SIGTERM", "SIGINT", "SIGHUP"] as const)) {
    const child = beginOn(t, directory, [
      "signer/operator/main.ts",
      "backup",
      "rehearse",
      at("backup"),
      "--key",
      key,
    ])
    while (!existsSync(join(scratch, "root-seed"))) await pause(5)
    child.kill(signal)
    const [status] = (await once(child, "exit")) as [number | null]
    t.ok(status !== null && status > 128, signal)
    t.strictSame(leftIn(directory), [], signal)
  }
})

t.test("W129: a sealed seed is opened by shares or the passphrase for the rehearsal alone", async (t) => {
  const { directory, run, sheets } = await sealedSigner(t)
  const folder = t.testdir()
  const { key, holders } = holderFiles(folder)
  const file = join(folder, "backup")
  t.match(await run(["unlock", "--command"]), { status: 0 })
  t.match(await run(["backup", "create", "--to", holders, "--out", file]), { status: 0 })
  const words = ["backup", "rehearse", file, "--key", key]
  t.match(await run(words), { status: 0, out: /its seed is sealed, so no key signed: --unlock takes shares/ })
  const signed = { status: 0, out: /none of 0 organizations has a wallet.*signed a checkpoint of \d+ leaves/ }
  t.match(await run([...words, "--unlock"], `${sheets[2]}\n${sheets[0]}\n`), signed)
  t.match(await run([...words, "--passphrase"], `${PASSPHRASE}\n`), signed)
  t.match(await run([...words, "--unlock"], `${sheets[1]}\n\n`), {
    status: 3,
    log: /the seed of this backup stayed sealed\. locked: 1 of 2 shares/,
  })
  t.match(await run([...words, "--unlock", "--passphrase"]), { status: 2 })
  t.strictSame(leftIn(directory), [])
})

t.test(
  "C-1763: the audit stream and the secret of the captcha provider come back with their parts",
  async (t) => {
    const { at, key, holders } = holderFolder(t)
    writeFileSync(at("turnstile"), "0x4AAA-secret\n")
    const environment = {
      COUNTERSIGN_AUTH_PROXY_TURNSTILE_SECRET_FILE: at("turnstile"),
      COUNTERSIGN_AUTH_PROXY_TURNSTILE_SITE_KEY: "0x4AAA",
    }
    const backup = await backUpAll({ directory, url, holders, out: at("backup"), environment })
    t.notOk(readFileSync(backup).includes("0x4AAA-secret"))
    const host = emptyHost(t)
    const restore = ["restore", backup, "--key", key]
    t.match(await nodeCommand(host, url, "backup", "proxy", ...restore), { status: 0 })
    const restoredSecret = join(host, "auth-proxy", "restored-turnstile-secret")
    t.equal(readFileSync(restoredSecret, "utf8"), "0x4AAA-secret\n")
    t.match(await signerCommand(host, "backup", ...restore, "--latest"), { status: 0 })
    const audit = join("signer", "audit", "audit-00000001.jsonl")
    const [before, after] = [directory, host].map((at) => readFileSync(join(at, audit), "utf8"))
    t.ok(before!.startsWith(after!) && after!.length > 0, "as far as it was copied")

    serveSigner(t, host)
    t.match(await signerCommand(host, "status", "--wait", "60"), { status: 0 })
    const later = readFileSync(join(host, audit), "utf8")
    t.ok(later.startsWith(after!) && later.length > after!.length, "the stream goes on")
    t.notMatch(later, /"kind":"broken"/, "the log finds the record that it had bound")

    const used = emptyHost(t)
    mkdirSync(dirname(join(used, audit)), { recursive: true })
    writeFileSync(join(used, audit), "{}\n")
    t.match(await signerCommand(used, "backup", ...restore), {
      status: 3,
      log: /BACKUP_TARGET_USED: .*audit exists/,
    })
  },
)

t.test("C-1761: a backup of years ago is rehearsed by the time of its making", async (t) => {
  const golden = join(import.meta.dirname, "..", "golden", "backup-1.backup")
  const host = emptyHost(t)
  mkdirSync(host, { recursive: true })
  const { key } = holderFiles(t.testdir())
  const clock = join(import.meta.dirname, "..", "harness", "shifted-clock.mjs")
  const year = 365 * 24 * 60 * 60 * 1000
  const environment = { NODE_OPTIONS: `--import ${clock}`, TEST_CLOCK_SHIFT_MS: String(3 * year) }
  const words = ["signer/operator/main.ts", "backup", "rehearse", golden, "--key", key]
  t.match(await runOn(host, words, environment), { status: 0, out: /1 key of wallets signed/ })
})
