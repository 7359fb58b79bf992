import { address as addresses, initEccLib, networks, Psbt, Transaction } from "bitcoinjs-lib"
import t from "tap"
import * as ecc from "tiny-secp256k1"
import { utils } from "tronweb"
import { ethereumAccount, valueOf } from "../../../../harness/api-client.ts"
import { asRoot, type Fixture, refused, setup } from "../../../../hostile/setup.ts"
import { TransactionType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { isSteps } from "../../../../../signer/core/turns/steps.ts"
import { chains } from "../../../../../signer/enclave/modules/transactions/transaction-chains.ts"
import { bitcoinAddress } from "../../../../../signer/enclave/keys/address/bitcoin.ts"
import { SigningKey } from "../../../../../signer/enclave/keys/signing-key.ts"
import { secretOf } from "../../keys/tools.ts"
import { writtenByTronweb } from "../../../core/transaction/tron-judge.ts"

initEccLib(ecc)
const network = networks.regtest

async function account(fixture: Fixture, format: string, path: string, curve = "CURVE_SECP256K1") {
  const accounts = [{ ...ethereumAccount(0), curve, path, addressFormat: `ADDRESS_FORMAT_${format}` }]
  const made = await asRoot(fixture).submit("CREATE_WALLET_ACCOUNTS", {
    walletId: fixture.walletId,
    accounts,
  })
  return valueOf(made, "createWalletAccountsResult").addresses[0]!
}

const regtest = (fixture: Fixture, script: string, index = 0) =>
  account(fixture, `BITCOIN_REGTEST_${script}`, `m/84'/1'/0'/0/${index}`)

async function publicKeyOf(fixture: Fixture, path: string) {
  return Buffer.from(await account(fixture, "COMPRESSED", path), "hex")
}

async function sign(fixture: Fixture, signWith: string, unsignedTransaction: string, chain: string) {
  const parameters = { signWith, unsignedTransaction, type: `TRANSACTION_TYPE_${chain}` }
  const outcome = await asRoot(fixture).submit("SIGN_TRANSACTION_V2", parameters)
  return valueOf(outcome, "signTransactionResult").signedTransaction
}

type Scripts = { redeemScript?: Uint8Array; witnessScript?: Uint8Array; tapInternalKey?: Uint8Array }

/** A payment of inputs with their previous transactions. */
function payment(inputs: readonly (Scripts & { from: string; isLegacy?: true })[]): Psbt {
  const psbt = new Psbt({ network })
  for (const [index, { from, isLegacy, ...scripts }] of inputs.entries()) {
    const script = addresses.toOutputScript(from, network)
    const previous = new Transaction()
    previous.addInput(new Uint8Array(32).fill(index + 1), 0)
    previous.addOutput(script, 50_000n)
    const claimed = isLegacy ? {} : { witnessUtxo: { script, value: 50_000n } }
    psbt.addInput({
      hash: previous.getId(),
      index: 0,
      nonWitnessUtxo: previous.toBuffer(),
      ...claimed,
      ...scripts,
    })
  }
  psbt.addOutput({ script: Buffer.from(`0014${"07".repeat(20)}`, "hex"), value: 40_000n })
  return psbt
}

/** True if the signatures of a PSBT are valid. */
function verify(key: Uint8Array, digest: Uint8Array, signature: Uint8Array): boolean {
  return key.length === 32 ? ecc.verifySchnorr(digest, key, signature) : ecc.verify(digest, key, signature)
}

t.test("signs inputs of every Bitcoin address, and bitcoinjs-lib finalizes them", async (t) => {
  const fixture = await setup(t)
  const key = await publicKeyOf(fixture, "m/84'/1'/0'/0/0")
  const [pkh, wpkh, sh, wsh, tr] = await Promise.all(
    ["P2PKH", "P2WPKH", "P2SH", "P2WSH", "P2TR"].map((script) => regtest(fixture, script)),
  )
  const program = addresses.toOutputScript(wpkh!, network)
  const keyHash = addresses.toOutputScript(pkh!, network)
  const cases: [string, Parameters<typeof payment>[0][number]][] = [
    ["P2PKH", { from: pkh!, isLegacy: true }],
    ["P2WPKH", { from: wpkh! }],
    ["P2SH", { from: sh!, redeemScript: program }],
    ["P2WSH", { from: wsh!, witnessScript: keyHash }],
    ["P2TR", { from: tr!, tapInternalKey: key.subarray(1) }],
  ]
  for (const [script, input] of cases) {
    const signed = await sign(fixture, input.from, payment([input]).toHex(), "BITCOIN")
    const psbt = Psbt.fromHex(signed, { network })
    t.equal(psbt.validateSignaturesOfAllInputs(verify), true, script)
    t.ok(psbt.finalizeAllInputs().extractTransaction().getId(), script)
  }
  const all = payment(cases.slice(0, 4).map(([, input]) => input)).toHex()
  const whole = Psbt.fromHex(await sign(fixture, wsh!, all, "BITCOIN"), { network })
  t.equal(whole.validateSignaturesOfAllInputs(verify), true, "all inputs of one key, by any of its addresses")
})

t.test("signs the inputs of its key and leaves those of others to them", async (t) => {
  const fixture = await setup(t)
  const [first, second] = [await regtest(fixture, "P2WPKH"), await regtest(fixture, "P2WPKH", 1)]
  const taproot = await regtest(fixture, "P2TR", 2)
  const internal = (await publicKeyOf(fixture, "m/84'/1'/0'/0/2")).subarray(1)
  const unsigned = payment([{ from: first }, { from: second }, { from: taproot, tapInternalKey: internal }])
  let text = unsigned.toHex()
  for (const [index, signer] of [first, second, taproot].entries()) {
    text = await sign(fixture, signer, text, "BITCOIN")
    const inputs = Psbt.fromHex(text, { network }).data.inputs
    const signed = inputs.map(({ partialSig, tapKeySig }) => (partialSig ?? tapKeySig) !== undefined)
    t.same(
      signed,
      [0, 1, 2].map((one) => one <= index),
    )
  }
  const psbt = Psbt.fromHex(text, { network })
  t.equal(psbt.validateSignaturesOfAllInputs(verify), true)
  t.ok(psbt.finalizeAllInputs().extractTransaction())
})

t.test("signs a PSBT in steps, and asks for the key before each signature", async (t) => {
  const key = new SigningKey({ curve: "CURVE_SECP256K1", secret: secretOf("11".repeat(32)) })
  const from = bitcoinAddress("REGTEST", "P2WPKH", Buffer.from(key.publicKeyHex, "hex"))
  const unsigned = payment(Array.from({ length: 5 }, () => ({ from }))).toBuffer()
  let asked = 0
  const signing = chains.get(TransactionType.BITCOIN)!.sign(unsigned, () => {
    asked += 1
    return key
  })
  if (!isSteps(signing)) throw new Error("not in steps")
  const steps = Array.from({ length: 6 }, () => signing.next().done)
  t.same(steps, [false, false, false, false, false, true])
  t.equal(asked, 6, "once to find its inputs, and once for each of five signatures")
})

const OTHER = `41${"22".repeat(20)}`

function tronTransfer(owner: string): string {
  const value = { owner_address: utils.address.toHex(owner), to_address: OTHER, amount: 100 }
  const type_url = "type.googleapis.com/protocol.TransferContract"
  return writtenByTronweb({
    contract: [{ type: "TransferContract", parameter: { type_url, value } }],
    ref_block_bytes: "c3e8",
    ref_block_hash: "e3b7e1a1c2d3f4e5",
    expiration: 1_893_456_060_000,
    timestamp: 1_893_456_000_000,
    fee_limit: 0,
    data: "",
  }).toString("hex")
}

t.test("signs a Tron transaction of its owner, and tronweb recovers the address", async (t) => {
  const fixture = await setup(t)
  const owner = await account(fixture, "TRON", "m/44'/195'/0'/0/0")
  const raw = tronTransfer(owner)
  const signed = await sign(fixture, owner, raw, "TRON")
  t.equal(signed.slice(0, -130), `0a${(raw.length / 2).toString(16)}01${raw}1241`)
  const id = utils.crypto.SHA256([...Buffer.from(raw, "hex")])
  const signature = signed.slice(-130)
  const recovered = utils.crypto.ecRecover(`0x${Buffer.from(id).toString("hex")}`, `0x${signature}`)
  t.equal(utils.address.fromHex(recovered), owner)
})

t.test("is refused by a key or an address that signs otherwise", async (t) => {
  const fixture = await setup(t)
  const attempt = (signWith: string, unsignedTransaction: string, chain: string) => () =>
    asRoot(fixture).attempt("SIGN_TRANSACTION_V2", {
      signWith,
      unsignedTransaction,
      type: `TRANSACTION_TYPE_${chain}`,
    })
  const [wpkh, taproot] = [await regtest(fixture, "P2WPKH"), await regtest(fixture, "P2TR")]
  const tron = await account(fixture, "TRON", "m/84'/1'/0'/0/0")
  const solana = await account(fixture, "SOLANA", "m/44'/501'/0'/0'", "CURVE_ED25519")
  const spark = await account(fixture, "SPARK_REGTEST", "m/84'/1'/0'/0/0")
  const [psbt, raw] = [payment([{ from: wpkh }]).toHex(), tronTransfer(tron)]
  const [unfit, missing] = ["TRANSACTION_KEY_UNFIT", "TRANSACTION_SIGNER_MISSING"] as const
  await refused(t, fixture, unfit, attempt(solana, psbt, "BITCOIN"), "an Ed25519 key for Bitcoin")
  await refused(t, fixture, unfit, attempt(spark, psbt, "BITCOIN"), "Spark's signatures for Bitcoin")
  await refused(t, fixture, missing, attempt(taproot, psbt, "BITCOIN"), "Schnorr for ECDSA")
  await refused(t, fixture, unfit, attempt(taproot, raw, "TRON"), "Schnorr for Tron")
  await refused(t, fixture, unfit, attempt(solana, raw, "TRON"), "an Ed25519 key for Tron")
  await refused(t, fixture, missing, attempt(fixture.address, raw, "TRON"), "another owner")
  t.match(await attempt(wpkh, psbt, "BITCOIN")(), { is: "outcome" })
  t.match(await attempt(wpkh, raw, "TRON")(), { is: "outcome" }, "another address of the owner's key")
})
