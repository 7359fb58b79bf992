import { getBase58Encoder, getPublicKeyFromAddress, type Address, verifySignature } from "@solana/kit"
import { base58 } from "@scure/base"
import t from "tap"
import { type Hex, recoverTransactionAddress, serializeTransaction, type TransactionSerialized } from "viem"
import { ethereumAccount, valueOf } from "../../../../harness/api-client.ts"
import { allow, setupMembers } from "../../../../hostile/consensus-fixture.ts"
import { solanaTransfer } from "../../../../harness/transactions.ts"
import { asRoot, type Fixture, refused, setup } from "../../../../hostile/setup.ts"

const ETHEREUM = "TRANSACTION_TYPE_ETHEREUM"
const SOLANA = "TRANSACTION_TYPE_SOLANA"

const transfer = {
  type: "eip1559",
  chainId: 8453,
  nonce: 7,
  gas: 21_000n,
  maxFeePerGas: 2_000_000_000n,
  maxPriorityFeePerGas: 1_000_000n,
  to: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
  value: 10n ** 18n,
} as const
const unsigned = serializeTransaction(transfer)

async function account(fixture: Fixture, format: string, path: string, curve = "CURVE_ED25519") {
  const accounts = [{ ...ethereumAccount(0), curve, path, addressFormat: `ADDRESS_FORMAT_${format}` }]
  const made = await asRoot(fixture).submit("CREATE_WALLET_ACCOUNTS", {
    walletId: fixture.walletId,
    accounts,
  })
  return valueOf(made, "createWalletAccountsResult").addresses[0]!
}

async function sign(fixture: Fixture, signWith: string, unsignedTransaction: string, type = ETHEREUM) {
  const parameters = { signWith, unsignedTransaction, type }
  const outcome = await asRoot(fixture).submit("SIGN_TRANSACTION_V2", parameters)
  return valueOf(outcome, "signTransactionResult").signedTransaction
}

t.test("signs an Ethereum transaction, in hexadecimal without 0x", async (t) => {
  const fixture = await setup(t)
  const signed = await sign(fixture, fixture.address, unsigned)
  t.match(signed, /^02[0-9a-f]+$/)
  t.equal(
    await sign(fixture, fixture.address, unsigned.slice(2)),
    signed,
    "without 0x, as published clients send it",
  )
  const serialized = `0x${signed}` as TransactionSerialized
  t.equal(await recoverTransactionAddress({ serializedTransaction: serialized }), fixture.address)
  const compressed = await account(fixture, "COMPRESSED", "m/44'/60'/0'/0/0", "CURVE_SECP256K1")
  t.equal(await sign(fixture, compressed, unsigned), signed, "by another address of the same key")
})

t.test("signs with a private key, in the first version by its id", async (t) => {
  const fixture = await setup(t)
  const privateKeys = [
    {
      privateKeyName: "key",
      curve: "CURVE_SECP256K1",
      privateKeyTags: [],
      addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
    },
  ]
  const made = await asRoot(fixture).submit("CREATE_PRIVATE_KEYS_V2", { privateKeys })
  const { privateKeyId, addresses } = valueOf(made, "createPrivateKeysResultV2").privateKeys[0]!
  const parameters = { privateKeyId, unsignedTransaction: unsigned, type: ETHEREUM }
  const outcome = await asRoot(fixture).submit("SIGN_TRANSACTION", parameters)
  const { signedTransaction } = valueOf(outcome, "signTransactionResult")
  const serialized: Hex = `0x${signedTransaction}`
  t.equal(
    await recoverTransactionAddress({ serializedTransaction: serialized as TransactionSerialized }),
    addresses[0]?.address,
  )
  t.equal(await sign(fixture, privateKeyId, unsigned), signedTransaction)
})

