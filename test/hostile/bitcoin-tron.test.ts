import { address as addresses, initEccLib, networks, Psbt, Transaction } from "bitcoinjs-lib"
import * as ecc from "tiny-secp256k1"
import t from "tap"
import { utils } from "tronweb"
import { ethereumAccount, valueOf } from "../harness/api-client.ts"
import { writtenByTronweb } from "../signer/core/transaction/tron-judge.ts"
import { allow, deny, type MemberFixture, setupMembers } from "./consensus-fixture.ts"
import { asRoot, refused } from "./setup.ts"

initEccLib(ecc)
const network = networks.regtest
const TYPE = "ACTIVITY_TYPE_SIGN_TRANSACTION_V2"
const PAYEE = addresses.fromOutputScript(Buffer.from(`0014${"07".repeat(20)}`, "hex"), network)

/** Addresses of the fixture's wallet, in these formats, all of one key; a second path is another key. */
async function accounts(fixture: MemberFixture, formats: readonly string[], index = 0) {
  const made = await asRoot(fixture).submit("CREATE_WALLET_ACCOUNTS", {
    walletId: fixture.walletId,
    accounts: formats.map((format) => ({
      ...ethereumAccount(0),
      path: `m/84'/1'/0'/0/${index}`,
      addressFormat: `ADDRESS_FORMAT_${format}`,
    })),
  })
  return valueOf(made, "createWalletAccountsResult").addresses
}

/** Requests of dan, whom only policies allow anything. */
function requests({ client, acme, dan }: MemberFixture, type: string, signWith: string) {
  return (unsignedTransaction: string, by = signWith) =>
    client.send(
      client.body(TYPE, acme.organizationId, {
        signWith: by,
        unsignedTransaction,
        type: `TRANSACTION_TYPE_${type}`,
      }),
      dan.key,
    )
}

/** `claimed`: what the PSBT tells of `value`. */
type Input = {
  readonly from: string
  readonly value: number
  readonly claimed?: number
  readonly isProven?: boolean
}

type Payment = {
  readonly inputs: readonly Input[]
  readonly to?: string
  readonly amount?: number
  readonly sequence?: number
  readonly locktime?: number
  readonly version?: number
}

function psbtOf(payment: Payment): Psbt {
  const { inputs, to = PAYEE, amount = 90_000, sequence = 1, locktime = 0, version = 2 } = payment
  const psbt = new Psbt({ network })
  psbt.setVersion(version)
  psbt.setLocktime(locktime)
  for (const [index, { from, value, claimed = value, isProven = true }] of inputs.entries()) {
    const script = addresses.toOutputScript(from, network)
    const previous = new Transaction()
    previous.addInput(new Uint8Array(32).fill(index + 1), 0)
    previous.addOutput(script, BigInt(value))
    psbt.addInput({
      hash: previous.getId(),
      index: 0,
      sequence,
      witnessUtxo: { script, value: BigInt(claimed) },
      ...(isProven && { nonWitnessUtxo: previous.toBuffer() }),
    })
  }
  psbt.addOutput({ address: to, value: BigInt(amount) })
  return psbt
}

async function signedOf(answer: ReturnType<ReturnType<typeof requests>>): Promise<string> {
  const given = await answer
  if (given.is !== "outcome") throw new Error(`the answer is ${given.is}`)
  return valueOf(given.outcome, "signTransactionResult").signedTransaction ?? ""
}

