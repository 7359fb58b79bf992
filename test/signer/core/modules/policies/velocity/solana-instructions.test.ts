// Every instruction of the System Program and the token programs, as @solana/web3.js and @solana-program/token write them.
import { type Address, address } from "@solana/kit"
import {
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
  PublicKey,
  NONCE_ACCOUNT_LENGTH,
} from "@solana/web3.js"
import * as token from "@solana-program/token"
import t from "tap"
import { ANY_TOKEN } from "../../../../../../signer/core/modules/policies/velocity/transfer.ts"
import { readingOf, type Setting, signing, transfersBy } from "./fixture.ts"

const keyOf = (byte: number) => new PublicKey(new Uint8Array(32).fill(byte))
const [payer, source, payee, mintKey, ownerKey, base] = [1, 2, 3, 4, 5, 6].map(keyOf) as [
  PublicKey,
  PublicKey,
  PublicKey,
  PublicKey,
  PublicKey,
  PublicKey,
]
const PROGRAMS = [
  "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
  "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb",
]
const WRAPPED = "So11111111111111111111111111111111111111112"
const MINT = mintKey.toBase58()

function transaction(...instructions: TransactionInstruction[]) {
  const recentBlockhash = keyOf(9).toBase58()
  const message = new TransactionMessage({ payerKey: payer, recentBlockhash, instructions })
  const bytes = new VersionedTransaction(message.compileToV0Message()).serialize()
  return signing("SOLANA", Buffer.from(bytes).toString("hex"))
}

const native = (amount: bigint | undefined, by?: string) => ({ token: "", amount, ...(by && { by }) })
const AMOUNT = 77

t.test(
  "the System Program: lamports that move, accounts that are given away, and nothing else",
  async (t) => {
    const seeded = { fromPubkey: payer, basePubkey: base, seed: "seed", programId: ownerKey }
    const nonce = { noncePubkey: source, authorizedPubkey: ownerKey }
    const cases: readonly [string, TransactionInstruction | TransactionInstruction[], readonly object[]][] = [
      [
        "Transfer",
        SystemProgram.transfer({ fromPubkey: payer, toPubkey: payee, lamports: AMOUNT }),
        [native(77n)],
      ],
      [
        "TransferWithSeed",
        SystemProgram.transfer({ ...seeded, fromPubkey: source, toPubkey: payee, lamports: AMOUNT }),
        [native(77n)],
      ],
      [
        "CreateAccount",
        SystemProgram.createAccount({
          fromPubkey: payer,
          newAccountPubkey: payee,
          lamports: AMOUNT,
          space: 9,
          programId: ownerKey,
        }),
        [native(77n)],
      ],
      [
        "CreateAccountWithSeed",
        SystemProgram.createAccountWithSeed({
          ...seeded,
          newAccountPubkey: payee,
          lamports: AMOUNT,
          space: 9,
        }),
        [native(77n)],
      ],
      [
        "WithdrawNonceAccount",
        SystemProgram.nonceWithdraw({ ...nonce, toPubkey: payee, lamports: AMOUNT }),
        [native(77n)],
      ],
      ["Allocate", SystemProgram.allocate({ accountPubkey: source, space: 9 }), []],
      [
        "AllocateWithSeed",
        SystemProgram.allocate({
          accountPubkey: source,
          basePubkey: base,
          seed: "s",
          space: 9,
          programId: ownerKey,
        }),
        [],
      ],
      ["AdvanceNonceAccount", SystemProgram.nonceAdvance(nonce), []],
      [
        "InitializeNonceAccount",
        SystemProgram.createNonceAccount({ ...nonce, fromPubkey: payer, lamports: AMOUNT }).instructions,
        [native(77n)],
      ],
      [
        "Assign",
        SystemProgram.assign({ accountPubkey: source, programId: ownerKey }),
        [native(undefined, "Assign")],
      ],
      [
        "AssignWithSeed",
        SystemProgram.assign({ accountPubkey: source, basePubkey: base, seed: "s", programId: ownerKey }),
        [native(undefined, "AssignWithSeed")],
      ],
      [
        "AuthorizeNonceAccount",
        SystemProgram.nonceAuthorize({ ...nonce, newAuthorizedPubkey: payee }),
        [native(undefined, "AuthorizeNonceAccount")],
      ],
      [
        "an instruction of tomorrow",
        new TransactionInstruction({
          programId: SystemProgram.programId,
          keys: [],
          data: Buffer.from([99, 0, 0, 0]),
        }),
        [native(undefined, "instruction 99 of the System Program")],
      ],
    ]
    t.equal(NONCE_ACCOUNT_LENGTH, 80)
    for (const [name, instruction, expected] of cases) {
      const instructions = Array.isArray(instruction) ? instruction : [instruction]
      t.match(transfersBy(transaction(...instructions)), expected, name)
      t.equal(transfersBy(transaction(...instructions)).length, expected.length, name)
    }
  },
)

