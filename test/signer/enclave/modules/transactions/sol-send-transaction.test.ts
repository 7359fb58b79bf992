import { base58 } from "@scure/base"
import { type Address, getPublicKeyFromAddress, getTransactionDecoder, verifySignature } from "@solana/kit"
import t from "tap"
import { outcomeOf, solanaAccount, valueOf } from "../../../../harness/api-client.ts"
import { FILL, sentBy, setupSends } from "../../../../harness/sends.ts"
import { solanaTransfer } from "../../../../harness/transactions.ts"
import { allow, setupMembers } from "../../../../hostile/consensus-fixture.ts"
import { asRoot, type Fixture, refused } from "../../../../hostile/setup.ts"

const CHAIN = "solana:devnet"
const HASH = base58.encode(new Uint8Array(32).fill(5))
const SOLANA_FILL = { ...FILL, caip2: CHAIN, recentBlockhash: HASH, lastValidBlockHeight: 321n }
const STRANGER = base58.encode(new Uint8Array(32).fill(9))

async function account({ client, acme, walletId }: Fixture, index = 0): Promise<string> {
  const accounts = [solanaAccount(index)]
  const made = await asRoot({ client, acme }).submit("CREATE_WALLET_ACCOUNTS", { walletId, accounts })
  return valueOf(made, "createWalletAccountsResult").addresses[0]!
}

/** A transfer whose block hash is left to the service, and the place of that hash. */
function unhashed(signers: readonly string[], lamports = 5n) {
  const { bytes } = solanaTransfer({ signers, lamports })
  const at = Buffer.from(bytes).indexOf(Buffer.alloc(32, 4))
  bytes.fill(0, at, at + 32)
  return { bytes, at }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

t.test("signs by every signer, with the block hash that the API tier has read", async (t) => {
  const fixture = await setupSends(t, {}, SOLANA_FILL)
  const [one, two] = [await account(fixture), await account(fixture, 1)]
  for (const [type, signers, more] of [
    ["SOL_SEND_TRANSACTION", [one], { signWith: one }],
    ["SOL_SEND_TRANSACTION_V2", [one, two], { signWiths: [two, one] }],
  ] as const) {
    const { bytes, at } = unhashed(signers)
    const parameters = { unsignedTransaction: hex(bytes), caip2: CHAIN, ...more }
    const sent = sentBy(await asRoot(fixture).submit(type, parameters))
    const { signatures, messageBytes } = getTransactionDecoder().decode(sent.raw)
    t.strictSame(Object.keys(signatures), signers)
    for (const [address, signature] of Object.entries(signatures)) {
      const key = await getPublicKeyFromAddress(address as Address)
      t.ok(await verifySignature(key, signature!, messageBytes), "@solana/kit verifies it")
    }
    t.equal(base58.encode(sent.raw.subarray(at, at + 32)), HASH)
    const transactionHash = base58.encode(Uint8Array.from(signatures[one as Address]!))
    t.match(sent, { caip2: CHAIN, account: one, transactionHash, lastValidBlockHeight: 321n })
  }
})

t.test("a filled block hash alone binds a send to a chain, whichever chain its body names", async (t) => {
  const ofAnotherChain = base58.encode(new Uint8Array(32).fill(6))
  const fixture = await setupSends(t, {}, { ...SOLANA_FILL, recentBlockhash: ofAnotherChain })
  const signWith = await account(fixture)
  const { bytes, at } = unhashed([signWith])
  const parameters = { unsignedTransaction: hex(bytes), caip2: CHAIN, signWith }
  const hashOf = async (more: object) => {
    const outcome = await asRoot(fixture).submit("SOL_SEND_TRANSACTION", { ...parameters, ...more })
    return base58.encode(sentBy(outcome).raw.subarray(at, at + 32))
  }
  t.equal(await hashOf({}), ofAnotherChain, "the API tier chooses")
  t.equal(await hashOf({ recentBlockhash: HASH }), HASH, "the author chooses")
})

t.test("a value of the API tier that is no block hash is asked for again", async (t) => {
  const fixture = await setupSends(t)
  const signWith = await account(fixture)
  const parameters = { unsignedTransaction: hex(unhashed([signWith]).bytes), caip2: CHAIN, signWith }
  const none = new Uint8Array(32)
  for (const recentBlockhash of [base58.encode(none), base58.encode(none.subarray(1)), "", "0OIl"]) {
    fixture.client.chain = () => ({ ...SOLANA_FILL, recentBlockhash })
    const answer = await asRoot(fixture).attempt("SOL_SEND_TRANSACTION", parameters)
    t.match(answer, { is: "needed", needed: { fill: { caip2: CHAIN, from: signWith } } }, recentBlockhash)
  }
})

t.test("the first version takes base64 too", async (t) => {
  const fixture = await setupSends(t, {}, SOLANA_FILL)
  const signWith = await account(fixture)
  const { bytes } = unhashed([signWith])
  const send = (unsignedTransaction: string) =>
    asRoot(fixture).submit("SOL_SEND_TRANSACTION", { unsignedTransaction, signWith, caip2: CHAIN })
  const [one, two] = [await send(hex(bytes)), await send(Buffer.from(bytes).toString("base64"))]
  t.same(sentBy(one).raw, sentBy(two).raw)
})

t.test("a block hash of the body or of the transaction is used as it is", async (t) => {
  const fixture = await setupSends(t)
  const signWith = await account(fixture)
  fixture.client.chain = () => {
    throw new Error("nothing is lacking")
  }
  const own = solanaTransfer({ signers: [signWith], lamports: 5n }).bytes
  const { bytes, at } = unhashed([signWith])
  const hashOf = async (parameters: object) => {
    const outcome = await asRoot(fixture).submit("SOL_SEND_TRANSACTION", {
      signWith,
      caip2: CHAIN,
      ...parameters,
    })
    const { raw, lastValidBlockHeight } = sentBy(outcome)
    t.equal(lastValidBlockHeight, 0n)
    return base58.encode(raw.subarray(at, at + 32))
  }
  t.equal(await hashOf({ unsignedTransaction: hex(own) }), base58.encode(new Uint8Array(32).fill(4)))
  for (const unsigned of [own, bytes])
    t.equal(await hashOf({ unsignedTransaction: hex(unsigned), recentBlockhash: HASH }), HASH)
})

t.test("policies see the transaction that is signed, for every signer", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan } = fixture
  const [one, two] = [await account(fixture), await account(fixture, 1)]
  client.chain = () => SOLANA_FILL
  const attempt = (signWiths: readonly string[], lamports = 5n) => {
    const unsignedTransaction = hex(unhashed(signWiths, lamports).bytes)
    const parameters = { unsignedTransaction, signWiths, caip2: CHAIN }
    return client.send(
      client.body("ACTIVITY_TYPE_SOL_SEND_TRANSACTION_V2", acme.organizationId, parameters),
      dan.key,
    )
  }
  const facts = `solana.tx.recent_blockhash == '${HASH}' && solana.tx.transfers.all(t, t.amount == 5)`
  await allow(fixture, { condition: `${facts} && wallet_account.address == '${one}'` })
  t.match(await attempt([one]), { is: "outcome" })
  await refused(t, fixture, "PERMISSION_DENIED", () => attempt([one], 6n), "another amount")
  await refused(t, fixture, "PERMISSION_DENIED", () => attempt([one, two]), "a second signer")
})

