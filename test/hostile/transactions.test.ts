import { base58 } from "@scure/base"
import { PublicKey, Transaction, TransactionInstruction } from "@solana/web3.js"
import t from "tap"
import {
  encodeFunctionData,
  parseAbi,
  serializeTransaction,
  toFunctionSelector,
  type TransactionSerializable,
} from "viem"
import { ethereumAccount, valueOf } from "../harness/api-client.ts"
import { stampWith } from "../harness/stamper.ts"
import { solanaTransfer, transactionParams } from "../harness/transactions.ts"
import { allow, deny, type MemberFixture, setupMembers } from "./consensus-fixture.ts"
import { asRoot, refused } from "./setup.ts"

const [TO, OTHER] = ["0x70997970c51812dc3a010c7d01b50e0d17dc79c8", `0x${"22".repeat(20)}`] as const
const TRANSFER = parseAbi(["function transfer(address to, uint256 amount)"])
const TYPE = "ACTIVITY_TYPE_SIGN_TRANSACTION_V2"

const pay = (amount: bigint) =>
  encodeFunctionData({ abi: TRANSFER, functionName: "transfer", args: [TO, amount] })

const given = {
  type: "eip1559",
  chainId: 8453,
  nonce: 7,
  gas: 50_000n,
  maxFeePerGas: 30n,
  maxPriorityFeePerGas: 2n,
  to: TO,
  value: 1000n,
  data: pay(5n),
} as const

/** A request of dan, whom only policies allow anything, and its body. */
function requests(fixture: MemberFixture) {
  const { client, acme, dan, address } = fixture
  const body = (unsignedTransaction: string, type = "ETHEREUM", signWith = address) =>
    client.body(TYPE, acme.organizationId, {
      signWith,
      unsignedTransaction,
      type: `TRANSACTION_TYPE_${type}`,
    })
  const attempt = (...parameters: Parameters<typeof body>) => client.send(body(...parameters), dan.key)
  return { body, attempt }
}

t.test("B5: a DENY on a value of an Ethereum transaction is passed by no encoding of it", async (t) => {
  const fixture = await setupMembers(t)
  const { address } = fixture
  const { attempt } = requests(fixture)
  await allow(fixture)
  const unsigned = serializeTransaction(given)
  const changes: [string, Partial<Record<keyof typeof given, unknown>>][] = [
    [`eth.tx.to == '${TO}'`, { to: OTHER }],
    ["eth.tx.value >= 1000", { value: 999n }],
    ["eth.tx.gas == 50000", { gas: 50_001n }],
    ["eth.tx.gas_price > 20", { maxFeePerGas: 20n }],
    ["eth.tx.max_fee_per_gas > 20", { maxFeePerGas: 20n }],
    ["eth.tx.max_priority_fee_per_gas == 2", { maxPriorityFeePerGas: 3n }],
    ["eth.tx.chain_id == 8453", { chainId: 1 }],
    ["eth.tx.nonce == 7", { nonce: 8 }],
    [
      "eth.tx.type == 'TYPE_2'",
      { maxFeePerGas: undefined, maxPriorityFeePerGas: undefined, gasPrice: 1n, type: "legacy" } as object,
    ],
    ["eth.tx.data[0..10] == '0xa9059cbb'", { data: "0xdeadbeef" }],
  ]
  for (const [condition, change] of changes) {
    const policyId = await deny(fixture, { condition })
    for (const text of [unsigned, unsigned.slice(2), `0x${unsigned.slice(2).toUpperCase()}`])
      await refused(t, fixture, "PERMISSION_DENIED", () => attempt(text), `${condition}, ${text.slice(0, 6)}`)
    const twin = serializeTransaction({ ...given, ...change } as TransactionSerializable)
    t.match(await attempt(twin), { is: "outcome" }, `not ${condition}`)
    await asRoot(fixture).submit("DELETE_POLICY", { policyId })
  }
  const policyId = await deny(fixture, { condition: `eth.tx.from == '${address}'` })
  await refused(t, fixture, "PERMISSION_DENIED", () => attempt(unsigned))
  const more = { walletId: fixture.walletId, accounts: [ethereumAccount(1)] }
  const made = await asRoot(fixture).submit("CREATE_WALLET_ACCOUNTS", more)
  const [second] = valueOf(made, "createWalletAccountsResult").addresses
  t.match(await attempt(unsigned, "ETHEREUM", second), { is: "outcome" }, "by another account")
  await asRoot(fixture).submit("DELETE_POLICY", { policyId })
})

