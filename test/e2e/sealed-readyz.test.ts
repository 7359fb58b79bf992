// A sealed signer as callers of the API see it, over real processes: /readyz names the seal, and unlocking alone ends it.
import { rmSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { readConfig } from "../../signer/enclave/config.ts"
import { ceremony } from "../../signer/operator/ceremony/ceremony.ts"
import { runCommandLine } from "../harness/commands.ts"
import { freshDatabase } from "../harness/database.ts"
import { patienceMs } from "../harness/patience.ts"
import { System } from "../harness/system.ts"
import { change, hostOf, readiness, until } from "../harness/witnessed-system.ts"
import { CEREMONY, Holders } from "../signer/operator/ceremony/holders.ts"

t.setTimeout(patienceMs(180_000))

t.test(
  "a sealed signer is named by /readyz and blamed on nobody else, and unlocking alone makes the API ready",
  async (t) => {
    const { url } = await freshDatabase(t)
    const host = hostOf()
    const system = await System.startOn(url, { signer: host, api: host })
    t.teardown(async () => {
      await system.stop()
      rmSync(host.directory, { recursive: true, force: true })
    })
    const acme = await system.createOrganization()
    await system.terminate("signer")
    const environment = { COUNTERSIGN_DATA_DIR: host.directory }
    const holders = new Holders()
    await ceremony({ ...CEREMONY, shares: 3, threshold: 2 }, readConfig(environment), holders)
    await system.startSigner()
    await until(system, /^SIGNER_SEALED: the root seed is sealed/)
    const sealed = await system.send("/readyz", {})
    t.match(sealed, { status: 503, json: { ready: false, database: "ok" } })
    t.notMatch(
      JSON.stringify({ ...sealed.json, signer: "" }),
      /SEALED|sealed|paired/,
      "no other part is blamed",
    )
    const refused = await change(system, acme)
    t.match(refused, { status: 503, text: /"reason":"SIGNER_SEALED"/ })
    t.match(await system.send("/livez", {}), { status: 200 })
    const unlock = (input: string) =>
      runCommandLine({
        program: "signer/operator/main.ts",
        words: ["unlock"],
        environment: { PATH: process.env["PATH"], ...environment },
        input,
      })
    const words = (number: number) => holders.sheets.get(number) ?? ""
    t.match(await unlock(`${words(1)}\n\n`), { status: 3, out: /1 of 2 shares are there/ })
    t.match(
      await readiness(system),
      { status: 503, signer: /^SIGNER_SEALED/ },
      "too few shares change nothing",
    )
    t.match(await unlock(`${words(3)}\n`), { status: 0 })
    await until(system, /^ok$/)
    for (let status = 0; status !== 200; ) {
      status = (await readiness(system)).status
      await pause(50)
    }
    t.match((await change(system, acme)).status, 200)
  },
)
