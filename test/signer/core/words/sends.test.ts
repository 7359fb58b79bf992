// Sends in words: amount, recipient, token, chain and highest fee, read from bodies and bytes that other libraries made.
import {
  Keypair,
  PublicKey,
  StakeProgram,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  ComputeBudgetProgram,
} from "@solana/web3.js"
import t from "tap"
import { encodeFunctionData, keccak256, parseAbi, parseEther, parseGwei } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { readAbi } from "../../../../signer/core/contract-interface/abi.ts"
import { factsOf, wordsOf } from "./reading.ts"

const FRIEND = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
const THIEF = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
const OWN = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
const TOKEN = "0x5FbDB2315678afecb367f032d93F642f64180aa3"
const erc20 = parseAbi([
  "function transfer(address to, uint256 amount)",
  "function approve(address spender, uint256 amount)",
])
const transfer = (to: string, amount: bigint) =>
  encodeFunctionData({ abi: erc20, functionName: "transfer", args: [to as never, amount] })

t.test("a send of version 1: amount, recipient, chain and the highest fee", async (t) => {
  const words = wordsOf("ETH_SEND_TRANSACTION", {
    from: OWN.toLowerCase(),
    to: FRIEND.toLowerCase(),
    caip2: "eip155:8453",
    value: "1500000000000000000",
    gasLimit: "21000",
    maxFeePerGas: "2000000000",
  })
  const sentence = `Send 1.5 ETH (1500000000000000000 wei) to ${FRIEND} on Base (eip155:8453), from ${OWN}`
  t.equal(words.sentence, sentence)
  t.match(factsOf(words), {
    Chain: "Base (eip155:8453)",
    From: OWN,
    To: FRIEND,
    Amount: "1.5 ETH (1500000000000000000 wei)",
    "Fee at most": "0.000042 ETH (42000000000000 wei)",
  })
})

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

t.test("W29: the calls of version 2 are described, and no member that the signer ignores", async (t) => {
  const parameters = {
    from: OWN,
    caip2: "eip155:1",
    to: FRIEND,
    value: "5",
    calls: [{ to: THIEF, value: String(parseEther("1000")) }],
  }
  const words = wordsOf("ETH_SEND_TRANSACTION_V2", parameters)
  t.match(words.sentence, `Send 1000 ETH (1000000000000000000000 wei) to ${THIEF} on Ethereum (eip155:1)`)
  t.notMatch(words.sentence, FRIEND)
  t.notMatch(JSON.stringify([words.contents, words.members]), FRIEND)
  t.same(words.ignored, ["parameters.to", "parameters.value"])
})

t.test("a batch: every call, each with its amount; who sends and who pays", async (t) => {
  const calls = [
    { to: FRIEND, value: "1" },
    { to: TOKEN, data: transfer(THIEF, 250n) },
    { to: FRIEND, value: "2", data: "0x12345678ff" },
  ]
  const batch = wordsOf("ETH_SEND_TRANSACTION_V2", { from: OWN, caip2: "eip155:137", calls })
  t.match(batch.sentence, `0.000000000000000001 POL (1 wei) to ${FRIEND}`)
  t.match(batch.sentence, `transfer 250 base units of token ${TOKEN} to ${THIEF}`)
  t.match(factsOf(batch), {
    "Sent as": /one batch/,
    "Call 2 › Function": "transfer(address,uint256), by the token standards",
    "Call 3 › Amount": "0.000000000000000002 POL (2 wei)",
    "Fee at most": /the operator's cap/,
  })
  t.match(batch.contents[0]?.warnings, [/Nobody can see what this call does/, /delegate contract/])
  const sponsored = wordsOf("ETH_SEND_TRANSACTION_V2", { from: OWN, caip2: "eip155:1", sponsor: true, calls })
  t.match(sponsored.sentence, /, sponsored/)
  t.match(factsOf(sponsored), { "Fee at most": /paymaster pays/ })
})

t.test("allowances are described by what they allow", async (t) => {
  const unlimited = encodeFunctionData({
    abi: erc20,
    functionName: "approve",
    args: [THIEF, 2n ** 256n - 1n],
  })
  const words = wordsOf("ETH_SEND_TRANSACTION", { from: OWN, to: TOKEN, caip2: "eip155:1", data: unlimited })
  t.match(
    words.sentence,
    `Let ${THIEF} take any number of base units of token ${TOKEN} on Ethereum (eip155:1)`,
  )
  t.match(words.contents[0]?.warnings, [/without another signature, and without limit/])
})

