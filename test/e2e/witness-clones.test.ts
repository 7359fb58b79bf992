// A clone of a signer, beside one witness of ours and one in Go: neither serves two logs.
import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { freshDatabase } from "../harness/database.ts"
import { judge } from "../harness/judges.ts"
import { Litewitness } from "../harness/litewitness.ts"
import { patienceMs } from "../harness/patience.ts"
import { System } from "../harness/system.ts"
import type { WitnessProcess } from "../harness/witness.ts"
import { change, hostOf, readiness, until, witnessedSystem } from "../harness/witnessed-system.ts"

t.setTimeout(patienceMs(300_000))

const lite = judge("litewitness")

t.test(
  "W105: a clone is found out at its start and while it runs, and a foreign witness cosigns neither twice",
  { skip: lite.skip },
  async (t) => {
    const { system, witnesses, acme, logKey, host } = await witnessedSystem(t, { count: 1 })
    const [own] = witnesses as [WitnessProcess]
    await own.start(logKey)
    const foreign = await Litewitness.start(t, lite.program, logKey)
    host.environment["COUNTERSIGN_SIGNER_WITNESSES"] = `${own.key},${foreign.key}`
    host.environment["COUNTERSIGN_SIGNER_WITNESS_THRESHOLD"] = "2"
    host.environment["COUNTERSIGN_API_WITNESSES"] = `${own.url},${foreign.url}`
    await system.startSigner()
    await system.startApi()
    t.equal(
      (await change(system, acme)).status,
      200,
      "litewitness cosigned the log, and the signer counts it",
    )
    await system.terminate("signer")
    const clone = hostOf()
    t.teardown(() => rmSync(clone.directory, { recursive: true, force: true }))
    cpSync(join(host.directory, "signer"), join(clone.directory, "signer"), { recursive: true })
    await system.startSigner()
    await until(system, /^ok$/)
    // The clone has a database of its own, as one that was restored along.
    const { url: other } = await freshDatabase(t)
    clone.environment = { ...host.environment }
    const second = await System.startOn(other, { signer: clone, api: clone }, { until: "/livez" })
    t.teardown(() => second.stop())
    t.match(await until(second, /^LEDGER_/), /^LEDGER_(?:FORKED|OLDER)/, "by the head that our witness kept")
    t.match(await readiness(system), { status: 200 }, "the first one goes on")
    // With the foreign witness alone the clone never serves.
    await second.killApi()
    await second.terminate("signer")
    rmSync(join(clone.directory, "signer"), { recursive: true })
    await system.terminate("signer")
    cpSync(join(host.directory, "signer"), join(clone.directory, "signer"), { recursive: true })
    // Who continues the last head is the log, for a witness: here the first one does, before the clone starts.
    await system.startSigner()
    await until(system, /^ok$/)
    clone.environment["COUNTERSIGN_SIGNER_WITNESSES"] = foreign.key
    clone.environment["COUNTERSIGN_SIGNER_WITNESS_THRESHOLD"] = "1"
    clone.environment["COUNTERSIGN_API_WITNESSES"] = foreign.url
    await second.startSigner()
    await second.startApi({ until: "/livez" })
    t.match(await until(second, /^UNWITNESSED/), /missing: litewitness\.example\/1/)
    await pause(3_000)
    t.match(await readiness(second), { status: 503, signer: /^(?:UNWITNESSED|LEDGER_)/ })
    t.match(second.logOf("api"), /cosigned another log of this origin|cosigned \d+ leaves, and this log has/)
  },
)