t.test("B5: a DENY on the transaction's type is passed by no version of the activity", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan } = fixture
  const key = { privateKeyName: "key", curve: "CURVE_SECP256K1", privateKeyTags: [], addressFormats: [] }
  const made = await asRoot(fixture).submit("CREATE_PRIVATE_KEYS", { privateKeys: [key] })
  const [privateKeyId = ""] = valueOf(made, "createPrivateKeysResult").privateKeyIds
  const { signWith, ...transaction } = transactionParams(privateKeyId)
  const versions = {
    SIGN_TRANSACTION: { privateKeyId, ...transaction },
    SIGN_TRANSACTION_V2: { signWith, ...transaction },
  }
  const attempt = (type: string, parameters: object) =>
    client.send(client.body(`ACTIVITY_TYPE_${type}`, acme.organizationId, parameters), dan.key)
  await allow(fixture)
  for (const [type, parameters] of Object.entries(versions))
    t.match(await attempt(type, parameters), { is: "outcome" }, type)
  await deny(fixture, { condition: "activity.params.type == 'TRANSACTION_TYPE_ETHEREUM'" })
  for (const [type, parameters] of Object.entries(versions))
    await refused(t, fixture, "PERMISSION_DENIED", () => attempt(type, { ...parameters }), type)
})

t.test("B5: an encoding of the same fields that is not canonical is refused", async (t) => {
  const fixture = await setupMembers(t)
  const { attempt } = requests(fixture)
  await allow(fixture)
  await deny(fixture, { condition: "eth.tx.value > 0" })
  const valid = "02df010101028252089435353535353535353535353535353535353535358080c0"
  t.match(await attempt(valid), { is: "outcome" })
  const attacks = {
    "a byte follows": `${valid}00`,
    "zero as a byte": valid.replace("358080c0", "358000c0").replace("358000c0", "350080c0"),
    "a single byte as a string": valid.replace("02df0101", "02e0018101"),
    "a leading zero": valid.replace("02df0101", "02e101820001"),
    "a long length": valid.replace("02df", "02f81f"),
    "another list": valid.replace(/c0$/, "c100").replace("02df", "02e0"),
    "signed already": `02e2${valid.slice(4)}800101`,
  }
  for (const [what, text] of Object.entries(attacks))
    await refused(t, fixture, "TRANSACTION_INVALID", () => attempt(text), what)
})

t.test("B5: a DENY on a call's argument is passed by no interface that the API tier supplies", async (t) => {
  const fixture = await setupMembers(t)
  const { boundary, client, acme, dan } = fixture
  const { body } = requests(fixture)
  const upload = async (abi: object) => {
    const made = await asRoot(fixture).submit("CREATE_SMART_CONTRACT_INTERFACE", {
      smartContractAddress: TO,
      smartContractInterface: JSON.stringify(abi),
      type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
      label: "token",
    })
    return valueOf(made, "createSmartContractInterfaceResult").smartContractInterfaceId
  }
  // An earlier interface named the arguments the other way round.
  const swapped = parseAbi(["function transfer(address amount, uint256 to)"])
  const earlier = await upload(swapped)
  const old = client.records.get(earlier)!
  await asRoot(fixture).submit("DELETE_SMART_CONTRACT_INTERFACE", { smartContractInterfaceId: earlier })
  const current = client.records.get(await upload(TRANSFER))!
  await allow(fixture)
  await deny(fixture, { condition: "eth.tx.contract_call_args['amount'] > 5" })
  const sign = (amount: bigint) => body(serializeTransaction({ ...given, data: pay(amount) }))
  const document = client.documents.get(acme.organizationId)!
  for (const [records, what] of [
    [[], "nothing"],
    [[old], "a deleted interface"],
    [[current, old], "both"],
  ] as const) {
    // After this restart the signer has nothing in memory.
    await boundary.restart()
    const denied = sign(6n)
    const attack = () => client.order(denied, stampWith(dan.key, denied), { document, records: [...records] })
    await refused(t, fixture, "PERMISSION_DENIED", attack, what)
  }
  t.match(await client.send(sign(5n), dan.key), { is: "outcome" }, "five are allowed")
  const misfit = serializeTransaction({ ...given, data: pay(6n).slice(0, -2) as `0x${string}` })
  const { attempt } = requests(fixture)
  await refused(t, fixture, "TRANSACTION_INVALID", () => attempt(misfit), "too short for its arguments")
})

