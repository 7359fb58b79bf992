// Witnesses of the log, as processes: a signer serves once they cosigned its start, and an older copy of it never does, also where the
// database was restored along with it. At the end a sealed signer is restored from an earlier backup; its holders approve its acts.
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { readConfig } from "../../signer/enclave/config.ts"
import { ceremony } from "../../signer/operator/ceremony/ceremony.ts"
import { emptyHost, holderFiles } from "../harness/backups.ts"
import { type Ended, runCommandLine } from "../harness/commands.ts"
import { freePort } from "../harness/free-port.ts"
import { Holder } from "../harness/holder-keys.ts"
import { isLong } from "../harness/long.ts"
import { patienceMs } from "../harness/patience.ts"
import { Program } from "../harness/program.ts"
import { System } from "../harness/system.ts"
import type { WitnessProcess } from "../harness/witness.ts"
import { change, hostOf, readiness, until, witnessedSystem } from "../harness/witnessed-system.ts"
import { CEREMONY, Holders } from "../signer/operator/ceremony/holders.ts"
import { PASSPHRASE } from "../signer/operator/sealed-signer.ts"

t.setTimeout(patienceMs(300_000))

// The tests share a system: each goes on where the one before it ended.
const { system, witnesses, acme, logKey, ledger, sql, host, url } = await witnessedSystem(t, {
  beforeAnswer: true,
})
const [one, two] = witnesses as [WitnessProcess, WitnessProcess]
const port = await freePort()
host.environment["COUNTERSIGN_API_METRICS_LISTEN"] = String(port)

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

/** Starts the signer again, with other settings. */
async function restartSigner(settings: NodeJS.ProcessEnv): Promise<void> {
  await system.terminate("signer")
  Object.assign(host.environment, settings)
  await system.startSigner()
  await until(system, /^ok$/)
}

t.test(
  "W104: nothing is decided before enough witnesses cosigned this start, and each that is missing is named",
  async (t) => {
    await system.startSigner()
    await system.startApi({ until: "/livez" })
    t.match(
      await until(system, /^UNWITNESSED/),
      /2 of 2 witnesses .* missing: witness\.example\/0, witness\.example\/1; try again/,
    )
    const refused = await change(system, acme)
    t.equal(refused.status, 503)
    t.match(refused.text, /"reason":"UNWITNESSED"/)
    await t.rejects(system.setupCode("02".padEnd(66, "1")), /UNWITNESSED|have to cosign/)
    await one.start(logKey)
    t.match(await until(system, /missing: witness\.example\/1;/), /^UNWITNESSED/)
    await two.start(logKey)
    await until(system, /^ok$/)
    t.equal((await change(system, acme)).status, 200)
    const { text } = await system.send("/public/v1/log/1/checkpoint", {})
    t.match(
      text,
      /— witness\.example\/0 .*\n— witness\.example\/1 /,
      "the log is served with its cosignatures",
    )
  },
)

t.test(
  "W107: no answer leaves while the witness is down, and the same body gets it afterwards",
  async (t) => {
    t.equal((await change(system, acme)).status, 200)
    await two.kill()
    const body = system.body("CREATE_WALLET", acme.organizationId, { walletName: "kept back", accounts: [] })
    const send = () => system.post("submit/create_wallet", body, acme.root)
    const kept = await send()
    t.equal(kept.status, 503, kept.text)
    t.match(kept.text, /UNWITNESSED|DEADLINE_EXCEEDED|try again|same body/)
    t.notMatch(kept.text, /walletId/)
    await two.start(logKey)
    const { status, json } = await send()
    t.equal(status, 200)
    const { result } = json["activity"] as { result: { createWalletResult: { walletId: string } } }
    t.ok(result.createWalletResult.walletId)
  },
)

