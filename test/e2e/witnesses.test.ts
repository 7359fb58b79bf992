// Witnesses of the log, as processes: a signer serves once they cosigned its start, and an older copy of it never does, also where the
// database was restored along with it.
import { execFileSync } from "node:child_process"
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { freePort } from "../harness/free-port.ts"
import { patienceMs } from "../harness/patience.ts"
import { Program } from "../harness/program.ts"
import type { WitnessProcess } from "../harness/witness.ts"
import { change, readiness, until, witnessedSystem } from "../harness/witnessed-system.ts"

t.setTimeout(patienceMs(300_000))

t.test(
  "W104: nothing is decided before enough witnesses cosigned this start, and each that is missing is named",
  async (t) => {
    const { system, witnesses, acme, logKey } = await witnessedSystem(t)
    const [one, two] = witnesses as [WitnessProcess, WitnessProcess]
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
  "W105: an older copy is found out through a witness, at start, though the database was restored along",
  async (t) => {
    const { system, witnesses, acme, logKey, ledger, sql, host } = await witnessedSystem(t)
    for (const witness of witnesses) await witness.start(logKey)
    await system.startSigner()
    await system.startApi()
    await system.terminate("signer")
    const copy = join(host.directory, "copy")
    cpSync(ledger, copy, { recursive: true })
    await system.startSigner()
    await until(system, /^ok$/)
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

t.test(
  "W107: no answer leaves while the witness is down, and the same body gets it afterwards",
  async (t) => {
    const { system, witnesses, acme, logKey } = await witnessedSystem(t, { count: 1, beforeAnswer: true })
    const [witness] = witnesses as [WitnessProcess]
    await witness.start(logKey)
    await system.startSigner()
    await system.startApi()
    t.equal((await change(system, acme)).status, 200)
    await witness.kill()
    const body = system.body("CREATE_WALLET", acme.organizationId, { walletName: "kept back", accounts: [] })
    const send = () => system.post("submit/create_wallet", body, acme.root)
    const kept = await send()
    t.equal(kept.status, 503, kept.text)
    t.match(kept.text, /UNWITNESSED|DEADLINE_EXCEEDED|try again|same body/)
    t.notMatch(kept.text, /walletId/)
    await witness.start(logKey)
    const { status, json } = await send()
    t.equal(status, 200)
    const { result } = json["activity"] as { result: { createWalletResult: { walletId: string } } }
    t.ok(result.createWalletResult.walletId)
  },
)

t.test("W151: the API brings the log to the fetcher, and its cosignature starts a signer", async (t) => {
  const { system, acme, logKey, host } = await witnessedSystem(t, { count: 0 })
  const environment = {
    COUNTERSIGN_DATA_DIR: host.directory,
    COUNTERSIGN_FETCHER_WITNESS_NAME: "fetcher.example/1",
  }
  const run = (...words: string[]) =>
    execFileSync(process.execPath, ["signer/fetcher/main.ts", ...words], {
      env: { PATH: process.env["PATH"], ...environment },
      encoding: "utf8",
      stdio: "pipe",
    }).trim()
  run("init")
  const key = run("witness-key", "--init")
  writeFileSync(join(host.directory, "fetcher", "witness-logs"), `${logKey}\n`)
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
})

t.test("C-1722: a signer that runs goes on without its witnesses, and says how long", async (t) => {
  const { system, witnesses, acme, logKey, host } = await witnessedSystem(t, { count: 2, threshold: 1 })
  const port = await freePort()
  host.environment["COUNTERSIGN_API_METRICS_LISTEN"] = String(port)
  const waited = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return Number(/^countersign_signer_unwitnessed_seconds (\S+)$/m.exec(text)?.[1])
  }
  // One of two is enough.
  await witnesses[0]?.start(logKey)
  await system.startSigner()
  await system.startApi()
  t.equal((await change(system, acme)).status, 200)
  await witnesses[0]?.kill()
  t.equal((await change(system, acme)).status, 200)
  const giveUp = performance.now() + patienceMs(30_000)
  while (!((await waited()) > 2) && performance.now() < giveUp) await pause(200)
  t.ok((await waited()) > 2)
  t.match(await readiness(system), { status: 200, signer: "ok" })
  await witnesses[1]?.start(logKey)
  while ((await waited()) > 0 && performance.now() < giveUp) await pause(200)
  t.equal(await waited(), 0, "the other witness will do")
})