t.test("signs a Solana transaction in its signer's place", async (t) => {
  const fixture = await setup(t)
  const address = await account(fixture, "SOLANA", "m/44'/501'/0'/0'")
  const other = base58.encode(new Uint8Array(32).fill(9))
  for (const signers of [[address], [other, address]]) {
    const { bytes, message } = solanaTransfer({ signers, lamports: 5n })
    const signed = Buffer.from(
      await sign(fixture, address, Buffer.from(bytes).toString("hex"), SOLANA),
      "hex",
    )
    t.equal(signed.length, bytes.length)
    t.same(signed.subarray(-message.length), Buffer.from(message), "the message is as it was")
    const place = 1 + 64 * signers.indexOf(address)
    const signature = signed.subarray(place, place + 64)
    const key = await getPublicKeyFromAddress(address as Address)
    t.ok(await verifySignature(key, signature as never, message), "@solana/kit verifies it")
    t.same(
      signed.filter((_, at) => at >= 1 && at < place).every((byte) => byte === 0),
      true,
      "others stay",
    )
  }
  t.equal(getBase58Encoder().encode(address).length, 32)
})

t.test("is refused by a key or an address that signs otherwise", async (t) => {
  const fixture = await setup(t)
  const { address } = fixture
  const solana = await account(fixture, "SOLANA", "m/44'/501'/0'/0'")
  const taproot = await account(fixture, "BITCOIN_MAINNET_P2TR", "m/86'/0'/0'/0/0", "CURVE_SECP256K1")
  const attempt = (signWith: string, transaction: string, type: string) => () =>
    asRoot(fixture).attempt("SIGN_TRANSACTION_V2", { signWith, unsignedTransaction: transaction, type })
  const bytes = (signers: readonly string[]) =>
    Buffer.from(solanaTransfer({ signers, lamports: 5n }).bytes).toString("hex")
  const unfit = "TRANSACTION_KEY_UNFIT"
  await refused(t, fixture, unfit, attempt(solana, unsigned, ETHEREUM), "an Ed25519 key for Ethereum")
  await refused(t, fixture, unfit, attempt(taproot, unsigned, ETHEREUM), "Schnorr for Ethereum")
  await refused(t, fixture, unfit, attempt(address, bytes([solana]), SOLANA), "a secp256k1 key for Solana")
  const stranger = bytes([base58.encode(new Uint8Array(32).fill(9))])
  await refused(t, fixture, "TRANSACTION_SIGNER_MISSING", attempt(solana, stranger, SOLANA))
  await refused(
    t,
    fixture,
    "TRANSACTION_INVALID",
    attempt(solana, unsigned, SOLANA),
    "Ethereum's as Solana's",
  )
  await refused(t, fixture, "TRANSACTION_INVALID", attempt(address, bytes([solana]), ETHEREUM), "the reverse")
  const tempo = attempt(address, unsigned, "TRANSACTION_TYPE_TEMPO")
  await refused(t, fixture, "TRANSACTION_TYPE_UNSUPPORTED", tempo)
})

t.test("a transaction that cannot be read, or is not served, is refused before anybody votes", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan, eva, address } = fixture
  await allow(fixture, { consensus: `approvers.any(u, u.id == '${eva.userId}') && approvers.count() >= 2` })
  const attempt = (unsignedTransaction: string, type = ETHEREUM) => {
    const parameters = { signWith: address, unsignedTransaction, type }
    return client.send(
      client.body("ACTIVITY_TYPE_SIGN_TRANSACTION_V2", acme.organizationId, parameters),
      dan.key,
    )
  }
  await refused(t, fixture, "TRANSACTION_INVALID", () => attempt(`${unsigned}00`))
  await refused(t, fixture, "TRANSACTION_TYPE_UNSUPPORTED", () => attempt(unsigned, "TRANSACTION_TYPE_TEMPO"))
  t.match(
    await attempt(unsigned),
    { is: "outcome", outcome: { result: undefined } },
    "the unaltered one waits for votes",
  )
})
