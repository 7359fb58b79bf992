// Balances that webhook endpoints follow, on anvil: changes, reorganizations, restarts, and nodes and organizations at fault.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import t, { type Test } from "tap"
import { storeWebhookTargets, type WebhookTarget } from "../../../services/api/store/webhook-targets.ts"
import { tokensSetting } from "../../../services/chains/assets.ts"
import { chainsSetting } from "../../../services/chains/chains.ts"
import { finalitySetting } from "../../../services/chains/finality.ts"
import { createLogger } from "../../../services/common/logger.ts"
import type { Database } from "../../../services/database/database.ts"
import { BalancePoller } from "../../../services/worker/balances/poller.ts"
import { dueWatches, leaseWatches, storePoll } from "../../../services/worker/store/balance-watches.ts"
import { LOWEST } from "../../../services/worker/store/remains.ts"
import { startAnvil } from "../../harness/anvil.ts"
import { freshDatabase } from "../../harness/database.ts"
import { until } from "./start-worker.ts"
import { id, organization } from "./webhook-rows.ts"

const CONFIRMED = "BALANCE_CONFIRMED_UPDATES"
const FINALIZED = "BALANCE_FINALIZED_UPDATES"
const CAIP2 = "eip155:31337"
const address = (number: number) => `0x${number.toString(16).padStart(40, "0")}`
const TOKEN = address(0x7a)

type Asset = { caip19: string; amount: string; symbol?: string }
type Body = { type: string; organizationId: string; msg: { operation: string; asset: Asset; block: object } }

/** A poller, as a worker that starts has it. */
function startPoller(t: Test, sql: Database, chains: string, settings = {}) {
  const poller = new BalancePoller({
    sql,
    log: createLogger("test", "silent"),
    signals: { announce: () => undefined },
    chains: chainsSetting(chains),
    tokens: tokensSetting(`${CAIP2}/erc20:${TOKEN}=USDC:6`),
    confirmations: 1,
    finality: finalitySetting(`${CAIP2}=4`),
    everyMs: 50,
    callsPerSecond: 1000,
    ...settings,
  })
  poller.start()
  t.teardown(() => poller.close())
  return poller
}

/** Has an endpoint follow addresses, as the API does after a change of the organization. */
const follow = (
  sql: Database,
  owner: string,
  endpoint: number,
  eventType: string,
  addresses: readonly string[],
  caip2 = CAIP2,
) => {
  const watches = addresses.map((one) => ({ eventType, caip2, address: one, tokens: [] }))
  const target: WebhookTarget = {
    endpointId: id(endpoint),
    url: "https://hooks.example/",
    events: 4,
    watches,
  }
  return sql.begin((tx) => storeWebhookTargets(tx, owner, { version: 1n, targets: [target] }))
}

const bodiesOf = async (sql: Database, owner: string): Promise<Body[]> => {
  const rows = await sql<{ body: string }[]>`
    select body from webhook_deliveries where organization_id = ${owner} order by sequence`
  return rows.map(({ body }) => JSON.parse(body) as Body)
}

const amountsOf = (bodies: readonly Body[]) =>
  bodies.map(({ msg: { operation, asset } }) => `${operation} ${asset.amount} ${asset.symbol ?? ""}`)

async function untilRead(sql: Database, owner: string, count = 1): Promise<void> {
  const read = async () =>
    (await sql`select from balance_watches where organization_id = ${owner} and balances is not null`).count
  await until(
    async () => (await read()) >= count,
    () => "no balances were read",
  )
}

async function untilBodies(sql: Database, owner: string, count: number): Promise<Body[]> {
  let bodies: Body[] = []
  await until(
    async () => (bodies = await bodiesOf(sql, owner)).length >= count,
    () => `${bodies.length} of ${count} notifications`,
  )
  return bodies
}

/** The contract's code answers every call with this number. */
const answering = (number: number) => `0x60${number.toString(16).padStart(2, "0")}60005260206000f3`

