// Instructions of Solana that stake, make accounts and give rights away, in words.
import { Keypair, PublicKey, StakeProgram, SystemProgram, TransactionInstruction } from "@solana/web3.js"
import t from "tap"
import { wordsOf } from "./reading.ts"
import { payer, program, recipient, solana, TOKENS } from "./solana-transaction.ts"

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
    [
      SystemProgram.programId,
      number(6, key),
      [one, other, payer],
      `make account ${first} a nonce account of ${third}`,
      [],
    ],
    [
      SystemProgram.programId,
      number(8, Buffer.from("2a00000000000000", "hex")),
      [one],
      `reserve 42 bytes for account ${first}`,
      [],
    ],
    [
      new PublicKey("Memo1UhkJRfHyvLMcVucJwxXeuD728EqVddwQDwFMNo"),
      Buffer.from("rent"),
      [],
      "Memo Program, version 1",
      [],
    ],
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