t.test("B5: a DENY on a value of a Bitcoin transaction is passed by no other PSBT", async (t) => {
  const fixture = await setupMembers(t)
  const [own, taproot] = await accounts(fixture, ["BITCOIN_REGTEST_P2WPKH", "BITCOIN_REGTEST_P2TR"])
  const attempt = requests(fixture, "BITCOIN", own!)
  await allow(fixture)
  const given: Payment = { inputs: [{ from: own!, value: 100_000 }] }
  const unsigned = psbtOf(given)
  const id = Buffer.from(unsigned.txInputs[0]!.hash.toReversed()).toString("hex")
  const changes: [string, Partial<Payment>][] = [
    [`bitcoin.tx.outputs.any(o, o.address == '${PAYEE}')`, { to: own! }],
    ["bitcoin.tx.outputs.any(o, o.value >= 90000)", { amount: 89_999 }],
    ["bitcoin.tx.outputs.any(o, o.address_type == 'p2wpkh')", { to: taproot! }],
    ["bitcoin.tx.fee >= 10000", { amount: 90_001 }],
    [`bitcoin.tx.inputs.any(i, i.tx_id == '${id}')`, { inputs: [{ from: own!, value: 100_001 }] }],
    ["bitcoin.tx.inputs.all(i, i.sequence == 1)", { sequence: 2 }],
    ["bitcoin.tx.locktime.amount == 0", { locktime: 7 }],
    ["bitcoin.tx.version == '2'", { version: 1 }],
  ]
  for (const [condition, change] of changes) {
    const policyId = await deny(fixture, { condition })
    for (const text of [unsigned.toHex(), `0x${unsigned.toHex().toUpperCase()}`])
      await refused(t, fixture, "PERMISSION_DENIED", () => attempt(text), condition)
    t.match(await attempt(psbtOf({ ...given, ...change }).toHex()), { is: "outcome" }, `not ${condition}`)
    await asRoot(fixture).submit("DELETE_POLICY", { policyId })
  }
  const policyId = await deny(fixture, { condition: "bitcoin.tx.fee >= 10000" })
  const upper = () => attempt(unsigned.toHex(), own!.toUpperCase())
  await refused(t, fixture, "PERMISSION_DENIED", upper, "the address in capitals")
  await asRoot(fixture).submit("DELETE_POLICY", { policyId })
})

t.test("B5: a fee is hidden by no claimed amount", async (t) => {
  const fixture = await setupMembers(t)
  const [own, taproot] = await accounts(fixture, ["BITCOIN_REGTEST_P2WPKH", "BITCOIN_REGTEST_P2TR"])
  const attempt = requests(fixture, "BITCOIN", own!)
  await allow(fixture)
  await deny(fixture, { condition: "bitcoin.tx.fee > 20000" })
  const [first, second] = [
    { from: own!, value: 60_000 },
    { from: own!, value: 50_000 },
  ]
  t.match(await attempt(psbtOf({ inputs: [first, second] }).toHex()), { is: "outcome" }, "both are proven")
  for (const inputs of [
    [{ ...first, isProven: false }, second],
    [first, { ...second, isProven: false }],
    [first, { from: taproot!, value: 50_000, isProven: false }],
  ])
    await refused(t, fixture, "TRANSACTION_INVALID", () => attempt(psbtOf({ inputs }).toHex()))
  const costly = { from: own!, value: 1_000_000 }
  const open = psbtOf({ inputs: [costly] }).toHex()
  await refused(t, fixture, "PERMISSION_DENIED", () => attempt(open), "the fee is 910,000")
  const lying = psbtOf({ inputs: [{ ...costly, claimed: 100_000 }] }).toHex()
  await refused(t, fixture, "TRANSACTION_INVALID", () => attempt(lying), "of which the PSBT tells 10,000")
  // A claim alone: the signature is over the amount that policies saw, and worth nothing where the amount is another.
  const claim = psbtOf({ inputs: [{ ...costly, claimed: 100_000, isProven: false }] }).toHex()
  const signed = Psbt.fromHex(await signedOf(attempt(claim)), { network })
  const verify = (key: Uint8Array, digest: Uint8Array, signature: Uint8Array) =>
    ecc.verify(digest, key, signature)
  t.equal(signed.validateSignaturesOfAllInputs(verify), true, "with the amount that was claimed")
  signed.data.inputs[0]!.witnessUtxo!.value = 1_000_000n
  t.equal(signed.validateSignaturesOfAllInputs(verify), false, "with the true amount")
})