t.test(
  "C-1862: each change of a followed balance is one notification, also over restarts of the worker",
  async (t) => {
    const chain = await startAnvil(t)
    const { sql } = await freshDatabase(t)
    const owner = await organization(sql, 10)
    const setBalance = async (wei: number) => {
      await chain.call("anvil_setBalance", address(1), `0x${wei.toString(16)}`)
      await chain.call("anvil_mine")
    }
    await setBalance(100)
    await chain.call("anvil_setCode", TOKEN, answering(50))
    await follow(sql, owner, 1, CONFIRMED, [address(1)])
    const first = startPoller(t, sql, `${CAIP2}=${chain.url}`)
    await untilRead(sql, owner)
    t.strictSame(await bodiesOf(sql, owner), [], "the first balances are no change")
    await setBalance(130)
    const [body] = await untilBodies(sql, owner, 1)
    const { number, hash } = await chain.call<{ number: string; hash: string }>(
      "eth_getBlockByNumber",
      "latest",
      false,
    )
    t.match(body, {
      type: "balances:confirmed",
      organizationId: owner,
      parentOrganizationId: "",
      msg: {
        operation: "deposit",
        caip2: CAIP2,
        address: address(1),
        idempotencyKey: `balances:confirmed:${CAIP2}:${address(1)}:${CAIP2}/slip44:60:${Number(number)}:${hash}`,
        asset: { caip19: `${CAIP2}/slip44:60`, decimals: 18, amount: "30" },
        balance: "130",
        block: { number: Number(number), hash, timestamp: Number },
      },
    })
    await first.close()
    await chain.call("anvil_setCode", TOKEN, answering(20))
    await setBalance(90)
    t.equal((await bodiesOf(sql, owner)).length, 1, "nobody polls")
    startPoller(t, sql, `${CAIP2}=${chain.url}`)
    const bodies = await untilBodies(sql, owner, 3)
    t.strictSame(
      amountsOf(bodies),
      ["deposit 30 ", "withdraw 40 ", "withdraw 30 USDC"],
      "changes of the meantime are one notification for each asset",
    )
    const [row] = await sql`select distinct state, event_type, unsigned from webhook_deliveries`
    t.match(row, { state: "WAITING", event_type: CONFIRMED, unsigned: true })
  },
)

t.test(
  "C-1862: a final change waits for its blocks, and one that a reorganization removes is never told",
  async (t) => {
    const chain = await startAnvil(t)
    const { sql } = await freshDatabase(t)
    const owner = await organization(sql, 10)
    await chain.call("anvil_mine", "0x5")
    await follow(sql, owner, 1, FINALIZED, [address(1)])
    startPoller(t, sql, `${CAIP2}=${chain.url}`)
    const pending = async () =>
      (await sql`select from balance_watches where pending #>> '{amounts,""}' = '7'`).count === 1
    const isAnyPending = async () =>
      (await sql`select from balance_watches where pending is not null`).count === 1
    await until(isAnyPending, () => "nothing was read")
    await chain.call("anvil_mine", "0x4")
    await untilRead(sql, owner)
    const snapshot = await chain.call("evm_snapshot")
    await chain.call("anvil_setBalance", address(1), "0x7")
    await chain.call("anvil_mine")
    await until(pending, () => "the change was not read")
    t.strictSame(await bodiesOf(sql, owner), [])
    await chain.call("evm_revert", snapshot)
    // Other blocks: anvil would make the same ones again.
    await chain.call("evm_increaseTime", 1000)
    await chain.call("anvil_mine", "0x8")
    await until(
      async () => !(await pending()),
      () => "the change is still pending",
    )
    t.strictSame(await bodiesOf(sql, owner), [])
    await chain.call("anvil_setBalance", address(1), "0x9")
    await chain.call("anvil_mine")
    await until(isAnyPending, () => "no second change")
    t.strictSame(await bodiesOf(sql, owner), [], "a block is final after four")
    await chain.call("anvil_mine", "0x4")
    const [body] = await untilBodies(sql, owner, 1)
    t.match(body, {
      type: "balances:finalized",
      msg: { operation: "deposit", balance: "9", asset: { amount: "9" } },
    })
  },
)

