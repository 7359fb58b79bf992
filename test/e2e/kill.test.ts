import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../services/dev/embedded-postgres.ts"
import { ethereumAccount, signParams } from "../harness/api-client.ts"
import { isLong } from "../harness/long.ts"
import { type Json, System } from "../harness/system.ts"
import { allAddresses, signs, wallet } from "./wallets.ts"

const ENOUGH_ANSWERS = isLong ? 60 : 16
const POLL_MS = 10
const WORKERS = isLong ? 8 : 4

type Sent = { path: string; body: string; reply?: { id: string; result: Json } }

t.test("C1: kill -9 of signer, API and database under load loses nothing that was answered", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "cs-kill-"))
  const log = () => undefined
  let database: EmbeddedPostgres = await startEmbeddedPostgres({ directory: home, log })
  const system = await System.start(database.url)
  t.teardown(async () => {
    await system.stop()
    await database.stop()
    for (const path of [home, database.home]) rmSync(path, { recursive: true, force: true })
  })
  const acme = await system.createOrganization()
  const { organizationId, root } = acme
  const address = await wallet(system, acme, "Signing")
  const sent: Sent[] = []
  const stop = { now: false }
  const workers = Array.from({ length: WORKERS }, (_, worker) => work(worker))
  async function work(worker: number): Promise<void> {
    for (let turn = 0; !stop.now; turn++) {
      const order = turn % 2 === 0 ? signing(worker, turn) : creation(`${worker} ${turn}`)
      sent.push(order)
      const reply = await system.post(`submit/${order.path}`, order.body, root).catch(() => undefined)
      if (reply?.status === 200) order.reply = reply.json["activity"] as NonNullable<Sent["reply"]>
    }
  }
  function signing(worker: number, turn: number): Sent {
    const payload = Buffer.alloc(32, `${worker}/${turn}`).toString("hex")
    const body = system.body("SIGN_RAW_PAYLOAD_V2", organizationId, signParams(address, payload))
    return { path: "sign_raw_payload", body }
  }
  function creation(walletName: string): Sent {
    const parameters = { walletName, accounts: [ethereumAccount(0)] }
    return { path: "create_wallet", body: system.body("CREATE_WALLET", organizationId, parameters) }
  }

  while (sent.filter(({ reply }) => reply).length < ENOUGH_ANSWERS) await pause(POLL_MS)
  process.kill(database.pid, "SIGKILL")
  await Promise.all([system.killSigner(), system.killApi(), database.exited])
  stop.now = true
  await Promise.all(workers)
  const answered = sent.filter(({ reply }) => reply)
  t.comment(`${answered.length} answered, ${sent.length - answered.length} not`)
  t.ok(answered.length >= ENOUGH_ANSWERS)

  database = await startEmbeddedPostgres({ directory: home, log })
  await system.startSigner()
  await system.startApi()
  const lost: string[] = []
  for (const { reply } of answered) {
    const { json } = await system.query("get_activity", { organizationId, activityId: reply!.id }, root)
    const { result } = (json["activity"] ?? {}) as { result?: Json }
    if (JSON.stringify(result) !== JSON.stringify(reply!.result)) lost.push(reply!.id)
  }
  t.same(lost, [], "every answered activity is there, with its result")
  for (const order of sent) {
    const again = [
      await system.submit(order.path, order.body, root),
      await system.submit(order.path, order.body, root),
    ]
    if (again[0]!["id"] !== again[1]!["id"] || (order.reply && order.reply.id !== again[0]!["id"]))
      t.fail("one body became two activities")
  }
  const wallets = await allAddresses(system, acme)
  const created = sent.filter(({ path }) => path === "create_wallet").length
  t.equal(wallets.length, created + 1, "each authorization made one wallet, answered or not")
  for (const one of wallets.slice(-5)) await signs(t, system, acme, one)
})