type Kit = { programAddress: Address; accounts: readonly { address: Address; role: number }[]; data: unknown }

/** Instructions of @solana-program/token for another program and in the other library's form. */
function converted({ accounts, data }: Kit, program: string): TransactionInstruction {
  const keys = accounts.map((one) => ({
    pubkey: new PublicKey(one.address),
    isSigner: one.role >= 2,
    isWritable: one.role % 2 === 1,
  }))
  return new TransactionInstruction({
    programId: new PublicKey(program),
    keys,
    data: Buffer.from(data as Uint8Array),
  })
}

const [account, destination, mint, owner] = [source, payee, mintKey, ownerKey].map((one) =>
  address(one.toBase58()),
) as [Address, Address, Address, Address]
const checked = { mint, authority: owner, amount: 77n, decimals: 6 }
const authority = (authorityType: token.AuthorityType, newAuthority: Address | null) =>
  token.getSetAuthorityInstruction({ owned: account, owner, authorityType, newAuthority }) as Kit
const everything = (by: string) => [
  { token: "", by },
  { token: ANY_TOKEN, by },
]
const closed = [
  { token: "", by: "CloseAccount" },
  { token: WRAPPED, by: "CloseAccount" },
  { by: "CloseAccount" },
]
const own = (more: object = {}) => [{ token: MINT, amount: 77n, ...more }]
const some = [{ token: ANY_TOKEN, amount: 77n }]

const INSTRUCTIONS: readonly [string, Kit, readonly object[]][] = [
  [
    "Transfer",
    token.getTransferInstruction({ source: account, destination, authority: owner, amount: 77n }),
    some,
  ],
  [
    "TransferChecked",
    token.getTransferCheckedInstruction({ source: account, destination, ...checked }),
    own(),
  ],
  [
    "Approve",
    token.getApproveInstruction({ source: account, delegate: destination, owner, amount: 77n }),
    some,
  ],
  [
    "ApproveChecked",
    token.getApproveCheckedInstruction({
      source: account,
      delegate: destination,
      mint,
      owner,
      amount: 77n,
      decimals: 6,
    }),
    own(),
  ],
  ["Burn", token.getBurnInstruction({ account, mint, authority: owner, amount: 77n }), own()],
  ["BurnChecked", token.getBurnCheckedInstruction({ account, ...checked }), own()],
  [
    "MintTo",
    token.getMintToInstruction({ mint, token: destination, mintAuthority: owner, amount: 77n }),
    own(),
  ],
  [
    "MintToChecked",
    token.getMintToCheckedInstruction({
      mint,
      token: destination,
      mintAuthority: owner,
      amount: 77n,
      decimals: 6,
    }),
    own(),
  ],
  ...[
    token.AuthorityType.MintTokens,
    token.AuthorityType.FreezeAccount,
    token.AuthorityType.AccountOwner,
    token.AuthorityType.CloseAccount,
  ].flatMap((type): [string, Kit, readonly object[]][] => [
    [`SetAuthority ${type}`, authority(type, destination), everything("SetAuthority")],
    [`SetAuthority ${type} to nobody`, authority(type, null), []],
  ]),
  ["CloseAccount", token.getCloseAccountInstruction({ account, destination, owner }), closed],
  ["CloseAccount to its owner", token.getCloseAccountInstruction({ account, destination: owner, owner }), []],
  ["Revoke", token.getRevokeInstruction({ source: account, owner }), []],
  ["FreezeAccount", token.getFreezeAccountInstruction({ account, mint, owner }), []],
  ["ThawAccount", token.getThawAccountInstruction({ account, mint, owner }), []],
  ["SyncNative", token.getSyncNativeInstruction({ account }), []],
  ["InitializeAccount", token.getInitializeAccountInstruction({ account, mint, owner }), []],
  ["InitializeAccount2", token.getInitializeAccount2Instruction({ account, mint, owner }), []],
  ["InitializeAccount3", token.getInitializeAccount3Instruction({ account, mint, owner }), []],
  ["InitializeImmutableOwner", token.getInitializeImmutableOwnerInstruction({ account }), []],
  ["InitializeMint", token.getInitializeMintInstruction({ mint, decimals: 6, mintAuthority: owner }), []],
  ["InitializeMint2", token.getInitializeMint2Instruction({ mint, decimals: 6, mintAuthority: owner }), []],
  [
    "InitializeMultisig",
    token.getInitializeMultisigInstruction({ multisig: account, m: 1, signers: [owner] }),
    [],
  ],
  [
    "InitializeMultisig2",
    token.getInitializeMultisig2Instruction({ multisig: account, m: 1, signers: [owner] }),
    [],
  ],
  ["GetAccountDataSize", token.getGetAccountDataSizeInstruction({ mint }), []],
  ["AmountToUiAmount", token.getAmountToUiAmountInstruction({ mint, amount: 77n }), []],
  ["UiAmountToAmount", token.getUiAmountToAmountInstruction({ mint, uiAmount: "77" }), []],
]