/** A node that answers as `reply` says. */
async function fakeNode(t: Test, reply: (method: string, params: readonly unknown[]) => unknown) {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { id, method, params } = (await json(request)) as { id: unknown; method: string; params: unknown[] }
    const result = await reply(method, params)
    response.setHeader("content-type", "application/json").end(JSON.stringify({ jsonrpc: "2.0", id, result }))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  t.teardown(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const BLOCK = { number: "0x10", hash: `0x${"ab".repeat(32)}`, timestamp: "0x5" }

t.test(
  "W164: a chain whose node is down is left alone for longer and longer, and delays no other chain",
  async (t) => {
    const { sql } = await freshDatabase(t)
    const owner = await organization(sql, 10)
    const asked = { down: 0 }
    const down = await fakeNode(t, () => {
      asked.down += 1
      return undefined
    })
    const sound = await fakeNode(t, (method) => {
      if (method === "eth_getBlockByNumber") return BLOCK
      return { eth_chainId: "0x7a69", eth_call: "0x" }[method] ?? "0x1"
    })
    await follow(sql, owner, 1, CONFIRMED, [address(1)])
    const other = await organization(sql, 11)
    await follow(sql, other, 2, CONFIRMED, [address(1)], "eip155:5")
    startPoller(t, sql, `eip155:5=${down},${CAIP2}=${sound}`)
    const versionOf = async () =>
      Number(
        (await sql`select version from balance_watches where organization_id = ${owner}`)[0]?.["version"],
      )
    await until(
      async () => (await versionOf()) >= 4,
      () => "the sound chain was not polled",
    )
    t.ok(asked.down > 0)
    t.ok(asked.down <= 3, `${asked.down} calls of a node that is down`)
  },
)

t.test("W164: an organization whose contract does not answer holds up no other organization", async (t) => {
  const { sql } = await freshDatabase(t)
  const [slow, owner] = [await organization(sql, 10), await organization(sql, 11)]
  let held = 0
  const node = await fakeNode(t, async (method, params) => {
    if (method === "eth_chainId") return "0x7a69"
    if (method === "eth_getBlockByNumber") return BLOCK
    if (method === "eth_getBalance" && params[0] !== address(1)) {
      held += 1
      return new Promise(() => undefined)
    }
    return method === "eth_getBalance" ? "0x1" : `0x${"0".repeat(63)}2`
  })
  await follow(
    sql,
    slow,
    1,
    CONFIRMED,
    Array.from({ length: 20 }, (_, index) => address(100 + index)),
  )
  await follow(sql, owner, 2, CONFIRMED, [address(1)])
  startPoller(t, sql, `${CAIP2}=${node}`)
  await untilRead(sql, owner)
  t.ok(held > 0 && held <= 2, `${held} calls were held`)
})

t.test("organizations take turns, and an organization has five addresses in each", async (t) => {
  const { sql } = await freshDatabase(t)
  const [large, small] = [await organization(sql, 10), await organization(sql, 11)]
  await follow(
    sql,
    large,
    1,
    CONFIRMED,
    Array.from({ length: 50 }, (_, index) => address(index)),
  )
  await follow(sql, small, 2, CONFIRMED, [address(1)])
  const nowMs = Date.now() + 60_000
  const turn = { caip2: CAIP2, nowMs, addresses: 5 }
  const { visited, isRound } = await dueWatches(sql, { ...turn, after: LOWEST })
  t.strictSame(
    visited.map((one) => [one.organizationId, one.watches.length]),
    [
      [large, 5],
      [small, 1],
    ],
  )
  t.ok(isRound)
  const after = await dueWatches(sql, { ...turn, after: large })
  t.strictSame(
    after.visited.map((one) => one.organizationId),
    [small],
  )
})

t.test("two workers never store one poll twice, and a killed one's addresses are due again", async (t) => {
  const { sql } = await freshDatabase(t)
  const owner = await organization(sql, 10)
  await follow(sql, owner, 1, CONFIRMED, [address(1)])
  const nowMs = Date.now() + 60_000
  const due = async (atMs: number) =>
    (await dueWatches(sql, { caip2: CAIP2, nowMs: atMs, addresses: 5, after: LOWEST })).visited[0]!.watches
  const watches = await due(nowMs)
  const leases = [
    await leaseWatches(sql, watches, nowMs + 1000),
    await leaseWatches(sql, watches, nowMs + 1000),
  ]
  t.strictSame(
    leases.map((one) => one.length),
    [1, 0],
  )
  t.equal((await due(nowMs)).length, 0)
  t.equal((await due(nowMs + 1000)).length, 1)
  const poll = { balances: { "": "1" }, pending: null, bodies: ["{}"] }
  const stored = [1, 2].map(() => storePoll(sql, watches[0]!, poll, { dueMs: nowMs, nowMs }))
  t.strictSame((await Promise.all(stored)).filter(Boolean), [true])
  t.equal((await bodiesOf(sql, owner)).length, 1)
})

t.test("addresses are no longer followed once their endpoint is paused, changed or removed", async (t) => {
  const { sql } = await freshDatabase(t)
  const owner = await organization(sql, 10)
  const followed = async () =>
    (await sql`select address from balance_watches order by address`).map((row) => row["address"] as string)
  await follow(sql, owner, 1, CONFIRMED, [address(1), address(2), address(2)])
  t.strictSame(await followed(), [address(1), address(2)])
  await sql`update balance_watches set balances = '{"":"5"}'`
  await follow(sql, owner, 1, CONFIRMED, [address(2)])
  t.strictSame(
    [...(await sql`select address, balances from balance_watches`)],
    [{ address: address(2), balances: { "": "5" } }],
  )
  await sql.begin((tx) => storeWebhookTargets(tx, owner, { version: 1n, targets: [] }))
  t.strictSame(await followed(), [])
})

t.test("C-1862: on Solana balances of each commitment are followed, and the block is a slot", async (t) => {
  const { sql } = await freshDatabase(t)
  const owner = await organization(sql, 10)
  const lamports = { confirmed: 5, finalized: 5 }
  // A balance is that of the slot asked for before it.
  const shown = { ...lamports }
  const seen = { isBehind: false, slotsAsked: 0, unbounded: 0 }
  const node = await fakeNode(t, (method, params) => {
    const { commitment, minContextSlot } = params.at(-1) as {
      commitment: "confirmed" | "finalized"
      minContextSlot?: number
    }
    if (method === "getSlot") {
      seen.slotsAsked += 1
      shown[commitment] = lamports[commitment]
      return seen.isBehind ? 60 : 70 + shown[commitment]
    }
    if (minContextSlot === undefined || minContextSlot < 75) seen.unbounded += 1
    return { value: seen.isBehind ? 1 : shown[commitment] }
  })
  const account = "So11111111111111111111111111111111111111112"
  const watches = [CONFIRMED, FINALIZED].map((eventType) => ({
    eventType,
    caip2: "solana:test",
    address: account,
    tokens: [],
  }))
  const target = { endpointId: id(1), url: "https://hooks.example/", events: 12, watches }
  await sql.begin((tx) => storeWebhookTargets(tx, owner, { version: 1n, targets: [target] }))
  startPoller(t, sql, `solana:test=${node}`)
  await untilRead(sql, owner, 2)
  lamports.confirmed = 8
  await untilBodies(sql, owner, 1)
  lamports.finalized = 8
  const bodies = await untilBodies(sql, owner, 2)
  t.strictSame(
    bodies.map(({ type, msg }) => [type, msg.asset.amount, msg.block]),
    [
      ["balances:confirmed", "3", { number: 78 }],
      ["balances:finalized", "3", { number: 78 }],
    ],
  )
  t.equal(seen.unbounded, 0, "each balance is read at the slot or after it")
  Object.assign(seen, { isBehind: true, slotsAsked: 0 })
  await until(
    () => Promise.resolve(seen.slotsAsked >= 6),
    () => "the node was not asked again",
  )
  t.equal((await bodiesOf(sql, owner)).length, 2, "W164: a node that is behind has older balances")
})

t.test("W164: an address whose calls wait for those of others has not taken too long", async (t) => {
  const { sql } = await freshDatabase(t)
  const owner = await organization(sql, 10)
  const node = await fakeNode(t, (method) => {
    if (method === "eth_getBlockByNumber") return BLOCK
    return { eth_chainId: "0x7a69", eth_call: "0x" }[method] ?? "0x1"
  })
  await follow(sql, owner, 1, CONFIRMED, [address(1)])
  startPoller(t, sql, `${CAIP2}=${node}`, { callsPerSecond: 4, longestPollMs: 500 })
  await untilRead(sql, owner)
})
