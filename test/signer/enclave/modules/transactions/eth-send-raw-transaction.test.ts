import { Transaction, Wallet } from "ethers"
import t from "tap"
import { keccak256 } from "viem"
import { privateKeyToAddress } from "viem/accounts"
import { valueOf } from "../../../../harness/api-client.ts"
import { CHAIN, hexOf, sentBy, setupSends, TO } from "../../../../harness/sends.ts"
import { allow, deny, setupMembers } from "../../../../hostile/consensus-fixture.ts"
import { signed } from "../../../../hostile/replay-cases-sends.ts"
import { asRoot, refused } from "../../../../hostile/setup.ts"

const TYPE = "ETH_SEND_RAW_TRANSACTION"
const FROM = privateKeyToAddress(`0x${"11".repeat(32)}`)

t.test("hands on a signed transaction as it is, under its hash", async (t) => {
  const fixture = await setupSends(t)
  const legacy = { type: "legacy", gasPrice: 5n, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined }
  const kinds = [{}, legacy, { ...legacy, type: "eip2930", accessList: [] }, { data: "0xdeadbeef" }]
  for (const [nonce, kind] of kinds.entries()) {
    const signedTransaction = await signed(nonce, kind)
    const outcome = await asRoot(fixture).submit(TYPE, { signedTransaction, caip2: CHAIN })
    const hash = keccak256(signedTransaction)
    t.equal(valueOf(outcome, "ethSendRawTransactionResult").transactionHash, hash)
    const sent = sentBy(outcome)
    t.match(sent, { caip2: CHAIN, transactionHash: hash, account: FROM.toLowerCase(), nonce: BigInt(nonce) })
    t.equal(hexOf(sent.raw), signedTransaction)
    t.equal(Transaction.from(signedTransaction).hash, hash, "as ethers names it")
  }
})

t.test("policies see the transaction and who signed it", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan } = fixture
  await allow(fixture, {
    condition: `eth.tx.from == '${FROM}' && eth.tx.value == 5 && eth.tx.to == '${TO.toLowerCase()}'`,
  })
  const attempt = (signedTransaction: string) =>
    client.send(
      client.body(`ACTIVITY_TYPE_${TYPE}`, acme.organizationId, { signedTransaction, caip2: CHAIN }),
      dan.key,
    )
  const stranger = await new Wallet(`0x${"22".repeat(32)}`).signTransaction({
    type: 2,
    chainId: 8453,
    nonce: 0,
    gasLimit: 21_000,
    to: TO,
    value: 5,
    maxFeePerGas: 2,
    maxPriorityFeePerGas: 1,
  })
  t.match(await attempt(await signed(0)), { is: "outcome" })
  await refused(t, fixture, "PERMISSION_DENIED", () => attempt(stranger), "another signer")
  const other = await signed(0, { value: 6n })
  await refused(t, fixture, "PERMISSION_DENIED", () => attempt(other), "another value")
  await deny(fixture, { condition: "activity.kind == 'ETH_SEND_RAW_TRANSACTION'" })
  const again = await signed(1)
  await refused(t, fixture, "PERMISSION_DENIED", () => attempt(again))
})

t.test("refuses what no node takes, and transactions of another chain", async (t) => {
  const fixture = await setupSends(t)
  const attempt =
    (signedTransaction: string, caip2 = CHAIN) =>
    () =>
      asRoot(fixture).attempt(TYPE, { signedTransaction, caip2 })
  const good = await signed(3)
  const mismatch = "SEND_CHAIN_MISMATCH"
  await refused(t, fixture, mismatch, attempt(good, "eip155:1"))
  const legacy = { type: "legacy", gasPrice: 5n, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined }
  const unsigned = `0x02${good.slice(4)}`.replace(/^0x02.*/, "0x02c0")
  const highS = Transaction.from(good)
  const flipped = `${good.slice(0, -64)}${(2n ** 256n - 1n).toString(16)}`
  const cases: [string, string][] = [
    ["no hexadecimal", "0xzz"],
    ["nothing", "0x"],
    ["no fields", unsigned],
    ["not signed", highS.unsignedSerialized],
    ["bytes that follow", `${good}00`],
    ["s above half of the order", flipped],
    ["no chain", await signed(3, { ...legacy, chainId: undefined })],
    ["blobs", `0x03${good.slice(4)}`],
  ]
  for (const [what, text] of cases) await refused(t, fixture, "TRANSACTION_INVALID", attempt(text), what)
})
