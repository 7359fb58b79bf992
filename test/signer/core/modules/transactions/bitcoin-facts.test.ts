// Bitcoin transactions as conditions read them.
import { address as addresses, networks } from "bitcoinjs-lib"
import t from "tap"
import { activityTypes } from "../../../../../proto/catalog.ts"
import { TransactionType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { Budget, compile, evaluate } from "../../../../../signer/core/policy/expression.ts"
import { factsOf } from "../../../../../signer/core/policy/facts/index.ts"
import { refusalOf } from "../../../enclave/keys/tools.ts"
import { type Given, OWN, psbtOf } from "../../transaction/bitcoin-judge.ts"

const kinds = ["pkh", "sh(wpkh)", "wpkh", "wsh(pkh)", "tr"] as const
const TYPES = ["P2PKH", "P2SH", "P2WPKH", "P2WSH", "P2TR"]
const given: Given = {
  scheme: "ecdsa",
  inputs: [{ kind: "wpkh", isOwn: true, value: 100_000, sequence: 5, isProven: true }],
  outputs: kinds.map((kind, index) => ({ kind, value: 10_000 + index })),
  version: 2,
  locktime: 499_999_999,
}
const SIGNER = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk"

type Named = { format: string; address: string }
const named = (network: string, address = SIGNER): Named => ({
  format: `ADDRESS_FORMAT_BITCOIN_${network}_P2WPKH`,
  address,
})

function facts(
  text: string,
  { transaction = given, signWith = SIGNER, own = [named("REGTEST")] }: Options = {},
) {
  const parameters = {
    type: TransactionType.BITCOIN,
    unsignedTransaction: psbtOf(transaction).toHex(),
    signWith,
  }
  const key = { curve: "CURVE_SECP256K1", publicKey: Buffer.from(OWN).toString("hex"), addresses: own }
  const activity = activityTypes.get("ACTIVITY_TYPE_SIGN_TRANSACTION_V2")!
  const compiled = compile(text, "condition")
  const interfaces = { abi: () => undefined, idl: () => undefined }
  const input = { activity, parameters, holdings: () => ({ key }), interfaces }
  const [reader] = factsOf(input, compiled.roots)
  const answer = evaluate(compiled, reader!, new Budget())
  return "value" in answer ? answer.value : answer.fault.reason
}
type Options = { transaction?: Given; signWith?: string; own?: Named[] }

t.test("conditions read every field of a PSBT", async (t) => {
  const psbt = psbtOf(given)
  const id = Buffer.from(psbt.txInputs[0]!.hash.toReversed()).toString("hex")
  for (const text of [
    "bitcoin.tx.version == '2' && bitcoin.tx.fee == 49990",
    "bitcoin.tx.locktime.amount == 499999999 && bitcoin.tx.locktime.type == 'Blocks'",
    `bitcoin.tx.inputs.all(i, i.tx_id == '${id}' && i.vout == 1 && i.sequence == 5)`,
    "bitcoin.tx.inputs.count() == 1 && bitcoin.tx.outputs.count() == 5",
    "bitcoin.tx.outputs.all(o, o.value >= 10000 && o.value < 10005)",
  ])
    t.equal(facts(text), true, text)
  const seconds = { ...given, locktime: 500_000_000 }
  t.equal(facts("bitcoin.tx.locktime.type == 'Seconds'", { transaction: seconds }), true)
})

t.test("each output shows its script, and its address as bitcoinjs-lib writes it", async (t) => {
  for (const [index, { script, value }] of psbtOf(given).txOutputs.entries()) {
    const address = addresses.fromOutputScript(script, networks.regtest)
    const [scriptHex, type] = [Buffer.from(script).toString("hex"), TYPES[index] ?? ""]
    const output = `bitcoin.tx.outputs[${index}]`
    t.equal(facts(`${output}.address == '${address}' && ${output}.value == ${value}`), true, address)
    t.equal(facts(`${output}.script_pubkey == '${scriptHex}'`), true)
    t.equal(
      facts(`${output}.address_type == '${type}' && ${output}.address_type == '${type.toLowerCase()}'`),
      true,
    )
  }
})

t.test("an output without address has an empty one", async (t) => {
  const psbt = psbtOf(given)
  psbt.addOutput({ script: Buffer.from("6a0401020304", "hex"), value: 0n })
  const text = "bitcoin.tx.outputs[5].address == '' && bitcoin.tx.outputs[5].address_type == ''"
  const parameters = {
    type: TransactionType.BITCOIN,
    unsignedTransaction: psbt.toHex(),
    signWith: SIGNER,
  }
  const key = { curve: "CURVE_SECP256K1", publicKey: "", addresses: [named("REGTEST")] }
  const compiled = compile(text, "condition")
  const [reader] = factsOf(
    {
      activity: activityTypes.get("ACTIVITY_TYPE_SIGN_TRANSACTION_V2")!,
      parameters,
      holdings: () => ({ key }),
      interfaces: { abi: () => undefined, idl: () => undefined },
    },
    compiled.roots,
  )
  t.same(evaluate(compiled, reader!, new Budget()), { value: true })
})

t.test("outputs have addresses of the network of the address that signs", async (t) => {
  const first = (prefix: string) => `bitcoin.tx.outputs[2].address[0..${prefix.length}] == '${prefix}'`
  for (const [network, prefix] of [
    ["MAINNET", "bc1q"],
    ["TESTNET", "tb1q"],
    ["SIGNET", "tb1q"],
    ["REGTEST", "bcrt1q"],
  ] as const)
    t.equal(facts(first(prefix), { own: [named(network)] }), true, network)
  const both = [named("MAINNET", "bc1qsomething"), named("REGTEST")]
  t.equal(facts(first("bcrt1q"), { own: both }), true, "a private key, by one of its addresses")
  t.equal(
    facts(first("tb1q"), { own: [named("TESTNET", "a"), named("SIGNET", "b")], signWith: "an id" }),
    true,
  )
})

t.test("policies are asked nothing about a transaction whose network is not known", async (t) => {
  const ethereum = { format: "ADDRESS_FORMAT_ETHEREUM", address: SIGNER }
  const both = [named("MAINNET", "a"), named("REGTEST", "b")]
  for (const [own, message] of [
    [[ethereum], /signWith is no Bitcoin address; name a SegWit address of the key/],
    [both, /signWith is of two networks/],
    [[], /signWith is no Bitcoin address/],
  ] as const) {
    const refusal = refusalOf(() => facts("bitcoin.tx.fee == 0", { own: [...own] }))
    t.equal(refusal?.code, "BITCOIN_NETWORK_UNKNOWN")
    t.match(refusal?.message, message)
  }
  t.equal(facts("bitcoin.tx.fee == 0", { own: both, signWith: "a" }), false)
})

t.test("amounts that are not proven are refused before policies read them", async (t) => {
  const input = { ...given.inputs[0]!, isProven: false }
  const transaction: Given = { ...given, scheme: "taproot", inputs: [input, { ...input, value: 50_000 }] }
  const refusal = refusalOf(() => facts("bitcoin.tx.fee == 0", { transaction }))
  t.equal(refusal?.code, "TRANSACTION_INVALID")
  t.match(refusal?.message, /^failed to parse transaction: input 0 comes without a proof of its amount/)
  const taproot = `bcrt1p${"q".repeat(58)}`
  const own = [named("REGTEST", taproot)]
  t.equal(
    facts("bitcoin.tx.fee == 99990", { transaction, signWith: taproot, own }),
    true,
    "a Taproot signature",
  )
  t.equal(facts("bitcoin.tx.fee == 99990", { transaction, signWith: taproot.toUpperCase(), own }), true)
})