t.test(
  "calls are read by the organization's interfaces, and the words name the source of the interface",
  async (t) => {
    const abi = parseAbi(["function settle((address payee, uint256[] shares) order, string note)"])
    const note = 'x", "amount": "1'
    const data = encodeFunctionData({
      abi,
      functionName: "settle",
      args: [{ payee: THIEF, shares: [3n, 4n] }, note],
    })
    const read = readAbi(JSON.stringify(abi))
    const interfaces = {
      abi: (address: string) => (address === TOKEN.toLowerCase() ? read : undefined),
      idl: () => undefined,
    }
    const send = { from: OWN, to: TOKEN, caip2: "eip155:1", data }
    const signed = wordsOf("ETH_SEND_TRANSACTION", send, { interfaces, hasSignedInterfaces: true })
    t.match(factsOf(signed), {
      Function: "settle((address,uint256[]),string), by the organization's interface of the contract",
      "Argument order.payee": THIEF,
      "Argument order.shares[0]": "3",
      "Argument order.shares[1]": "4",
      "Argument note": '"x\\", \\"amount\\": \\"1"',
    })
    const stated = wordsOf("ETH_SEND_TRANSACTION", send, { interfaces })
    t.match(factsOf(stated), { Function: /by an interface that the API states for the contract$/ })
    const misfit = wordsOf("ETH_SEND_TRANSACTION", { ...send, data: data.slice(0, 74) }, { interfaces })
    t.match(misfit.contents[0]?.warnings, [/do not fit settle/])
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

t.test("the end of a delegation", async (t) => {
  const { sentence } = wordsOf("ETH_UNDELEGATE_7702", { from: OWN, caip2: "eip155:1" })
  t.equal(sentence, `End the delegation (EIP-7702) of ${OWN} on Ethereum (eip155:1)`)
})

const payer = Keypair.fromSeed(new Uint8Array(32).fill(1)).publicKey
const recipient = Keypair.fromSeed(new Uint8Array(32).fill(2)).publicKey
const program = Keypair.fromSeed(new Uint8Array(32).fill(3)).publicKey
const TOKENS = new PublicKey("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
const blockhash = "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N"

/** A transaction as web3.js serializes it, without signatures. */
function solana(...instructions: readonly TransactionInstruction[]): Buffer {
  const transaction = new Transaction({ feePayer: payer, blockhash, lastValidBlockHeight: 1 }).add(
    ...instructions,
  )
  return transaction.serialize({ requireAllSignatures: false, verifySignatures: false })
}

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

t.test("instructions of staking, of associated accounts and of new ones have words", async (t) => {
  const [one, other, authority] = [11, 12, 13].map(
    (seed) => Keypair.fromSeed(new Uint8Array(32).fill(seed)).publicKey,
  ) as [PublicKey, PublicKey, PublicKey]
  const [first, second, third] = [one, other, authority].map((key) => key.toBase58())
  const told = (programId: PublicKey, data: Uint8Array, keys: readonly PublicKey[]) =>
    wordsOf("SIGN_TRANSACTION_V2", {
      unsignedTransaction: solana(
        new TransactionInstruction({
          programId,
          keys: keys.map((pubkey) => ({ pubkey, isSigner: false, isWritable: true })),
          data: Buffer.from(data),
        }),
      ).toString("hex"),
      signWith: payer.toBase58(),
      type: "TRANSACTION_TYPE_SOLANA",
    })
  const number = (value: number, ...rest: Uint8Array[]) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(value)
    return Buffer.concat([bytes, ...rest])
  }
  const sol = Buffer.alloc(8)
  sol.writeBigUInt64LE(1_500_000_000n)
  const key = authority.toBytes()
  const stake = StakeProgram.programId
  const associated = new PublicKey("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")
  const given = [/The other key has this right from then on/]
  const rows: [PublicKey, Uint8Array, readonly PublicKey[], string, readonly RegExp[]][] = [
    [
      stake,
      number(1, key, number(1)),
      [one, other, payer],
      `give ${third} the right to withdraw of stake account ${first}`,
      given,
    ],
    [
      stake,
      number(10, number(0)),
      [one, other, payer, authority],
      `give ${third} the right to stake of stake account ${first}`,
      given,
    ],
    [stake, number(2), [one, other], `delegate stake account ${first} to vote account ${second}`, []],
    [
      stake,
      number(3, sol),
      [one, other, payer],
      `move 1.5 SOL (1500000000 lamports) from stake account ${first} to stake account ${second}`,
      [],
    ],
    [
      stake,
      number(4, sol),
      [one, other],
      `withdraw 1.5 SOL (1500000000 lamports) from stake account ${first} to ${second}`,
      [],
    ],
    [
      stake,
      number(7),
      [one, other],
      `move everything from stake account ${second} to stake account ${first}`,
      [],
    ],
    [stake, number(8), [one], "Nobody can see", [/Nobody can see what this instruction does/]],
    [
      associated,
      Buffer.alloc(0),
      [payer, one, other, authority],
      `create token account ${first} of ${second} for token ${third}`,
      [],
    ],
    [
      associated,
      Buffer.from([1]),
      [payer, one, other, authority],
      `for token ${third}, if there is none`,
      [],
    ],
    [
      associated,
      Buffer.from([2]),
      [one, other, authority],
      `send what token account ${first} holds of token ${second} to token account ${third}`,
      [],
    ],
    [associated, Buffer.from([9]), [one], "Nobody can see", [/Nobody can see what this instruction does/]],
    [
      TOKENS,
      Buffer.from([18, ...key]),
      [one, other],
      `make ${first} a token account of ${third} for token ${second}`,
      [],
    ],
    [TOKENS, Buffer.from([10]), [one, other], `freeze token account ${first} of token ${second}`, []],
  ]
  for (const [program, data, keys, what, warnings] of rows) {
    const words = told(program, data, keys)
    const shown = JSON.stringify(words.contents).toLowerCase()
    t.ok(shown.includes(what.toLowerCase()), what)
    t.match(words.contents[0]?.warnings, warnings)
    t.equal(words.contents[0]?.warnings.length, warnings.length, what)
  }
})

t.test(
  "instructions of Solana that give a right away name the right and who gets it, with a warning",
  async (t) => {
    const told = (instruction: TransactionInstruction) =>
      wordsOf("SIGN_TRANSACTION_V2", {
        unsignedTransaction: solana(instruction).toString("hex"),
        signWith: payer.toBase58(),
        type: "TRANSACTION_TYPE_SOLANA",
      })
    const account = recipient
    const seeded = { accountPubkey: account, basePubkey: payer, seed: "a seed", programId: program }
    const nonce = { noncePubkey: account, authorizedPubkey: payer, newAuthorizedPubkey: program }
    const given = `give account ${account.toBase58()} to program ${program.toBase58()}`
    const system = [
      [
        SystemProgram.assign({ accountPubkey: account, programId: program }),
        given,
        /The program can take everything/,
      ],
      [SystemProgram.assign(seeded), given, /The program can take everything/],
      [SystemProgram.allocate({ ...seeded, space: 5 }), given, /The program can take everything/],
      [
        SystemProgram.nonceAuthorize(nonce),
        `give nonce account ${account.toBase58()} to ${program.toBase58()}`,
        /The other key has this right/,
      ],
    ] as const
    for (const [instruction, sentence, warning] of system) {
      const words = told(instruction)
      t.match(words.sentence.toLowerCase(), sentence.toLowerCase())
      t.match(words.contents[0]?.warnings, [warning])
    }
    const token = (programId: PublicKey, ...data: number[]) =>
      told(
        new TransactionInstruction({
          programId,
          keys: [account, program, payer].map((pubkey) => ({ pubkey, isSigner: false, isWritable: true })),
          data: Buffer.from(data),
        }),
      )
    for (const programId of [TOKENS, new PublicKey("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb")]) {
      for (const [right, what] of [
        [2, "own the account"],
        [3, "close the account"],
        [8, "move and burn the tokens of every account"],
        [99, "do what right 99 allows"],
      ] as const) {
        const set = token(programId, 6, right, 1, ...program.toBytes())
        t.match(
          set.sentence.toLowerCase(),
          `give ${program.toBase58()} the right to ${what} of`.toLowerCase(),
        )
        t.match(set.contents[0]?.warnings, [/The other key has this right from then on/])
        const end = token(programId, 6, right, 0)
        t.match(end.sentence.toLowerCase(), `end the right to ${what} of`.toLowerCase())
        t.same(end.contents[0]?.warnings, [])
      }
      const units = [5, 0, 0, 0, 0, 0, 0, 0]
      t.match(token(programId, 4, ...units).contents[0]?.warnings, [/can take these tokens later/])
      t.match(token(programId, 13, ...units, 2).contents[0]?.warnings, [/can take these tokens later/])
      const close = token(programId, 9)
      t.match(
        close.sentence.toLowerCase(),
        `close token account ${account.toBase58()} and send what it holds to ${program.toBase58()}`.toLowerCase(),
      )
    }
  },
)

t.test("W29: a transaction with the payload of a message beside it is a transaction", async (t) => {
  const words = wordsOf("SIGN_TRANSACTION_V2", {
    sign_with: OWN,
    unsigned_transaction: `02df010180808252089470997970c51812dc3a010c7d01b50e0d17dc79c88080c0`,
    type: "TRANSACTION_TYPE_ETHEREUM",
    payload: "Log in to example.org",
  })
  t.match(
    words.sentence,
    `Sign a transaction with ${OWN}: send 0 ETH (0 wei) to ${FRIEND} on Ethereum (eip155:1)`,
  )
  t.notMatch(JSON.stringify({ ...words, ignored: [] }), "Log in")
  t.same(words.ignored, ["parameters.payload"])
})
