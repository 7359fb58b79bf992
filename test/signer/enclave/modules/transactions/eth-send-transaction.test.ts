import { Transaction } from "ethers"
import t from "tap"
import { keccak256 } from "viem"
import { valueOf } from "../../../../harness/api-client.ts"
import {
  CHAIN,
  FILL,
  OTHER,
  readSent,
  send,
  sentBy,
  setupSends,
  TO,
  transferOf,
} from "../../../../harness/sends.ts"
import { asRoot, refused } from "../../../../hostile/setup.ts"

const ERC20_TRANSFER = `0xa9059cbb${"00".repeat(12)}${TO.slice(2).toLowerCase()}${"00".repeat(31)}05`

t.test("signs one transaction of its sender, with the chain's values where the body has none", async (t) => {
  const fixture = await setupSends(t)
  const outcome = await send(fixture, transferOf(fixture, { data: ERC20_TRANSFER }))
  const sent = sentBy(outcome)
  const { sendTransactionStatusId } = valueOf(outcome, "ethSendTransactionResult")
  t.match(sent, { sendTransactionStatusId, caip2: CHAIN, nonce: 7n, validUntilMs: 0n })
  t.equal(sent.account, fixture.address.toLowerCase())
  const { serialized, ...read } = await readSent(sent)
  t.equal(sent.transactionHash, keccak256(serialized))
  t.match(read, {
    type: "eip1559",
    from: fixture.address,
    chainId: 8453,
    nonce: 7,
    gas: FILL.gasLimit,
    maxFeePerGas: FILL.maxFeePerGas,
    maxPriorityFeePerGas: FILL.maxPriorityFeePerGas,
    to: TO.toLowerCase(),
    value: 5n,
    data: ERC20_TRANSFER,
  })
  const judged = Transaction.from(serialized)
  t.equal(judged.from, fixture.address, "ethers recovers the sender too")
  t.equal(judged.hash, sent.transactionHash)
})

t.test("a tip that the chain names is no higher than the fee that the body names", async (t) => {
  const fixture = await setupSends(t)
  fixture.client.chain = () => ({ ...FILL, maxPriorityFeePerGas: 5_000_000n })
  const sent = await readSent(sentBy(await send(fixture, transferOf(fixture, { maxFeePerGas: "3000000" }))))
  t.match(sent, { maxFeePerGas: 3_000_000n, maxPriorityFeePerGas: 3_000_000n })
})

t.test("uses values of the body exactly, and asks for the others only", async (t) => {
  const fixture = await setupSends(t)
  const asked: number[][] = []
  fixture.client.chain = (needed) => {
    asked.push(needed.values)
    return { ...FILL, nonce: 99n, gasLimit: 99_999n }
  }
  const given = { nonce: "0", gasLimit: "21000", maxFeePerGas: "3000000000", maxPriorityFeePerGas: "0" }
  const sent = await readSent(sentBy(await send(fixture, transferOf(fixture, given))))
  // viem leaves out what is 0.
  t.match(sent, { gas: 21_000n, maxFeePerGas: 3_000_000_000n })
  t.strictSame([sent.nonce ?? 0, sent.maxPriorityFeePerGas ?? 0n], [0, 0n])
  t.strictSame(asked, [], "nothing was lacking")
  const { gasLimit: _, ...rest } = given
  await send(fixture, transferOf(fixture, rest))
  t.strictSame(asked, [[2]], "FILL_VALUE_GAS_LIMIT")
})

t.test("the second version signs one call alike", async (t) => {
  const fixture = await setupSends(t)
  const parameters = { from: fixture.address, caip2: CHAIN, calls: [{ to: OTHER, value: "12" }] }
  const outcome = await send(fixture, parameters, "ETH_SEND_TRANSACTION_V2")
  const { sendTransactionStatusId } = valueOf(outcome, "ethSendTransactionResultV2")
  t.equal(sentBy(outcome).sendTransactionStatusId, sendTransactionStatusId)
  t.match(await readSent(sentBy(outcome)), { type: "eip1559", to: OTHER.toLowerCase(), value: 12n })
})

t.test("values of 256 bits are sent whole", async (t) => {
  const fixture = await setupSends(t)
  const value = String(2n ** 256n - 1n)
  t.match(await readSent(sentBy(await send(fixture, transferOf(fixture, { value })))), {
    value: 2n ** 256n - 1n,
  })
})

t.test("refuses senders, recipients and values that are none", async (t) => {
  const fixture = await setupSends(t)
  const attempt = (more: object) => () =>
    asRoot(fixture).attempt("ETH_SEND_TRANSACTION", transferOf(fixture, more))
  const address = "SEND_ADDRESS_INVALID"
  await refused(t, fixture, address, attempt({ from: fixture.walletId }), "an id")
  await refused(
    t,
    fixture,
    address,
    attempt({ from: "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu" }),
    "another chain",
  )
  await refused(t, fixture, address, attempt({ to: TO.slice(0, -1) }), "a short recipient")
  await refused(t, fixture, address, attempt({ to: TO.replace("C", "c") }), "a wrong checksum")
  await refused(t, fixture, "SIGN_WITH_UNKNOWN", attempt({ from: OTHER }), "nobody's address")
  for (const data of ["a9059cbb", "0xa", "0xzz"])
    await refused(t, fixture, "SEND_INVALID", attempt({ data }), data)
  const tip = { maxFeePerGas: "1", maxPriorityFeePerGas: "2" }
  await refused(t, fixture, "SEND_INVALID", attempt(tip), "a tip above the fee")
  await refused(t, fixture, "SEND_VALUE_UNUSED", attempt({ gasStationNonce: "1" }))
  await refused(t, fixture, "SEND_VALUE_UNUSED", attempt({ deadline: "4000000000" }))
  for (const value of ["-1", "0x5", "1e18", String(2n ** 256n)])
    await refused(t, fixture, "REQUEST_INVALID", attempt({ value }), value)
  await refused(t, fixture, "REQUEST_INVALID", attempt({ caip2: "eip155:0" }), "no chain")
  const call = { to: TO }
  const sponsored = { from: fixture.address, caip2: CHAIN, sponsor: true, calls: [call] }
  const attemptV2 = (more: object) => () =>
    asRoot(fixture).attempt("ETH_SEND_TRANSACTION_V2", { ...sponsored, ...more })
  await refused(t, fixture, "GAS_STATION_UNCONFIGURED", attemptV2({}))
  const calls = Array.from({ length: 21 }, () => call)
  await refused(t, fixture, "SEND_CALLS_EXCEEDED", attemptV2({ calls, sponsor: false }))
})
