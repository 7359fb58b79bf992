// A signer started on an older copy of its ledger, seen from the API and by its operator.
import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { runCommandLine } from "../harness/commands.ts"
import { freshDatabase } from "../harness/database.ts"
import { isLong } from "../harness/long.ts"
import { type CreatedOrganization, System } from "../harness/system.ts"

const { url } = await freshDatabase(t)
const system = await System.start(url)
t.teardown(() => system.stop())

/** Exchanges the ledger as after kill -9 and the restoration of a backup. */
async function exchange(act: (ledger: string) => void): Promise<void> {
  await system.killSigner()
  act(join(system.directory, "signer", "ledger"))
  await system.startSigner()
}

async function operate(...words: string[]) {
  const { status, out } = await runCommandLine({
    program: "signer/operator/main.ts",
    words: [...words, "--json", "--wait", "10"],
    environment: { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR: system.directory },
    input: "",
  })
  return { status, json: out === "" ? undefined : (JSON.parse(out) as unknown) }
}

const tagging = ({ organizationId, root }: CreatedOrganization, userTagName: string) => {
  const body = system.body("CREATE_USER_TAG", organizationId, { userTagName, userIds: [] })
  return () => system.post("submit/create_user_tag", body, root)
}

t.test("A3: an older ledger shows in /readyz with its reason, until an operator accepts it", async (t) => {
  const acme = await system.createOrganization()
  await exchange((ledger) => cpSync(ledger, `${ledger}.old`, { recursive: true }))
  t.match(await tagging(acme, "One")(), { status: 200 })
  t.match(await system.send("/readyz", {}), { status: 200 })
  await exchange((ledger) => {
    cpSync(ledger, `${ledger}.new`, { recursive: true })
    rmSync(ledger, { recursive: true })
    cpSync(`${ledger}.old`, ledger, { recursive: true })
  })
  const refused = { status: 503, json: { message: /LEDGER_OLDER|older than state/ } }
  t.match(await tagging(acme, "Two")(), refused)
  const reason = /^LEDGER_OLDER: .* restore the newest ledger/
  t.match(await system.send("/readyz", {}), { status: 503, json: { ready: false, signer: reason } })
  t.match(system.logOf("signer"), /ledger is older than state of this deployment.*at version 2/)
  t.match(await operate("status"), { status: 3, json: { phase: "LEDGER_OLDER", explanation: /version 2/ } })
  if (isLong) {
    await exchange(() => {})
    t.match(await system.send("/readyz", {}), { status: 503, json: { signer: reason } }, "after a restart")
  }

  await exchange((ledger) => {
    rmSync(ledger, { recursive: true })
    cpSync(`${ledger}.new`, ledger, { recursive: true })
  })
  t.match(await tagging(acme, "Three")(), { status: 200 }, "the newest ledger ends it")
  if (isLong) t.match(await operate("accept-ledger"), { status: 3 }, "nothing is in doubt")
})

t.test("A3: an organization that only the database knows is evidence, and may be given up", async (t) => {
  await exchange((ledger) => cpSync(ledger, `${ledger}.earlier`, { recursive: true }))
  const later = await system.createOrganization("Later")
  await exchange((ledger) => {
    rmSync(ledger, { recursive: true })
    cpSync(`${ledger}.earlier`, ledger, { recursive: true })
  })
  t.match(await tagging(later, "One")(), { status: 503 })
  t.match(await operate("status"), { json: { phase: "LEDGER_OLDER", explanation: /the ledger has 0/ } })
  const accepted = {
    phase: "CLOCK_UNTRUSTED",
    explanation: /older ledger was accepted: nothing is decided until/,
  }
  t.match(await operate("accept-ledger"), { status: 0, json: accepted })
  if (isLong)
    t.match(await operate("accept-ledger"), { status: 5 }, "it waits, and no longer doubts the ledger")
})
