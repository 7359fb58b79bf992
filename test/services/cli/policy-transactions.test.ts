// Policy test files whose cases sign transactions.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { encodeFunctionData, parseAbi, serializeTransaction } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { ownVectors } from "../../harness/vectors.ts"
import { aggregation, transfers } from "../../harness/velocity.ts"
import { commandLine } from "./command-line.ts"

const TOKEN = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const owner = privateKeyToAccount(`0x${"11".repeat(32)}`)
const source = parseAbi(["function transfer(address to, uint256 amount)"])

const organization = {
  users: [{ userId: "root" }, { userId: "dan" }],
  rootQuorum: { threshold: 1, userIds: ["root"] },
}
const token = {
  smartContractAddress: TOKEN,
  type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
  smartContractInterface: source,
}

function pay(amount: bigint) {
  const data = encodeFunctionData({ abi: source, functionName: "transfer", args: [TOKEN, amount] })
  const unsignedTransaction = serializeTransaction({ type: "eip1559", chainId: 1, to: TOKEN, data })
  const parameters = { signWith: owner.address, unsignedTransaction, type: "TRANSACTION_TYPE_ETHEREUM" }
  return {
    name: `pays ${amount}`,
    activity: { type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2", parameters },
    uses: { key: { curve: "CURVE_SECP256K1", publicKey: owner.publicKey.slice(2) } },
    submitter: "dan",
    expect: amount > 5n ? "OUTCOME_DENY_IMPLICIT" : "OUTCOME_ALLOW",
  }
}

const condition = `eth.tx.from == '${owner.address}' && eth.tx.contract_call_args['amount'] <= 5`
const file = {
  organization,
  policies: [{ policyName: "P", effect: "EFFECT_ALLOW", condition }],
  interfaces: [token],
  cases: [pay(5n), pay(6n)],
}

function run(t: { testdir: () => string }, content: object) {
  const path = join(t.testdir(), "policies.json")
  writeFileSync(path, JSON.stringify(content))
  return commandLine({}, "policy", "test", path)
}

t.test("cases read a transaction with the interface and the key of the file", async (t) => {
  t.match(await run(t, file), { status: 0, out: /2 of 2 cases as expected/ })
  const text = { ...token, smartContractInterface: JSON.stringify(source) }
  t.match(await run(t, { ...file, interfaces: [text] }), { status: 0 })
})

t.test("a missing key, a broken transaction or interface and an unknown address are named", async (t) => {
  const { uses: _, ...keyless } = pay(5n)
  t.match(await run(t, { ...file, cases: [keyless] }), { status: 2, log: /name the key in uses\.key/ })
  const { activity } = pay(5n)
  const parameters = { ...activity.parameters, unsignedTransaction: "0xc0" }
  const unread = { ...pay(5n), activity: { ...activity, parameters } }
  t.match(await run(t, { ...file, cases: [unread] }), { status: 2, log: /failed to parse transaction/ })
  const broken = { ...token, smartContractInterface: [{ name: "f" }] }
  t.match(await run(t, { ...file, interfaces: [broken] }), { status: 2, log: /interfaces\[0\]: .*inputs/ })
  const nowhere = { ...token, smartContractAddress: "nowhere" }
  t.match(await run(t, { ...file, interfaces: [nowhere] }), { status: 2, log: /interfaces\[0\]: .*address/ })
})

const { signed } = ownVectors<{
  signed: { name: string; type: string; unsignedTransaction: string; privateKey: string }[]
}>("transactions")

t.test("a case of Bitcoin has the network in the key's addresses, a case of Tron needs no key", async (t) => {
  const payments = signed.filter(
    ({ name }) => name === "P2WPKH as wpkh" || name.startsWith("TransferContract"),
  )
  const address = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk"
  const cases = payments.map(({ name, type, unsignedTransaction }) => ({
    ...pay(5n),
    name,
    activity: {
      type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
      parameters: { signWith: address, unsignedTransaction, type },
    },
  }))
  const publicKey = "02e7ab2537b5d49e970309aae06e9e49f36ce1c9febbd44ec8e0d1cca0b4f9c319"
  const key = { curve: "CURVE_SECP256K1", publicKey }
  const addresses = [{ format: "ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH", address }]
  const policies = [
    "bitcoin.tx.fee == 10000 && bitcoin.tx.outputs.all(o, o.address[0..6] == 'bcrt1q')",
    "tron.tx.contract[0].amount == 100",
  ].map((text, index) => ({ policyName: `P${index}`, effect: "EFFECT_ALLOW", condition: text }))
  const [bitcoin, tron] = cases
  const content = { organization, policies, interfaces: [] }
  const whole = {
    ...content,
    cases: [
      { ...bitcoin, uses: { key: { ...key, addresses } } },
      { ...tron, uses: {} },
    ],
  }
  t.match(await run(t, whole), { status: 0, out: /2 of 2 cases as expected/ })
  const nowhere = { ...content, cases: [{ ...bitcoin, uses: { key } }] }
  t.match(await run(t, nowhere), { status: 2, log: /the network of the outputs is not known/ })
})

t.test("a case of a send has its values from the parameters, then from the chain of the case", async (t) => {
  const parameters = { from: owner.address, caip2: "eip155:1", to: TOKEN, value: "5", nonce: "3" }
  const policies = [
    { policyName: "P", effect: "EFFECT_ALLOW", condition: "eth.tx.nonce == 3 && eth.tx.gas == 21000" },
  ]
  const { uses, ...rest } = pay(5n)
  const chain = { nonce: "9", gasLimit: "21000", maxFeePerGas: "2", maxPriorityFeePerGas: "1" }
  const sending = { ...rest, activity: { type: "ACTIVITY_TYPE_ETH_SEND_TRANSACTION", parameters } }
  const content = { organization, policies }
  const filled = { ...content, cases: [{ ...sending, uses: { ...uses, chain } }] }
  t.match(await run(t, filled), { status: 0, out: /1 of 1 case as expected/ })
  const { gasLimit: _, ...less } = chain
  const lacking = { ...content, cases: [{ ...sending, uses: { ...uses, chain: less } }] }
  t.match(await run(t, lacking), {
    status: 2,
    log: /lacks gasLimit; set them in parameters or in uses.chain/,
  })
  const wrong = { ...content, cases: [{ ...sending, uses: { ...uses, chain: { ...chain, gasLimit: "x" } } }] }
  t.match(await run(t, wrong), {
    status: 2,
    log: /policies\.json:1:\d+: cases\[0\]\.uses\.chain\.gasLimit must be decimal digits/,
  })
})

t.test("a case has velocity controls, and says what they have counted before it", async (t) => {
  const token = { caip19: `eip155:1/erc20:${TOKEN}`, decimals: "0" }
  const control = transfers([token], { aggregation: aggregation({ threshold: "6" }) })
  const policies = [{ policyName: "P", effect: "EFFECT_ALLOW", condition: "controls.spent" }]
  const content = {
    organization: { ...organization, velocityControls: [control] },
    policies,
    interfaces: [],
  }
  const paying = (amount: bigint, outcome: string, counted = {}) => {
    return { ...pay(amount), name: `${amount} of ${outcome}`, counted, expect: `OUTCOME_${outcome}` }
  }
  const cases = [
    paying(6n, "ALLOW"),
    paying(7n, "DENY_IMPLICIT"),
    paying(2n, "ALLOW", { spent: "4" }),
    paying(2n, "DENY_IMPLICIT", { spent: "4.1" }),
  ]
  t.match(await run(t, { ...content, cases }), { status: 0, out: /4 of 4 cases as expected/ })
  const unknown = { ...content, cases: [paying(1n, "ALLOW", { other: "1" })] }
  t.match(await run(t, unknown), { status: 2, log: /there is no velocity control other/ })
  const wrong = { ...control, aggregation: aggregation({ threshold: "x" }) }
  const faulty = { ...organization, velocityControls: [control, wrong] }
  t.match(await run(t, { ...content, organization: faulty, cases }), {
    status: 2,
    log: /organization.velocityControls\[1\].aggregation.threshold: "x" is no decimal number/,
  })
  const twice = { ...organization, velocityControls: [control, control] }
  t.match(await run(t, { ...content, organization: twice, cases }), { status: 2, log: /"spent" is taken/ })
})
