// Solana transactions in words, from bytes that web3.js made.
import {
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  ComputeBudgetProgram,
} from "@solana/web3.js"
import t from "tap"
import { factsOf, wordsOf } from "./reading.ts"
import { payer, program, recipient, solana, TOKENS } from "./solana-transaction.ts"

t.test("a Solana send in base64 and in hexadecimal: amount, recipient, highest fee", async (t) => {
  const bytes = solana(
    ComputeBudgetProgram.setComputeUnitLimit({ units: 1000 }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 5_000_000 }),
    SystemProgram.transfer({ fromPubkey: payer, toPubkey: recipient, lamports: 1_250_000_000 }),
  )
  const signWith = payer.toBase58()
  for (const unsignedTransaction of [bytes.toString("base64"), bytes.toString("hex")]) {
    const words = wordsOf("SOL_SEND_TRANSACTION", { unsignedTransaction, signWith, caip2: "solana:mainnet" })
    t.equal(
      words.sentence,
      `Send 1.25 SOL (1250000000 lamports) from ${signWith} to ${recipient.toBase58()} on Solana (solana:mainnet), signed with ${signWith}`,
    )
    t.match(factsOf(words), { "Fee at most": "0.00001 SOL (10000 lamports)", "Pays the fee": signWith })
  }
  const second = wordsOf("SOL_SEND_TRANSACTION_V2", {
    unsignedTransaction: bytes.toString("hex"),
    signWiths: [signWith],
    caip2: "solana:devnet",
  })
  t.match(second.sentence, "on Solana Devnet (solana:devnet)")
})

t.test("token instructions of Solana, and unreadable ones", async (t) => {
  const [source, mint, target] = [4, 5, 6].map(
    (seed) => Keypair.fromSeed(new Uint8Array(32).fill(seed)).publicKey,
  ) as [PublicKey, PublicKey, PublicKey]
  const keys = [source, mint, target, payer].map((pubkey, at) => ({
    pubkey,
    isSigner: at === 3,
    isWritable: true,
  }))
  const units = Buffer.alloc(8)
  units.writeBigUInt64LE(12_500_000n)
  const checked = new TransactionInstruction({
    programId: TOKENS,
    keys,
    data: Buffer.from([12, ...units, 6]),
  })
  const authority = new TransactionInstruction({
    programId: TOKENS,
    keys: keys.slice(0, 1).concat(keys.slice(3)),
    data: Buffer.from([6, 2, 1, ...recipient.toBytes()]),
  })
  const unknown = new TransactionInstruction({ programId: program, keys: [], data: Buffer.from([9, 9]) })
  const words = wordsOf("SIGN_TRANSACTION_V2", {
    unsignedTransaction: solana(checked, authority, unknown).toString("hex"),
    signWith: payer.toBase58(),
    type: "TRANSACTION_TYPE_SOLANA",
  })
  const { sentence } = words
  t.match(
    sentence,
    `send 12.5 (12500000 base units) of token ${mint.toBase58()} from token account ${source.toBase58()} to token account ${target.toBase58()}`,
  )
  t.match(sentence, `give ${recipient.toBase58()} the right to own the account of ${source.toBase58()}`)
  t.match(sentence, `call ${program.toBase58()} with 0 accounts and 2 bytes`)
  t.match(factsOf(words), { "Instruction 3 › Data": "0909" })
  t.match(words.contents[0]?.warnings, [
    /The other key has this right from then on/,
    /Nobody can see what this instruction does/,
  ])
})
