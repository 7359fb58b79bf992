// Readings of replacements and cancellations, of transactions that viem signs.
import t, { type Test } from "tap"
import { privateKeyToAccount } from "viem/accounts"
import { serializeTransaction as serializeForCelo } from "viem/celo"
import { Refusal } from "../../../../signer/core/refusal.ts"
import { readRawTransaction } from "../../../../signer/core/send/raw-transaction.ts"
import { leastFees, readCancellation, readReplacement } from "../../../../signer/core/send/replacement.ts"

const account = privateKeyToAccount(`0x${"11".repeat(32)}`)
const stranger = privateKeyToAccount(`0x${"22".repeat(32)}`)
const FROM = account.address.toLowerCase()
const TO = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
const CHAIN = "eip155:8453"

const PLAIN = {
  type: "eip1559",
  chainId: 8453,
  nonce: 7,
  gas: 90_000n,
  to: TO,
  value: 5n,
  data: "0xdeadbeef",
  maxFeePerGas: 2_000_000_001n,
  maxPriorityFeePerGas: 1_000_000n,
}

const signed = (more: object = {}, by = account) => by.signTransaction({ ...PLAIN, ...more } as never)

const LEGACY = { type: "legacy", gasPrice: 5n, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined }

async function asked(waiting: object = {}, more: object = {}, by = account) {
  return {
    from: account.address,
    caip2: CHAIN,
    nonce: "7",
    signedTransaction: await signed(waiting, by),
    gasLimit: "90000",
    maxFeePerGas: "3000000000",
    maxPriorityFeePerGas: "2000000",
    ...more,
  }
}

function refusedWith(t: Test, code: string, read: () => unknown, about: string): void {
  try {
    read()
    t.fail(`${about} is not refused`)
  } catch (error) {
    t.equal(error instanceof Refusal ? error.code : String(error), code, about)
  }
}

t.test(
  "a replacement has the waiting transaction's recipient, amount, data and nonce, and the fees of the body",
  async (t) => {
    for (const waiting of [{}, LEGACY, { ...LEGACY, type: "eip2930", accessList: [] }]) {
      const { send, replaced } = readReplacement(await asked(waiting))
      t.match(send, {
        kind: "plain",
        from: FROM,
        chainId: 8453n,
        calls: [{ to: TO, value: 5n, data: "0xdeadbeef" }],
        given: {
          nonce: 7n,
          gasLimit: 90_000n,
          maxFeePerGas: 3_000_000_000n,
          maxPriorityFeePerGas: 2_000_000n,
        },
      })
      t.equal(replaced.from, account.address)
    }
  },
)

t.test("a cancellation sends nothing to its sender with the same nonce, whatever waits", async (t) => {
  const authorization = await account.signAuthorization({ chainId: 8453, address: TO, nonce: 8 })
  const kinds = [
    {},
    LEGACY,
    { to: undefined },
    { to: FROM },
    { type: "eip7702", authorizationList: [authorization] },
  ]
  for (const waiting of kinds) {
    const { send } = readCancellation(await asked(waiting))
    t.match(send, { kind: "plain", calls: [{ to: FROM, value: 0n, data: "0x" }], given: { nonce: 7n } })
  }
})

t.test("transactions whose effect is not in recipient, amount and data are cancelled only", async (t) => {
  const authorization = await account.signAuthorization({ chainId: 8453, address: TO, nonce: 8 })
  const kinds = {
    "a creation": { to: undefined },
    "a batch": { to: FROM },
    "a change of delegation": { type: "eip7702", authorizationList: [authorization] },
  }
  for (const [about, waiting] of Object.entries(kinds)) {
    const parameters = await asked(waiting)
    refusedWith(t, "SEND_NOT_REPLACEABLE", () => readReplacement(parameters), about)
  }
  t.doesNotThrow(async () => readReplacement(await asked({ to: FROM, data: "0x" })), "a payment to oneself")
})

t.test("C-1818: a transaction whose fees are in a token is neither replaced nor cancelled", async (t) => {
  const celo = await account.signTransaction(
    { ...PLAIN, type: "cip64", chainId: 42220, feeCurrency: TO } as never,
    { serializer: serializeForCelo as never },
  )
  const parameters = { ...(await asked({})), caip2: "eip155:42220", signedTransaction: celo }
  refusedWith(t, "SEND_NOT_REPLACEABLE", () => readReplacement(parameters), "replacement")
  refusedWith(t, "SEND_NOT_REPLACEABLE", () => readCancellation(parameters), "cancellation")
})

t.test("fee and tip are each 10 % higher, rounded up, and 1 wei higher at least", async (t) => {
  const least = async (waiting: object) =>
    leastFees(readRawTransaction(await signed(waiting), CHAIN).transaction)
  t.same(await least({}), { maxFeePerGas: 2_200_000_002n, maxPriorityFeePerGas: 1_100_000n })
  t.same(await least({ maxPriorityFeePerGas: 0n }), {
    maxFeePerGas: 2_200_000_002n,
    maxPriorityFeePerGas: 1n,
  })
  t.same(await least(LEGACY), { maxFeePerGas: 6n, maxPriorityFeePerGas: 6n })
  for (const read of [readReplacement, readCancellation]) {
    const lowFee = await asked({}, { maxFeePerGas: "2200000001" })
    const lowTip = await asked({}, { maxPriorityFeePerGas: "1099999" })
    refusedWith(t, "SEND_FEE_TOO_LOW", () => read(lowFee), "the fee")
    refusedWith(t, "SEND_FEE_TOO_LOW", () => read(lowTip), "the tip")
    const exact = await asked({}, { maxFeePerGas: "2200000002", maxPriorityFeePerGas: "1100000" })
    t.doesNotThrow(() => read(exact))
  }
})

t.test("W35: bytes of another account, chain or nonce, and unsigned bytes, are refused", async (t) => {
  for (const read of [readReplacement, readCancellation]) {
    const foreign = await asked({}, {}, stranger)
    refusedWith(t, "SEND_REPLACED_MISMATCH", () => read(foreign), "another account")
    const otherNonce = await asked({}, { nonce: "8" })
    refusedWith(t, "SEND_REPLACED_MISMATCH", () => read(otherNonce), "another nonce")
    const otherChain = await asked({}, { caip2: "eip155:1" })
    refusedWith(t, "SEND_CHAIN_MISMATCH", () => read(otherChain), "another chain")
    const good = await asked()
    const altered = { ...good, signedTransaction: good.signedTransaction.replace("deadbeef", "deadbeee") }
    refusedWith(t, "SEND_REPLACED_MISMATCH", () => read(altered), "altered bytes")
    const unsigned = { ...good, signedTransaction: "0x02c0" }
    refusedWith(t, "TRANSACTION_INVALID", () => read(unsigned), "no transaction")
  }
})
