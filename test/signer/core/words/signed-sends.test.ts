// Sends of transactions that are signed already, in words: raw ones, replacements and cancellations.
import t from "tap"
import { keccak256, parseEther, parseGwei } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { factsOf, wordsOf } from "./reading.ts"

const FRIEND = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
const OWN = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"

t.test(
  "a replacement and a cancellation name the waiting transaction by hash, nonce, recipient, amount and fee",
  async (t) => {
    const account = privateKeyToAccount(`0x${"11".repeat(32)}`)
    const signedTransaction = await account.signTransaction({
      chainId: 8453,
      nonce: 7,
      to: FRIEND,
      value: parseEther("1.5"),
      gas: 21_000n,
      maxFeePerGas: parseGwei("2"),
      maxPriorityFeePerGas: parseGwei("1"),
    })
    const hash = keccak256(signedTransaction)
    const parameters = {
      from: account.address,
      caip2: "eip155:8453",
      nonce: "7",
      signedTransaction,
      gasLimit: "21000",
      maxFeePerGas: String(parseGwei("3")),
      maxPriorityFeePerGas: String(parseGwei("2")),
    }
    const amount = "1.5 ETH (1500000000000000000 wei)"
    const payment = `end ${amount} to ${FRIEND} on Base (eip155:8453)`
    const place = `transaction ${hash} with nonce 7`
    const replacing = wordsOf("ETH_REPLACE_TRANSACTION", parameters)
    t.equal(
      replacing.sentence,
      `S${payment} again with other fees, in place of ${place}, from ${account.address}`,
    )
    const cancelling = wordsOf("ETH_CANCEL_TRANSACTION", parameters)
    t.equal(cancelling.sentence, `Cancel ${place}: s${payment}, from ${account.address}`)
    for (const { contents } of [replacing, cancelling]) {
      const [placed, waiting, ...others] = contents.map((content) =>
        factsOf({ contents: [content] } as never),
      )
      t.match(placed, { "In place of": hash, "Fee at most": "0.000063 ETH (63000000000000 wei)", Nonce: "7" })
      t.match(waiting, {
        Hash: hash,
        From: account.address,
        To: FRIEND,
        Amount: amount,
        "Fee at most": "0.000042 ETH (42000000000000 wei)",
        Nonce: "7",
      })
      t.same(others, [])
    }
    t.match(factsOf({ contents: cancelling.contents.slice(0, 1) } as never), {
      To: account.address,
      Amount: "0 ETH",
    })
    const foreign = wordsOf("ETH_REPLACE_TRANSACTION", { ...parameters, from: OWN })
    t.match(foreign.contents, [{ warnings: [/^The signer refuses it: signedTransaction was signed by 0x/] }])
  },
)

t.test("a raw send: who signed it, and what it does", async (t) => {
  const account = privateKeyToAccount(`0x${"11".repeat(32)}`)
  const signedTransaction = await account.signTransaction({
    chainId: 10,
    type: "eip1559",
    to: FRIEND,
    value: parseEther("2"),
    gas: 21000n,
    maxFeePerGas: parseGwei("1"),
    maxPriorityFeePerGas: 0n,
    nonce: 7,
  })
  const words = wordsOf("ETH_SEND_RAW_TRANSACTION", { signedTransaction, caip2: "eip155:10" })
  t.match(words.sentence, `send 2 ETH (2000000000000000000 wei) to ${FRIEND} on OP Mainnet (eip155:10)`)
  t.match(factsOf(words), { From: account.address, "Fee at most": "0.000021 ETH (21000000000000 wei)" })
  const other = wordsOf("ETH_SEND_RAW_TRANSACTION", { signedTransaction, caip2: "eip155:1" })
  t.match(other.contents[0]?.warnings, [/^The signer refuses it: the transaction is for eip155:10/])
})
