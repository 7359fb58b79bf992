// ethers: signer, hash, and the fields that policies see.
import { Transaction, Wallet } from "ethers"
import { type Judge, requireSame } from "../engine/reader.ts"
import { CHAIN, type ReadRaw } from "../readers/raw-transaction.ts"

const wallet = new Wallet(`0x${"11".repeat(32)}`)
const TO = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER)

function signed(fields: object): string {
  const transaction = Transaction.from({
    to: TO,
    value: 5n,
    data: "0xa9059cbb00",
    gasLimit: 21_000n,
    nonce: 7,
    chainId: 1n,
    ...fields,
  })
  transaction.signature = wallet.signingKey.sign(transaction.unsignedHash)
  return transaction.serialized
}

export const judge: Judge<ReadRaw> = {
  seeds: () => [
    signed({ type: 0, gasPrice: 9n }),
    signed({ type: 1, gasPrice: 9n, accessList: [{ address: TO, storageKeys: [`0x${"22".repeat(32)}`] }] }),
    signed({ type: 2, maxFeePerGas: 9n, maxPriorityFeePerGas: 1n }),
    signed({ type: 2, maxFeePerGas: 9n, to: null }),
    signed({ type: 2, maxFeePerGas: 9n, chainId: 2n }),
    signed({ type: 0, gasPrice: 9n, chainId: 0n }).slice(2),
  ],
  judge(input, outcome) {
    if ("refusal" in outcome) return
    const { transaction, from, hash, raw } = outcome.value
    requireSame(`eip155:${transaction.chainId}`, CHAIN, "the chain")
    if (transaction.nonce > MAX_SAFE || transaction.type === "TYPE_123") return
    const text = input.toString()
    const theirs = Transaction.from(text.startsWith("0x") ? text : `0x${text}`)
    requireSame([from, hash], [theirs.from, theirs.hash], "ethers")
    requireSame(
      [
        transaction.chainId,
        String(transaction.nonce),
        transaction.to,
        transaction.value,
        transaction.data,
        transaction.gas,
      ],
      [
        theirs.chainId,
        String(theirs.nonce),
        theirs.to?.toLowerCase() ?? "",
        theirs.value,
        theirs.data,
        theirs.gasLimit,
      ],
      "the fields of ethers",
    )
    requireSame(`0x${Buffer.from(raw).toString("hex")}`, theirs.serialized, "the bytes")
  },
}