t.test("refuses what cannot be sent", async (t) => {
  const fixture = await setupSends(t, {}, SOLANA_FILL)
  const [one, two] = [await account(fixture), await account(fixture, 1)]
  const base = { unsignedTransaction: hex(unhashed([one]).bytes), signWiths: [one], caip2: CHAIN }
  const attempt = (more: object) => () =>
    asRoot(fixture).attempt("SOL_SEND_TRANSACTION_V2", { ...base, ...more })
  const half = solanaTransfer({ signers: [one, two], lamports: 5n }).bytes
  const signed = Uint8Array.from(half)
  signed.fill(1, 65, 129)
  await refused(t, fixture, "SEND_SIGNATURE_MISSING", attempt({ unsignedTransaction: hex(half) }))
  t.match(
    outcomeOf(await attempt({ unsignedTransaction: hex(signed) })()).signedTransactions.length,
    1,
    "signed before",
  )
  const changed = { unsignedTransaction: hex(signed), recentBlockhash: HASH }
  await refused(t, fixture, "SEND_BLOCKHASH_SIGNED", attempt(changed))
  await refused(
    t,
    fixture,
    "TRANSACTION_SIGNER_MISSING",
    attempt({ signWiths: [one, two] }),
    "no signer of it",
  )
  await refused(
    t,
    fixture,
    "SIGN_WITH_UNKNOWN",
    attempt({ ...base, unsignedTransaction: hex(unhashed([STRANGER]).bytes), signWiths: [STRANGER] }),
  )
  await refused(t, fixture, "SEND_ADDRESS_INVALID", attempt({ signWiths: [fixture.walletId] }), "an id")
  await refused(
    t,
    fixture,
    "SEND_ADDRESS_INVALID",
    attempt({ signWiths: [fixture.address] }),
    "of another chain",
  )
  await refused(t, fixture, "SEND_INVALID", attempt({ signWiths: [one, one] }), "named twice")
  await refused(t, fixture, "SEND_INVALID", attempt({ sponsor: true }))
  await refused(t, fixture, "SEND_INVALID", attempt({ recentBlockhash: "0" }))
  await refused(
    t,
    fixture,
    "TRANSACTION_INVALID",
    attempt({ unsignedTransaction: `${base.unsignedTransaction}00` }),
  )
  await refused(t, fixture, "REQUEST_INVALID", attempt({ caip2: "eip155:1" }))
  fixture.client.chain = () => ({ ...SOLANA_FILL, caip2: "solana:mainnet" })
  t.match(await attempt({})(), { is: "needed" }, "a block hash of another chain is not used")
})
