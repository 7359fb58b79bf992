import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import type { Test } from "tap"
import { freshDatabase } from "./database.ts"
import { patienceMs } from "./patience.ts"
import { type CreatedOrganization, System } from "./system.ts"
import { WitnessProcess } from "./witness.ts"

/** A host of its own for the processes of a system. */
export const hostOf = () => ({
  directory: mkdtempSync(join(tmpdir(), "cs-witnessed-")),
  environment: {} as NodeJS.ProcessEnv,
  options: [],
})

/** A system whose signer asks `threshold` of `count` witnesses, which know its log. It was stopped before its first witnessed start. */
export async function witnessedSystem(
  t: Test,
  options: { count?: number; threshold?: number; beforeAnswer?: boolean } = {},
) {
  const { count = 2, threshold = count, beforeAnswer = false } = options
  const { sql, url } = await freshDatabase(t)
  const host = hostOf()
  const witnesses = await Promise.all(
    Array.from({ length: count }, (_, at) => WitnessProcess.init(`witness.example/${at}`)),
  )
  const system = await System.startOn(url, { signer: host, api: host })
  t.teardown(async () => {
    await system.stop()
    for (const witness of witnesses) await witness.close()
    rmSync(host.directory, { recursive: true, force: true })
  })
  const acme = await system.createOrganization()
  const { key: logKey } = (await system.send("/public/v1/log", {})).json as { key: string }
  await system.killApi()
  await system.terminate("signer")
  Object.assign(host.environment, {
    COUNTERSIGN_SIGNER_WITNESSES: witnesses.map(({ key }) => key).join(","),
    COUNTERSIGN_SIGNER_WITNESS_THRESHOLD: String(threshold),
    ...(beforeAnswer && { COUNTERSIGN_SIGNER_WITNESS_BEFORE_ANSWER: "true" }),
    COUNTERSIGN_API_WITNESSES: witnesses.map(({ url: at }) => at).join(","),
  })
  return { sql, url, system, host, witnesses, acme, logKey, ledger: join(host.directory, "signer", "ledger") }
}

/** Changes something, which is a decision and a transaction. */
export const change = (system: System, { organizationId, root }: CreatedOrganization) =>
  system.post(
    "submit/create_wallet",
    system.body("CREATE_WALLET", organizationId, { walletName: `w${Math.random()}`, accounts: [] }),
    root,
  )

/** What /readyz says of the signer. */
export const readiness = async (system: System) => {
  const { status, json } = await system.send("/readyz", {})
  return { status, signer: String(json["signer"]) }
}

/** Waits until a process says something of the signer. */
export async function until(system: System, said: RegExp): Promise<string> {
  const giveUp = performance.now() + patienceMs(60_000)
  for (;;) {
    const { signer } = await readiness(system)
    if (said.test(signer)) return signer
    if (performance.now() > giveUp)
      throw new Error(`the signer says: ${signer}\n${system.logOf("api").slice(-4000)}`)
    await pause(100)
  }
}
