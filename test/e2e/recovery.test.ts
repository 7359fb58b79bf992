// An API killed between decision and commit, and a database that lost rows still in the signer's archive.
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import t from "tap"
import { closeDatabase, connectDatabase } from "../../services/database/database.ts"
import { ethereumAccount } from "../harness/api-client.ts"
import { endLockWaits, freshDatabase } from "../harness/database.ts"
import { casesOf, isLong } from "../harness/long.ts"
import { System } from "../harness/system.ts"
import { allAddresses, signs, untilDecided, wallet } from "./wallets.ts"

const { url: databaseUrl, sql } = await freshDatabase(t)
const system = await System.start(databaseUrl)
t.teardown(() => system.stop())

t.test(
  "C1: an API killed between the signer's answer and its own commit recovers at its next start",
  async (t) => {
    const acme = await system.createOrganization()
    const { organizationId, root } = acme
    const first = await wallet(system, acme, "First")
    const bodies = ["Lost", "And found"].map((walletName) =>
      system.body("CREATE_WALLET", organizationId, { walletName, accounts: [ethereumAccount(0)] }),
    )
    const locker = connectDatabase({ url: databaseUrl }, { max: 1 })
    await locker.begin(async (tx) => {
      await tx`set local idle_in_transaction_session_timeout = 0`
      await tx`lock table activities in exclusive mode`
      const waiting = bodies.map((body) =>
        system.post("submit/create_wallet", body, root).catch(() => undefined),
      )
      await untilDecided(system, bodies.length)
      await system.killApi()
      await Promise.all(waiting)
      await endLockWaits(tx)
    })
    await closeDatabase(locker)
    const [stored] = await sql`select count(*)::int as wallets from records where kind = 1`
    t.equal(stored?.["wallets"], 1, "the database never heard of them")
    await system.startApi()
    await untilDecided(system, 0)
    const [healed] = await sql`select count(*)::int as wallets from records where kind = 1`
    t.equal(healed?.["wallets"], 3)
    for (const body of bodies) {
      const [one, two] = [
        await system.submit("create_wallet", body, root),
        await system.submit("create_wallet", body, root),
      ]
      t.equal(one["id"], two["id"])
      t.equal(one["status"], "ACTIVITY_STATUS_COMPLETED")
      await sql`delete from activities where id = ${String(one["id"])}`
      const again = await system.submit("create_wallet", body, root)
      // The vote has the stamp of the repetition.
      t.same({ ...again, votes: [] }, { ...one, votes: [] }, "known only to the ledger: with id and result")
      t.equal(
        (await sql`select from activities where id = ${String(one["id"])}`).length,
        1,
        "and stored again",
      )
    }
    const addresses = await allAddresses(system, acme)
    t.equal(addresses.length, 3)
    for (const address of addresses) await signs(t, system, acme, address)
    t.ok(addresses.includes(first))
  },
)

t.test("C1: a database that lost an organization gets it back from the signer's archive", async (t) => {
  const acme = await system.createOrganization()
  const other = await system.createOrganization("Other")
  const { organizationId } = acme
  const addresses = [await wallet(system, acme, "First"), await wallet(system, acme, "Second")]
  const wipe = async (...tables: string[]) => {
    for (const table of tables) {
      const column = table === "organizations" ? "id" : "organization_id"
      await sql`delete from ${sql(table)} where ${sql(column)} = ${organizationId}`
    }
  }
  const restart = async () => {
    await system.killApi()
    await system.killSigner()
    await system.startSigner()
    await system.startApi()
  }
  const heal = () => {
    const env = {
      PATH: process.env["PATH"],
      COUNTERSIGN_DATA_DIR: system.directory,
      DATABASE_URL: databaseUrl,
    }
    return promisify(execFile)(process.execPath, ["services/api/main.ts", "heal", "--all"], { env })
  }
  for (const tables of casesOf(2, [
    ["records", "identities", "organizations", "activities"],
    ["records"],
    ["records", "activities"],
  ])) {
    await wipe(...tables)
    // heal restores records also beside an API that was not restarted.
    if (isLong || tables.includes("organizations")) await restart()
    for (const address of addresses) await signs(t, system, acme, address, `without ${tables.join(", ")}`)
    // The signer signs from its ledger, so nothing tells the API of records that are gone while their organization is there.
    if (!tables.includes("organizations")) await heal()
    t.same(
      (await allAddresses(system, acme)).toSorted(),
      addresses.toSorted(),
      "all accounts are listed again",
    )
  }
  t.equal((await system.query("whoami", { organizationId: other.organizationId }, other.root)).status, 200)
  t.equal((await system.query("whoami", { organizationId: other.rootUserId }, other.root)).status, 400)
})