t.test("the token programs: tokens that move, accounts that are given away, and nothing else", async (t) => {
  for (const program of PROGRAMS) {
    for (const [name, instruction, expected] of INSTRUCTIONS) {
      const found = transfersBy(transaction(converted(instruction, program)))
      t.match(found, expected, name)
      t.equal(found.length, expected.length, `${name}: no other`)
    }
  }
})

/** Instructions of Token-2022 alone, by the bytes that their data begin with. */
const OF_TOKEN_2022: readonly [name: string, data: readonly number[], isHarmless: boolean][] = [
  ["InitializeMintCloseAuthority", [25], true],
  ["InitializeTransferFeeConfig", [26, 0], true],
  ["WithdrawWithheldTokensFromMint", [26, 2], false],
  ["WithdrawWithheldTokensFromAccounts", [26, 3], false],
  ["HarvestWithheldTokensToMint", [26, 4], true],
  ["SetTransferFee", [26, 5], true],
  ["a transfer fee instruction of tomorrow", [26, 9], false],
  ["ConfidentialTransfer", [27, 7], false],
  ...[28, 29, 30, 31, 32, 33, 34, 35, 36, 39, 40, 41, 43, 44].map((number): [string, number[], boolean] => [
    `${number}`,
    [number],
    true,
  ]),
  ["ConfidentialTransferFee", [37, 1], false],
  ["WithdrawExcessLamports", [38], false],
  ["ConfidentialMintBurn", [42, 1], false],
  ["UnwrapLamports", [45], false],
  ["an instruction of tomorrow", [99], false],
]

t.test("the extensions of Token-2022: what is not known to move nothing may move all", async (t) => {
  const programId = new PublicKey(PROGRAMS[1]!)
  const keys = [source, mintKey, payee, ownerKey].map((pubkey) => ({
    pubkey,
    isSigner: false,
    isWritable: true,
  }))
  for (const [name, data, isHarmless] of OF_TOKEN_2022) {
    const request = transaction(new TransactionInstruction({ programId, keys, data: Buffer.from(data) }))
    const by = `instruction ${data[0]} of a token program`
    t.match(transfersBy(request), isHarmless ? [] : everything(by), name)
    t.equal(transfersBy(request).length, isHarmless ? 0 : 2, name)
  }
})

t.test("V3: what gives away an account exceeds a control, or is refused, by its setting", async (t) => {
  const [assets, mints] = [["solana:x/slip44:501"], [`solana:x/token:${MINT}`]]
  const given = transaction(converted(authority(token.AuthorityType.AccountOwner, destination), PROGRAMS[0]!))
  const assigned = transaction(SystemProgram.assign({ accountPubkey: source, programId: ownerKey }))
  for (const setting of ["absent", "WITHOUT_LIMIT"] as const satisfies readonly Setting[]) {
    for (const listed of [assets, mints])
      t.match(readingOf(given, listed, setting), { value: false, unknownBy: "SetAuthority" })
    t.match(readingOf(assigned, assets, setting), { value: false, unknownBy: "Assign" })
    t.match(readingOf(assigned, mints, setting), { value: true, added: 0n }, "lamports alone")
  }
  for (const [request, listed] of [
    [given, assets],
    [given, mints],
    [assigned, assets],
  ] as const)
    t.throws(() => readingOf(request, listed, "REFUSED"), { code: "VELOCITY_CONTROL_AMOUNT_UNKNOWN" })
})
