import { randomUUID } from "node:crypto"
import t, { type Test } from "tap"
import { startAnvil } from "../../harness/anvil.ts"
import { followEthereum } from "./follow-ethereum.ts"
import { fundedAccount, GWEI, signedSend } from "./signed.ts"
import type { SendState } from "./start-worker.ts"

const TO = "0x00000000000000000000000000000000000000aa"
const SENT_MS = 1_800_000_000_000

/** A chain that does not mine, and a payment with two others of its nonce: higher fees, and a cancellation. */
async function setUp(t: Test) {
  const chain = await startAnvil(t, { words: ["--no-mining"] })
  const followed = await followEthereum(t, chain, [chain.url])
  const account = await fundedAccount(chain)
  const organizationId = randomUUID()
  const signed = async (afterMs: number, fee: bigint, to = TO) => ({
    ...(await signedSend(chain, account, {
      nonce: 0,
      to: to as `0x${string}`,
      value: to === TO ? 1n : 0n,
      maxFeePerGas: fee * GWEI,
      maxPriorityFeePerGas: fee * GWEI,
    })),
    organizationId,
    createdMs: SENT_MS + afterMs,
  })
  const original = await signed(0, 20n)
  const replacement = await signed(1, 30n)
  const cancellation = await signed(2, 40n, account.address)
  return { chain, account, original, replacement, cancellation, signed, ...followed }
}

const messageOf = ({ failure }: SendState) => String(failure?.["message"])

t.test(
  "a transaction names the one that was sent in its place and waits, not the node's refusal",
  async (t) => {
    const { poll, store, original, replacement, cancellation } = await setUp(t)
    await store(original)
    t.match(await poll(original), { status: "BROADCASTING", failure: undefined })
    await store(replacement)
    t.match(
      await poll(replacement),
      { status: "BROADCASTING", failure: undefined },
      "it waits for a block alone",
    )
    const state = await poll(original, 1_000)
    t.equal(state.status, "BROADCASTING")
    t.equal(
      messageOf(state),
      `transaction ${replacement.hash} (${replacement.id}) was sent in its place, with the same nonce 0, and waits; a chain includes at most one of them`,
    )
    t.match(state.failure, { sameNonceId: replacement.id })
    await store(cancellation)
    await poll(cancellation)
    for (const send of [original, replacement])
      t.match((await poll(send, 1_000)).failure, { sameNonceId: cancellation.id }, "the newest one is named")
  },
)

t.test(
  "a send with a nonce that another one uses says which, and with which fees nodes take it",
  async (t) => {
    const { poll, store, original, signed } = await setUp(t)
    const advice = "nodes take another transaction of the same nonce only with fees that are 10 % higher"
    await store(original)
    await poll(original)
    const late = await store(await signed(1, 20n, `0x${"bb".repeat(20)}`))
    t.equal(
      messageOf(await poll(late)),
      `transaction ${original.hash} (${original.id}) waits with nonce 0; ${advice}`,
    )
  },
)

t.test("a nonce taken by a transaction from outside is reported without the node's text", async (t) => {
  const { chain, account, poll, store, original, signed } = await setUp(t)
  await chain.call("eth_sendRawTransaction", `0x${Buffer.from(original.raw).toString("hex")}`)
  const late = await store(await signed(1, 20n, `0x${"bb".repeat(20)}`))
  t.match(
    messageOf(await poll(late)),
    `another transaction of ${account.address.toLowerCase()} waits with nonce 0`,
  )
})

t.test("after a block each transaction of the nonce says which one was included", async (t) => {
  type Name = "original" | "replacement" | "cancellation"
  for (const [mined, others] of [
    ["original", { replacement: "an earlier transaction was included first" }],
    [
      "replacement",
      { original: "it was replaced", cancellation: "an earlier transaction was included first" },
    ],
    ["cancellation", { original: "it was cancelled", replacement: "it was cancelled" }],
  ] as const) {
    const { chain, poll, ...rest } = await setUp(t)
    const winner = rest[mined]
    for (const name of [mined, ...Object.keys(others)] as Name[]) await rest.store(rest[name])
    t.equal((await poll(winner)).status, "BROADCASTING")
    await chain.call("anvil_mine", "0x1")
    t.match(await poll(winner, 1_000), { status: "INCLUDED", failure: undefined }, `${mined} is included`)
    for (const [name, how] of Object.entries(others)) {
      const state = await poll(rest[name as Name], 1_000)
      t.equal(state.status, "FAILED", `${name} beside ${mined}`)
      t.ok(
        messageOf(state).startsWith(`${how}: transaction ${winner.hash} (${winner.id})`),
        `${name} beside ${mined}: ${messageOf(state)}`,
      )
      t.match(state.failure, { sameNonceId: winner.id })
    }
  }
})