t.test("W34: a DENY on arguments is passed by no call that the interface cannot read", async (t) => {
  const fixture = await setupMembers(t)
  const { attempt } = requests(fixture)
  const abi = [...TRANSFER, { name: "set", inputs: [{ name: "amount", type: "Book.Side" }] }]
  const uploaded = {
    smartContractAddress: TO,
    smartContractInterface: JSON.stringify(abi),
    type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
    label: "token",
  }
  await asRoot(fixture).submit("CREATE_SMART_CONTRACT_INTERFACE", uploaded)
  const data = `${toFunctionSelector("set(Book.Side)")}${"00".repeat(31)}06` as const
  const unreadable = serializeTransaction({ ...given, data })
  await allow(fixture, { condition: `eth.tx.to == '${TO}'` })
  t.match(await attempt(unreadable), { is: "outcome" }, "no policy reads its arguments")
  await deny(fixture, { condition: "eth.tx.contract_call_args['amount'] > 5" })
  await refused(t, fixture, "TRANSACTION_INVALID", () => attempt(unreadable), "a DENY does")
  t.match(await attempt(serializeTransaction(given)), { is: "outcome" }, "a call that can be read")
  const above = serializeTransaction({ ...given, data: pay(6n) })
  await refused(t, fixture, "PERMISSION_DENIED", () => attempt(above), "six are not allowed")
})

t.test(
  "W40: a DENY on a function's name is passed by no interface that names another of its selector",
  async (t) => {
    const fixture = await setupMembers(t)
    const { attempt } = requests(fixture)
    const named = { name: "many_msg_babbage", inputs: [{ name: "a", type: "bytes1" }] }
    await asRoot(fixture).submit("CREATE_SMART_CONTRACT_INTERFACE", {
      smartContractAddress: TO,
      smartContractInterface: JSON.stringify([named]),
      type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
      label: "token",
    })
    await allow(fixture, { condition: `eth.tx.to == '${TO}'` })
    // Zeros are arguments of both functions.
    const transfer = serializeTransaction({ ...given, data: `0xa9059cbb${"00".repeat(64)}` })
    t.match(await attempt(transfer), { is: "outcome" }, "no policy reads its name")
    await deny(fixture, { condition: "eth.tx.function_name == 'transfer'" })
    const again = serializeTransaction({ ...given, nonce: 8, data: `0xa9059cbb${"00".repeat(64)}` })
    await refused(t, fixture, "TRANSACTION_INVALID", () => attempt(again), "a DENY does")
  },
)

t.test(
  "W34: a call without its trailing option is signed, and passes no DENY that reads the option",
  async (t) => {
    const fixture = await setupMembers(t)
    const { attempt } = requests(fixture)
    const account = {
      curve: "CURVE_ED25519",
      path: "m/44'/501'/0'/0'",
      addressFormat: "ADDRESS_FORMAT_SOLANA",
    }
    const accounts = [{ ...ethereumAccount(0), ...account }]
    const made = await asRoot(fixture).submit("CREATE_WALLET_ACCOUNTS", {
      walletId: fixture.walletId,
      accounts,
    })
    const signWith = valueOf(made, "createWalletAccountsResult").addresses[0]!
    const [payer, program] = [new PublicKey(signWith), new PublicKey(new Uint8Array(32).fill(7))]
    const idl = {
      instructions: [
        {
          name: "buy",
          discriminator: [1, 2, 3, 4, 5, 6, 7, 8],
          accounts: [{ name: "user" }],
          args: [
            { name: "amount", type: "u64" },
            { name: "most", type: "u64" },
            { name: "track", type: { defined: { name: "OptionBool" } } },
          ],
        },
        {
          name: "configure",
          discriminator: [9],
          accounts: [],
          args: [{ name: "a", type: { hashMap: ["u8", "u8"] } }],
        },
      ],
      types: [{ name: "OptionBool", type: { kind: "struct", fields: ["bool"] } }],
    }
    await asRoot(fixture).submit("CREATE_SMART_CONTRACT_INTERFACE", {
      smartContractAddress: program.toBase58(),
      smartContractInterface: JSON.stringify(idl),
      type: "SMART_CONTRACT_INTERFACE_TYPE_SOLANA",
      label: "market",
    })
    const sign = (...data: number[]) => {
      const keys = [{ pubkey: payer, isSigner: true, isWritable: true }]
      const one = new TransactionInstruction({ programId: program, keys, data: Buffer.from(data) })
      const terms = { feePayer: payer, blockhash: program.toBase58(), lastValidBlockHeight: 1 }
      const transaction = new Transaction(terms).add(one)
      const bytes = transaction.serialize({ requireAllSignatures: false, verifySignatures: false })
      return () => attempt(bytes.toString("hex"), "SOLANA", signWith)
    }
    const buy = [1, 2, 3, 4, 5, 6, 7, 8, 5, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0]
    await allow(fixture, { condition: `solana.tx.program_keys.all(p, p == '${program.toBase58()}')` })
    for (const data of [buy, [...buy, 1], [9, 9]])
      t.match(await sign(...data)(), { is: "outcome" }, "no policy reads arguments")
    await refused(t, fixture, "TRANSACTION_INVALID", sign(...buy.slice(0, -1)), "half of an argument")
    const argument = "i.parsed_instruction_data.program_call_args"
    await deny(fixture, { condition: `solana.tx.instructions.any(i, ${argument}['amount'] > 5)` })
    t.match(await sign(...buy)(), { is: "outcome" }, "the option is not read")
    await refused(t, fixture, "TRANSACTION_INVALID", sign(9, 9), "no argument can be read")
    await deny(fixture, { condition: `solana.tx.instructions.any(i, ${argument}['track']['0'])` })
    await refused(t, fixture, "TRANSACTION_INVALID", sign(...buy), "the option is read")
    await refused(t, fixture, "PERMISSION_DENIED", sign(...buy, 1))
    t.match(await sign(...buy, 0)(), { is: "outcome" })
  },
)