t.test("C-1722: a signer that runs goes on without its witnesses, and says how long", async (t) => {
  const waited = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return Number(/^countersign_signer_unwitnessed_seconds (\S+)$/m.exec(text)?.[1])
  }
  // One of two is enough.
  await two.kill()
  await restartSigner({
    COUNTERSIGN_SIGNER_WITNESS_BEFORE_ANSWER: undefined,
    COUNTERSIGN_SIGNER_WITNESS_THRESHOLD: "1",
  })
  t.equal((await change(system, acme)).status, 200)
  await one.kill()
  t.equal((await change(system, acme)).status, 200)
  const giveUp = performance.now() + patienceMs(30_000)
  while (!((await waited()) > 2) && performance.now() < giveUp) await pause(200)
  t.ok((await waited()) > 2)
  t.match(await readiness(system), { status: 200, signer: "ok" })
  await two.start(logKey)
  while ((await waited()) > 0 && performance.now() < giveUp) await pause(200)
  t.equal(await waited(), 0, "the other witness will do")
})

t.test("W151: the API brings the log to the fetcher, and its cosignature starts a signer", async (t) => {
  const environment = {
    COUNTERSIGN_DATA_DIR: host.directory,
    COUNTERSIGN_FETCHER_WITNESS_NAME: "fetcher.example/1",
  }
  const run = async (...words: string[]) => {
    const env = { PATH: process.env["PATH"], ...environment }
    const line = { program: "signer/fetcher/main.ts", words, environment: env, input: "" }
    const { status, out, log } = await runCommandLine(line)
    t.equal(status, 0, log)
    return out.trim()
  }
  await run("init")
  const key = await run("witness-key", "--init")
  writeFileSync(join(host.directory, "fetcher", "witness-logs"), `${logKey}\n`)
  await system.killApi()
  await system.terminate("signer")
  const others = { ...host.environment }
  Object.assign(host.environment, {
    COUNTERSIGN_SIGNER_WITNESSES: key,
    COUNTERSIGN_SIGNER_WITNESS_THRESHOLD: "1",
    COUNTERSIGN_API_WITNESSES: "fetcher",
  })
  await system.startSigner()
  await system.startApi({ until: "/livez" })
  await until(system, /^UNWITNESSED.*missing: fetcher\.example\/1/)
  const fetcher = new Program({ file: "signer/fetcher/main.ts", words: ["serve"], environment })
  t.teardown(() => fetcher.stop())
  await until(system, /^ok$/)
  t.equal((await change(system, acme)).status, 200)
  const { text } = await system.send("/public/v1/log/1/checkpoint", {})
  t.match(text, /— fetcher\.example\/1 /)
  await system.killApi()
  await system.terminate("signer")
  Object.assign(host.environment, others)
})

t.test(
  "W105: an older copy is found out through a witness, at start, though the database was restored along",
  // Below, a restored ledger is found out at start.
  { skip: isLong ? false : "in the long form" },
  async (t) => {
    await one.start(logKey)
    const [copy, newest] = ["copy", "newest"].map((name) => join(host.directory, name)) as [string, string]
    cpSync(ledger, copy, { recursive: true })
    await system.startSigner()
    await system.startApi()
    t.equal((await change(system, acme)).status, 200)
    await pause(2_500)
    await system.killApi()
    await system.terminate("signer")
    cpSync(ledger, newest, { recursive: true })
    rmSync(ledger, { recursive: true })
    cpSync(copy, ledger, { recursive: true })
    // All that the API tier knew of newer heads is gone.
    await sql`truncate log_heads`
    await system.startSigner()
    await system.startApi({ until: "/livez" })
    t.match(await until(system, /^LEDGER_/), /^LEDGER_(?:OLDER|FORKED)/)
    t.match(
      readFileSync(join(ledger, "log", "contradiction"), "utf8"),
      /^countersign\//,
      "the witness's head is kept as evidence",
    )
    t.equal((await change(system, acme)).status, 503)
    await system.killApi()
    await system.terminate("signer")
    rmSync(ledger, { recursive: true })
    cpSync(newest, ledger, { recursive: true })
    await system.startSigner()
    await system.startApi()
    t.equal(
      (await change(system, acme)).status,
      200,
      "the newest ledger serves: the database kept no head of the copy",
    )
    await system.killApi()
    await system.terminate("signer")
  },
)

t.test(
  "C-1766: a restored signer that says to be the latest is halted by witnesses of a later head, until holders have its ledger accepted",
  async (t) => {
    host.environment["COUNTERSIGN_SIGNER_WITNESS_THRESHOLD"] = "2"
    const approvers = await seal(host)
    for (const witness of witnesses) {
      await witness.kill()
      await witness.start(logKey)
    }
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
    if (!isLong) return
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