t.test("B5: a PSBT in any other spelling, or signed already, is refused", async (t) => {
  const fixture = await setupMembers(t)
  const [own] = await accounts(fixture, ["BITCOIN_REGTEST_P2WPKH"])
  const [other] = await accounts(fixture, ["BITCOIN_REGTEST_P2WPKH"], 1)
  const attempt = requests(fixture, "BITCOIN", own!)
  await allow(fixture)
  const psbt = psbtOf({ inputs: [{ from: own!, value: 100_000 }] })
  const valid = psbt.toHex()
  const done = await signedOf(attempt(valid))
  const signed = Psbt.fromHex(done, { network })
  t.doesNotThrow(() => signed.finalizeAllInputs().extractTransaction(), "a transaction that nodes take")
  for (const [what, text] of [
    ["a byte follows", `${valid}00`],
    ["another version", valid.replace("70736274ff", "70736274ff01fb0402000000")],
    ["signed already", done],
    ["an odd hash type", psbt.updateInput(0, { sighashType: 0x82 }).toHex()],
  ])
    await refused(t, fixture, "TRANSACTION_INVALID", () => attempt(text!), what)
  const foreign = psbtOf({ inputs: [{ from: other!, value: 100_000 }] }).toHex()
  await refused(t, fixture, "TRANSACTION_SIGNER_MISSING", () => attempt(foreign))
  t.match(await attempt(foreign, other), { is: "outcome" }, "by its own key")
  await deny(fixture, { condition: "bitcoin.tx.fee > 20000" })
  const unknown = () => attempt(valid, fixture.address)
  await refused(t, fixture, "BITCOIN_NETWORK_UNKNOWN", unknown, "an Ethereum address has no network")
})

const TRON_PAYEE = `41${"22".repeat(20)}`

t.test("B5: a DENY on a value of a Tron transaction is passed by no encoding of it", async (t) => {
  const fixture = await setupMembers(t)
  const [own] = await accounts(fixture, ["TRON"])
  const [other] = await accounts(fixture, ["TRON"], 1)
  const attempt = requests(fixture, "TRON", own!)
  await allow(fixture)
  const [owner, payee] = [utils.address.toHex(own!), utils.address.fromHex(TRON_PAYEE)]
  const transfer = (change: { amount?: number; to?: string; permission?: number; fee_limit?: number } = {}) =>
    writtenByTronweb({
      contract: [
        {
          type: "TransferContract",
          ...(change.permission !== undefined && { Permission_id: change.permission }),
          parameter: {
            type_url: "type.googleapis.com/protocol.TransferContract",
            value: {
              owner_address: owner,
              to_address: change.to ?? TRON_PAYEE,
              amount: change.amount ?? 100,
            },
          },
        },
      ],
      ref_block_bytes: "c3e8",
      ref_block_hash: "e3b7e1a1c2d3f4e5",
      expiration: 1_893_456_060_000,
      timestamp: 1_893_456_000_000,
      fee_limit: change.fee_limit ?? 5,
      data: "",
    }).toString("hex")
  const contract = "tron.tx.contract[0]"
  for (const [condition, change] of [
    [`${contract}.amount >= 100`, { amount: 99 }],
    [`${contract}.to_address == '${payee}'`, { to: `41${"33".repeat(20)}` }],
    [`${contract}.permission_id == 0`, { permission: 2 }],
    ["tron.tx.fee_limit == 5", { fee_limit: 6 }],
  ] as const) {
    const policyId = await deny(fixture, { condition })
    for (const text of [transfer(), `0x${transfer().toUpperCase()}`])
      await refused(t, fixture, "PERMISSION_DENIED", () => attempt(text), condition)
    t.match(await attempt(transfer(change)), { is: "outcome" }, `not ${condition}`)
    await asRoot(fixture).submit("DELETE_POLICY", { policyId })
  }
  await deny(fixture, { condition: `${contract}.amount > 100` })
  const valid = transfer()
  const signed = await signedOf(attempt(valid))
  t.ok(signed.startsWith("0a") && signed.includes(`${valid}1241`), "the whole transaction")
  for (const [what, text] of [
    ["a byte follows", `${valid}00`],
    ["an amount twice", valid.replace("1864708", "1864186470 8".replace(" ", ""))],
    ["a long number", valid.replace("900105", "90018500")],
    ["an unknown field", `${valid}980101`],
    ["another order", `${valid.slice(8)}${valid.slice(0, 8)}`],
  ])
    await refused(t, fixture, "TRANSACTION_INVALID", () => attempt(text!), what)
  await refused(t, fixture, "TRANSACTION_SIGNER_MISSING", () => attempt(valid, other), "of another owner")
})