t.test("B5: a DENY on a value of a Solana transaction is passed by no other request", async (t) => {
  const fixture = await setupMembers(t)
  const { attempt } = requests(fixture)
  const account = { curve: "CURVE_ED25519", path: "m/44'/501'/0'/0'", addressFormat: "ADDRESS_FORMAT_SOLANA" }
  const accounts = [{ ...ethereumAccount(0), ...account }]
  const made = await asRoot(fixture).submit("CREATE_WALLET_ACCOUNTS", {
    walletId: fixture.walletId,
    accounts,
  })
  const signWith = valueOf(made, "createWalletAccountsResult").addresses[0]!
  const transfer = (lamports: bigint, to?: string) => {
    const { bytes } = solanaTransfer({ signers: [signWith], lamports, ...(to !== undefined && { to }) })
    return Buffer.from(bytes).toString("hex")
  }
  await allow(fixture)
  const thief = base58.encode(new Uint8Array(32).fill(66))
  await deny(fixture, { condition: `solana.tx.transfers.any(x, x.amount > 5 || x.to == '${thief}')` })
  const sign = (text: string) => () => attempt(text, "SOLANA", signWith)
  t.match(await sign(transfer(5n))(), { is: "outcome" })
  await refused(t, fixture, "PERMISSION_DENIED", sign(transfer(6n)))
  await refused(t, fixture, "PERMISSION_DENIED", sign(transfer(6n).toUpperCase()), "in capitals")
  await refused(t, fixture, "PERMISSION_DENIED", sign(transfer(1n, thief)))
  const [count, rest] = [transfer(6n).slice(0, 2), transfer(6n).slice(2)]
  await refused(t, fixture, "TRANSACTION_INVALID", sign(`${transfer(6n)}00`), "a byte follows")
  await refused(t, fixture, "TRANSACTION_INVALID", sign(`8100${rest}`), "a long length")
  const versioned = `${count}${rest.slice(0, 128)}81${rest.slice(128)}`
  await refused(t, fixture, "TRANSACTION_INVALID", sign(versioned), "an unknown version")
})

t.test("B3: arguments without bytes are bounded for all instructions of a transaction", async (t) => {
  const fixture = await setupMembers(t)
  const { attempt } = requests(fixture)
  const account = { curve: "CURVE_ED25519", path: "m/44'/501'/0'/0'", addressFormat: "ADDRESS_FORMAT_SOLANA" }
  const wallet = { walletId: fixture.walletId, accounts: [{ ...ethereumAccount(0), ...account }] }
  const made = await asRoot(fixture).submit("CREATE_WALLET_ACCOUNTS", wallet)
  const signWith = valueOf(made, "createWalletAccountsResult").addresses[0]!
  const program = new Uint8Array(32).fill(9)
  const nothing = { name: "Nothing", type: { kind: "struct", fields: [] } }
  const args = [{ name: "many", type: { array: [{ defined: "Nothing" }, 6_000] } }]
  const instructions = [{ name: "run", discriminator: [7], accounts: [], args }]
  await asRoot(fixture).submit("CREATE_SMART_CONTRACT_INTERFACE", {
    smartContractAddress: base58.encode(program),
    smartContractInterface: JSON.stringify({ types: [nothing], instructions }),
    type: "SMART_CONTRACT_INTERFACE_TYPE_SOLANA",
    label: "program",
  })
  await allow(fixture)
  await deny(fixture, { condition: "solana.tx.version == 'V0'" })
  const calls = (count: number, discriminator = 7) => {
    const keys = [base58.decode(signWith), program, new Uint8Array(32)]
    const call = [1, 0, 1, discriminator]
    const message = [1, 0, 1, 2, ...keys.flatMap((key) => [...key]), count]
    const bytes = [1, ...new Uint8Array(64), ...message, ...Array.from({ length: count }, () => call).flat()]
    return () => attempt(Buffer.from(bytes).toString("hex"), "SOLANA", signWith)
  }
  t.match(await calls(1)(), { is: "outcome" })
  t.match(await calls(100, 8)(), { is: "outcome" }, "instructions that the interface does not know")
  for (const count of [2, 100])
    await refused(t, fixture, "TRANSACTION_INVALID", calls(count), `${count} calls`)
})
