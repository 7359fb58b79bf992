// A restart of the signer under load: callers get answers, or 503 with Retry-After.
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { ethereumAccount, signParams } from "../harness/api-client.ts"
import { freshDatabase } from "../harness/database.ts"
import { isLong } from "../harness/long.ts"
import { LoopingClients } from "../harness/looping-clients.ts"
import { stampWith } from "../harness/stamper.ts"
import { System } from "../harness/system.ts"
import { wallet } from "./wallets.ts"

const CLIENTS = isLong ? 8 : 3
const RESTARTS = isLong ? 2 : 1

t.test("while the signer restarts, every request is answered or gets 503 with Retry-After", async (t) => {
  const { url } = await freshDatabase(t)
  const system = await System.start(url)
  t.teardown(() => system.stop())
  const acme = await system.createOrganization()
  const address = await wallet(system, acme, "First")
  let count = 0
  const prepare = () => {
    count += 1
    // Every twentieth request computes for long, in slices.
    const isLarge = count % 20 === 0
    const accounts = Array.from({ length: 200 }, (_, index) => ethereumAccount(index))
    const payload = { ...signParams(address), payload: count.toString(16).padStart(64, "0") }
    const type = isLarge ? "CREATE_WALLET" : "SIGN_RAW_PAYLOAD_V2"
    const body = system.body(
      type,
      acme.organizationId,
      isLarge ? { walletName: `Wallet ${count}`, accounts } : payload,
    )
    const path = `/public/v1/submit/${isLarge ? "create_wallet" : "sign_raw_payload"}`
    return { path, body, headers: { "x-stamp": stampWith(acme.root, body) } }
  }
  const clients = new LoopingClients(CLIENTS, system.url, prepare)
  const untilAnswered = async () => {
    const before = clients.answered(200)
    while (clients.answered(200) < before + CLIENTS) await pause(5)
  }
  for (let restart = 0; restart < RESTARTS; restart++) {
    await untilAnswered()
    t.equal(await system.terminate("signer"), 0)
    await system.startSigner()
    await untilAnswered()
  }
  await clients.stop()
  t.same(clients.faults, [])
  const others = clients.seen.flatMap((seen) => ("status" in seen && seen.status !== 200 ? seen : []))
  const unexpected = others.filter(({ status, retryAfter }) => status !== 503 || retryAfter === undefined)
  t.same(unexpected, [], `${clients.answered(200)} answered, ${others.length} asked to come again`)
  t.notMatch(system.logOf("signer"), /"level":"error"/)
})
