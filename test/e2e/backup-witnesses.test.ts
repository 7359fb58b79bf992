// A signer restored from an earlier backup, before witnesses that cosigned a later head. Its seed is sealed, and holders approve its acts.
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { readConfig } from "../../signer/enclave/config.ts"
import { ceremony } from "../../signer/operator/ceremony/ceremony.ts"
import { emptyHost, holderFiles } from "../harness/backups.ts"
import { type Ended, runCommandLine } from "../harness/commands.ts"
import { Holder } from "../harness/holder-keys.ts"
import { patienceMs } from "../harness/patience.ts"
import { System } from "../harness/system.ts"
import { change, hostOf, until, witnessedSystem } from "../harness/witnessed-system.ts"
import { CEREMONY, Holders } from "../signer/operator/ceremony/holders.ts"
import { PASSPHRASE } from "../signer/operator/sealed-signer.ts"

t.setTimeout(patienceMs(300_000))

const CLOCK = join(import.meta.dirname, "..", "harness", "shifted-clock.mjs")
/** After the wait that follows `accept-ledger`. */
const LATER_MS = 70 * 60 * 1000

type Host = ReturnType<typeof hostOf>
/** Runs the operator's command on a host, with these lines typed. */
function run({ directory, environment }: Host, words: readonly string[], input = ""): Promise<Ended> {
  const env = { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR: directory, ...environment }
  return runCommandLine({ program: "signer/operator/main.ts", words, environment: env, input })
}

/** Seals the seed of a stopped deployment. @returns keys of the holders, two of whom approve an act */
async function seal({ directory, environment }: Host): Promise<Holder[]> {
  const keys = [new Holder(), new Holder(), new Holder()]
  const order = {
    ...CEREMONY,
    shares: 3,
    threshold: 2,
    usesPassphrase: true,
    holders: keys.map(({ hex }) => hex),
  }
  const atTerminal = new Holders((question) =>
    /^Passphrase|^The same/.test(question) ? PASSPHRASE : undefined,
  )
  await ceremony(order, readConfig({ COUNTERSIGN_DATA_DIR: directory, ...environment }), atTerminal)
  return keys
}

const unlock = (host: Host) => run(host, ["unlock", "--passphrase", "--wait", "60"], `${PASSPHRASE}\n`)

t.test(
  "C-1766: a restored signer that says to be the latest is halted by witnesses of a later head, until holders have its ledger accepted",
  async (t) => {
    const { system, witnesses, acme, logKey, host, sql, url } = await witnessedSystem(t)
    const approvers = await seal(host)
    for (const witness of witnesses) await witness.start(logKey)
    await system.startSigner()
    t.match(await unlock(host), { status: 0 })
    await system.startApi()
    const { key, holders } = holderFiles(t.testdir())
    const backup = join(emptyHost(t), "backup")
    const create = ["backup", "create", "--to", holders, "--out", backup]
    t.match(await run(host, create), { status: 0 })
    t.equal((await change(system, acme)).status, 200, "after the backup")
    await pause(2_500)
    await system.killApi()
    await system.terminate("signer")
    // All that the API tier knew of newer heads is gone, as with a database that was restored along.
    await sql`truncate log_heads`

    const other = hostOf()
    t.teardown(() => rmSync(other.directory, { recursive: true, force: true }))
    other.environment = { ...host.environment }
    t.match(await run(other, ["backup", "restore", backup, "--key", key, "--latest"]), { status: 0 })
    const restored = await System.startOn(url, { signer: other, api: other }, { until: "/livez" })
    t.teardown(() => restored.stop())
    t.match(await unlock(other), { log: /./ }, "the seed opens, and the ledger still waits for witnesses")
    t.match(await until(restored, /^LEDGER_/), /^LEDGER_(?:OLDER|FORKED)/)
    t.equal((await change(restored, acme)).status, 503, "nothing is decided")

    t.match(await run(other, ["accept-ledger"]), { status: 3, log: /needs the approval of 2 of 3 holders/ })
    const act = join(emptyHost(t), "act.txt")
    const { out: text } = await run(other, ["approve", "prepare", "accept-ledger"])
    t.match(text, /^Act: +accept-ledger$/m)
    writeFileSync(act, text)
    const approvals: string[] = []
    for (const at of [0, 2]) {
      const pem = `${act}.${at}.pem`
      writeFileSync(pem, approvers[at]!.privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 })
      const { status, out, log } = await run(other, ["holder", "sign", act, "--key", pem], "yes\n")
      t.equal(status, 0, log)
      writeFileSync(`${act}.${at}.json`, out)
      approvals.push("--approvals", `${act}.${at}.json`)
    }
    t.match(await run(other, ["accept-ledger", ...approvals.slice(0, 2)]), {
      status: 3,
      log: /1 of 3 holders approved/,
    })
    const accepted = await run(other, ["accept-ledger", "--json", ...approvals])
    t.match(accepted, { status: 0, out: /CLOCK_UNTRUSTED.*nothing is decided until/ }, accepted.log)
    t.equal((await change(restored, acme)).status, 503, "replays of the lost time are waited for")
    await restored.killApi()
    await restored.terminate("signer")

    // After that wait the witnesses have to know the log of the new era.
    Object.assign(other, { options: ["--import", CLOCK] })
    other.environment["TEST_CLOCK_SHIFT_MS"] = String(LATER_MS)
    await restored.startSigner()
    t.ok((await unlock(other)).log.length > 0)
    await restored.startApi({ until: "/livez" })
    t.match(await until(restored, /^UNWITNESSED/), /missing: witness\.example\/0, witness\.example\/1/)
    const status = await run(other, ["status", "--json"])
    const [newKey = ""] = /countersign\/[^"\s]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+/.exec(status.out) ?? []
    t.not(newKey, logKey)
    for (const witness of witnesses) {
      await witness.kill()
      await witness.start(logKey, newKey)
    }
    // The database is newer than the accepted ledger, and is cut next: docs/OPERATIONS.md.
    t.equal(await until(restored, /^ok$/), "ok")
  },
)
