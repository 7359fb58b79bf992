// Witnesses of the log, as processes: a signer serves once they cosigned its start, and an older copy of it never does, also where the
// database was restored along with it.
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { runCommandLine } from "../harness/commands.ts"
import { freePort } from "../harness/free-port.ts"
import { isLong } from "../harness/long.ts"
import { patienceMs } from "../harness/patience.ts"
import { Program } from "../harness/program.ts"
import type { WitnessProcess } from "../harness/witness.ts"
import { change, readiness, until, witnessedSystem } from "../harness/witnessed-system.ts"

t.setTimeout(patienceMs(300_000))

// The tests share a system: each goes on where the one before it ended.
const { system, witnesses, acme, logKey, ledger, sql, host } = await witnessedSystem(t)
const [one, two] = witnesses as [WitnessProcess, WitnessProcess]
const port = await freePort()
host.environment["COUNTERSIGN_API_METRICS_LISTEN"] = String(port)

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
    await restartSigner({ COUNTERSIGN_SIGNER_WITNESS_BEFORE_ANSWER: "true" })
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
  // test/e2e/witness-tables.test.ts shows it of a signer without the API's database.
  { skip: isLong ? false : "in the long form" },
  async (t) => {
    await one.start(logKey)
    const copy = join(host.directory, "copy")
    cpSync(ledger, copy, { recursive: true })
    await system.startSigner()
    await system.startApi()
    t.equal((await change(system, acme)).status, 200)
    await pause(2_500)
    await system.killApi()
    await system.terminate("signer")
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
  },
)
