// Filling of sends on a real chain and a real database. viem signs in the signer's place, with the values that it is given.
import { createHash, randomUUID } from "node:crypto"
import { create } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import type { PrivateKeyAccount } from "viem/accounts"
import {
  FillValue,
  type NeededFill,
  NeededFillSchema,
  type TransactionFill,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { chainsSetting } from "../../../../services/chains/chains.ts"
import { Nodes } from "../../../../services/api/sending/nodes.ts"
import { Sender, type Sending } from "../../../../services/api/sending/sender.ts"
import { insertSends } from "../../../../services/api/store/sends.ts"
import { createLogger } from "../../../../services/common/logger.ts"
import { closeDatabase, connectDatabase } from "../../../../services/database/database.ts"
import { Jobs } from "../../../../services/database/jobs.ts"
import { type Anvil, startAnvil } from "../../../harness/anvil.ts"
import { freshDatabase, type TestDatabase } from "../../../harness/database.ts"
import { fundedAccount, signedSend } from "../../worker/signed.ts"

const TO = "0x00000000000000000000000000000000000000aa"
const PLAIN = [
  FillValue.NONCE,
  FillValue.GAS_LIMIT,
  FillValue.MAX_FEE_PER_GAS,
  FillValue.MAX_PRIORITY_FEE_PER_GAS,
]

/** One process of the API, as far as it sends. */
function openProcess(t: Test, chain: Anvil, { url }: TestDatabase) {
  const sql = connectDatabase({ url }, { max: 4 })
  const locksSql = connectDatabase({ url }, { max: 4 })
  const jobs = new Jobs({ url }, { log: createLogger("test", "silent"), supervise: false })
  const recovered: string[] = []
  t.teardown(async () => {
    await jobs.close()
    await Promise.all([closeDatabase(sql), closeDatabase(locksSql)])
  })
  const chains = chainsSetting(`eip155:${chain.chainId}=${chain.url}`)
  const ledgerSync = { recover: async (id: string) => void recovered.push(id) }
  const sender = new Sender({ nodes: new Nodes(chains), sql, locksSql, jobs, ledgerSync })
  return { sql, jobs, sender, recovered, locksSql }
}
type ApiProcess = ReturnType<typeof openProcess>

function neededFor(chain: Anvil, from: string, more: Partial<NeededFill> = {}): NeededFill {
  return create(NeededFillSchema, {
    activityFingerprint: createHash("sha256").update(randomUUID()).digest(),
    caip2: `eip155:${chain.chainId}`,
    from: from.toLowerCase(),
    calls: [{ to: TO, value: "1", data: new Uint8Array() }],
    values: PLAIN,
    ...more,
  } as never)
}

/** Signs with the filled values and stores, as the API does with an outcome. */
async function finish(
  { sql, jobs }: ApiProcess,
  chain: Anvil,
  { account, fill, sending }: { account: PrivateKeyAccount; fill: TransactionFill; sending: Sending },
): Promise<void> {
  const send = await signedSend(chain, account, { nonce: Number(fill.nonce), to: TO, value: 1n })
  const row = {
    ...send,
    chain: send.caip2,
    activityId: randomUUID(),
    lastValidBlockHeight: 0n,
    createdMs: Date.now(),
  }
  await sql.begin(async (tx) => {
    await insertSends(tx, [row])
    await jobs.enqueue(tx, send.caip2, [send])
  })
  await sending.settle()
}

t.test("nonce, gas and fees are those of the chain", async (t) => {
  const chain = await startAnvil(t)
  const api = openProcess(t, chain, await freshDatabase(t))
  const account = await fundedAccount(chain)
  await chain.call("anvil_setNonce", account.address, "0x5")
  const sending = api.sender.open()
  const fill = await sending.fill(neededFor(chain, account.address), randomUUID())
  await sending.close()
  t.match(fill, { nonce: 5n, gasLimit: 25_200n, caip2: "eip155:31337" })
  t.ok((fill.maxFeePerGas ?? 0n) > (fill.maxPriorityFeePerGas ?? 0n))
})

t.test("sends of two processes get every nonce once and leave none out", async (t) => {
  const chain = await startAnvil(t)
  const database = await freshDatabase(t)
  const processes = [openProcess(t, chain, database), openProcess(t, chain, database)]
  const accounts = await Promise.all(Array.from({ length: 5 }, () => fundedAccount(chain)))
  const EACH = 12
  await Promise.all(
    accounts.flatMap((account) =>
      Array.from({ length: EACH }, async (_, index) => {
        const api = processes[index % 2]!
        const sending = api.sender.open()
        try {
          const fill = await sending.fill(neededFor(chain, account.address), randomUUID())
          // Every fourth order is refused by the signer: its nonce is the next one's.
          if (index % 4 === 3) await sending.settle()
          else await finish(api, chain, { account, fill, sending })
        } finally {
          await sending.close()
        }
      }),
    ),
  )
  for (const { address } of accounts) {
    const rows = await database.sql<{ nonce: string }[]>`
      select nonce from sends where account = ${address.toLowerCase()} order by nonce`
    t.same(
      rows.map(({ nonce }) => Number(nonce)),
      Array.from({ length: (EACH * 3) / 4 }, (_, nonce) => nonce),
    )
  }
  t.same(await database.sql`select * from nonce_reservations`, [])
})

t.test(
  "after a crash between order and outcome the outcome is recovered before the next nonce",
  async (t) => {
    const chain = await startAnvil(t)
    const database = await freshDatabase(t)
    const [dying, next] = [openProcess(t, chain, database), openProcess(t, chain, database)]
    const account = await fundedAccount(chain)
    const organizationId = randomUUID()
    const lost = dying.sender.open()
    t.equal((await lost.fill(neededFor(chain, account.address), organizationId)).nonce, 0n)
    // The process dies: PostgreSQL ends its connections and frees the lock, and nothing is settled.
    await database.sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and state = 'idle in transaction'`
    const sending = next.sender.open()
    const fill = await sending.fill(neededFor(chain, account.address), randomUUID())
    t.same(next.recovered, [organizationId])
    t.equal(fill.nonce, 0n, "nothing was signed")
    await sending.settle()
    await sending.close()
  },
)

t.test("a nonce that a failed transaction left is used before those after it", async (t) => {
  const chain = await startAnvil(t, { words: ["--no-mining"] })
  const database = await freshDatabase(t)
  const api = openProcess(t, chain, database)
  const account = await fundedAccount(chain)
  const nextNonce = async () => {
    const sending = api.sender.open()
    const fill = await sending.fill(neededFor(chain, account.address), randomUUID())
    await finish(api, chain, { account, fill, sending })
    await sending.close()
    return Number(fill.nonce)
  }
  t.same([await nextNonce(), await nextNonce(), await nextNonce()], [0, 1, 2])
  await database.sql`update sends set status = 'FAILED' where nonce = 1`
  t.same([await nextNonce(), await nextNonce()], [1, 3])
})

t.test("a call that would revert is refused with its reason before anything is signed", async (t) => {
  const chain = await startAnvil(t)
  const api = openProcess(t, chain, await freshDatabase(t))
  const account = await fundedAccount(chain)
  // Code that reverts with Error("no"): mstore of its encoding, and revert.
  const error = `08c379a0${"20".padStart(64, "0")}${"2".padStart(64, "0")}${"6e6f".padEnd(64, "0")}`
  const words = error.match(/.{1,64}/g) ?? []
  const store = words.map(
    (word, at) => `7f${word.padEnd(64, "0")}60${(at * 32).toString(16).padStart(2, "0")}52`,
  )
  await chain.call("anvil_setCode", TO, `0x${store.join("")}60646000fd`)
  const sending = api.sender.open()
  await t.rejects(sending.fill(neededFor(chain, account.address), randomUUID()), {
    reason: "TRANSACTION_REVERTS",
    status: 400,
    message: "the transaction would fail, and was not signed: reverted: no",
  })
  t.same(await api.sql`select * from nonce_reservations`, [], "no nonce was taken")
})

t.test("a chain that is not configured, or whose node is down, is refused with its own code", async (t) => {
  const chain = await startAnvil(t)
  const api = openProcess(t, chain, await freshDatabase(t))
  t.throws(() => api.sender.requireChain("eip155:999"), {
    reason: "CHAIN_NOT_CONFIGURED",
    status: 400,
    message: /COUNTERSIGN_CHAINS/,
  })
  await chain.stop()
  const sending = api.sender.open()
  await t.rejects(sending.fill(neededFor(chain, TO), randomUUID()), {
    reason: "CHAIN_UNAVAILABLE",
    status: 503,
    message: /no node of eip155:31337 serves this now: it cannot be reached; try again/,
  })
})
