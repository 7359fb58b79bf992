// Simulated sends against the signer: policies see the same transaction in both.
import { fromBinary } from "@bufbuild/protobuf"
import { base58 } from "@scure/base"
import fc from "fast-check"
import t from "tap"
import { activityTypes } from "../../../proto/catalog.ts"
import { Outcome } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import {
  RecordKind,
  RecordSchema,
  WalletAccountRecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { readMessage } from "../../../proto/read.ts"
import { simulate } from "../../../services/policy-advice/simulate.ts"
import { NO_INTERFACES } from "../../../signer/core/contract-interface/interfaces.ts"
import { keyFacts } from "../../../signer/core/modules/wallets/holdings.ts"
import type { Holdings } from "../../../signer/core/policy/facts/holdings.ts"
import { ethereumAccount, valueOf } from "../../harness/api-client.ts"
import { CHAIN, FILL, OTHER, TO } from "../../harness/sends.ts"
import { limits, SPONSORING } from "../../harness/sponsorship.ts"
import { stampWith } from "../../harness/stamper.ts"
import { solanaTransfer } from "../../harness/transactions.ts"
import { allow, type MemberFixture, setupMembers } from "../../hostile/consensus-fixture.ts"
import { signed } from "../../hostile/replay-cases-sends.ts"
import { asRoot } from "../../hostile/setup.ts"

const DEVNET = "solana:devnet"
const FILLED = {
  ...FILL,
  recentBlockhash: base58.encode(new Uint8Array(32).fill(5)),
  lastValidBlockHeight: 321n,
}

type Send = { type: string; parameters: { [name: string]: unknown; caip2: string } }

/** Holdings of every account, as the API tier reads them from its records. */
function holdingsOf({ client, walletId }: MemberFixture): ReadonlyMap<string, Holdings> {
  const records = [...client.records.values()].map((bytes) => fromBinary(RecordSchema, bytes))
  const accounts = records.filter(({ kind }) => kind === RecordKind.WALLET_ACCOUNT)
  return new Map(
    accounts.map(({ payload }) => {
      const record = fromBinary(WalletAccountRecordSchema, payload)
      const wallet = { id: walletId, label: "First", imported: false, exported: false }
      return [record.address, { wallet, account: { address: record.address }, key: keyFacts(record) }]
    }),
  )
}

function simulated(fixture: MemberFixture, { type, parameters }: Send, isFilled = true) {
  const { client, acme, dan } = fixture
  const { document } = fromBinary(NotarizedDocumentSchema, client.documents.get(acme.organizationId)!)
  const activity = activityTypes.get(type)!
  const holdings = holdingsOf(fixture)
  const { caip2 } = parameters
  return simulate({
    document: fromBinary(OrganizationDocumentSchema, document),
    drafts: [],
    onlyDrafts: false,
    activity,
    parameters: readMessage(activity.intentSchema, parameters).message,
    holdings: holdings.get(String(parameters["from"] ?? parameters["signWith"])) ?? {},
    signers: holdings,
    interfaces: NO_INTERFACES,
    ...(isFilled && { chain: { ...FILLED, caip2 } }),
    submitter: { userId: dan.userId },
    approvers: [],
    nowMs: fixture.boundary.nowMs(),
  })
}

/** Conditions whose outcome depends on the send. */
function conditionsFor(address: string, signer: string): string[] {
  return [
    `eth.tx.to == '${TO}'`,
    "eth.tx.value <= 5",
    "eth.tx.value == 0",
    "eth.tx.chain_id == 8453",
    "eth.tx.nonce == 7",
    "eth.tx.nonce == 0",
    "eth.tx.gas <= 30000",
    "eth.tx.max_fee_per_gas == 2000000000",
    "eth.tx.max_fee_per_gas == 0",
    "eth.tx.type == 'TYPE_4'",
    "eth.tx.data == '0x'",
    `eth.tx.from == '${address}'`,
    `wallet_account.address == '${signer}'`,
    "eth.eip_7702_authorization.address == '0x0000000000000000000000000000000000000000'",
    "solana.tx.transfers.any(one, one.amount <= 5)",
    `solana.tx.recent_blockhash == '${FILLED.recentBlockhash}'`,
    "solana.tx.instructions.count() == 1",
    "activity.kind == 'ETH_SEND_RAW_TRANSACTION'",
  ]
}

async function sendsOf(
  fixture: MemberFixture,
  from: string,
  signers: readonly [string, string],
): Promise<Send[]> {
  const [one, two] = signers
  const eth = { from, caip2: CHAIN }
  const call = (to: string, value: string, data = "0x") => ({ to, value, data })
  const solana = (lamports: bigint, names: readonly string[]) => {
    const { bytes } = solanaTransfer({ signers: names, lamports })
    // Zeros: the block hash is left to the service.
    bytes.fill(
      0,
      Buffer.from(bytes).indexOf(Buffer.alloc(32, 4)),
      Buffer.from(bytes).indexOf(Buffer.alloc(32, 4)) + 32,
    )
    return { caip2: DEVNET, unsignedTransaction: Buffer.from(bytes).toString("hex") }
  }
  const all: [type: string, parameters: Send["parameters"]][] = [
    ["ETH_SEND_TRANSACTION", { ...eth, ...call(TO, "5") }],
    ["ETH_SEND_TRANSACTION", { ...eth, ...call(TO, "6"), nonce: "0", gasLimit: "21000" }],
    ["ETH_SEND_TRANSACTION", { ...eth, ...call(OTHER, "0", "0xdeadbeef") }],
    ["ETH_SEND_TRANSACTION", { ...eth, ...call(TO, "5"), sponsor: true }],
    ["ETH_SEND_TRANSACTION_V2", { ...eth, calls: [call(TO, "5"), call(TO, "6")] }],
    ["ETH_SEND_TRANSACTION_V2", { ...eth, calls: [call(TO, "4"), call(TO, "5")], sponsor: true }],
    ["ETH_UNDELEGATE_7702", eth],
    ["ETH_SEND_RAW_TRANSACTION", { caip2: CHAIN, signedTransaction: await signed(7) }],
    ["SOL_SEND_TRANSACTION", { ...solana(5n, [one]), signWith: one }],
    ["SOL_SEND_TRANSACTION_V2", { ...solana(6n, [one, two]), signWiths: [one, two] }],
    ["SOL_SEND_TRANSACTION_V2", { ...solana(5n, [one, two]), signWiths: [two, one] }],
  ]
  return all.map(([type, parameters]) => ({ type: `ACTIVITY_TYPE_${type}`, parameters }))
}

async function setupSending(t: Parameters<typeof setupMembers>[0]) {
  const fixture = await setupMembers(t, SPONSORING)
  const { client, walletId, address } = fixture
  client.chain = ({ caip2 }) => ({ ...FILLED, caip2 })
  const { submit } = asRoot(fixture)
  await submit("UPSERT_GAS_USAGE_CONFIG", limits("100000"))
  const format = { curve: "CURVE_ED25519", addressFormat: "ADDRESS_FORMAT_SOLANA" }
  const accounts = [0, 1].map((index) => ({
    ...ethereumAccount(0),
    ...format,
    path: `m/44'/501'/${index}'/0'`,
  }))
  const made = await submit("CREATE_WALLET_ACCOUNTS", { walletId, accounts })
  const [one = "", two = ""] = valueOf(made, "createWalletAccountsResult").addresses
  return {
    fixture,
    sends: await sendsOf(fixture, address, [one, two]),
    conditions: conditionsFor(address, two),
  }
}

t.test("a simulated send has the outcome that the signer reaches", async (t) => {
  const { fixture, sends, conditions } = await setupSending(t)
  const { client, acme, dan, boundary } = fixture
  const { submit } = asRoot(fixture)
  const outcomes = new Map<string, Set<string>>()
  let number = 0
  const decided = async ({ type, parameters }: Send) => {
    // Each body is another one: the outcome of an earlier body would be replayed.
    const body = client.body(type, acme.organizationId, parameters, boundary.nowMs() - ++number)
    const answer = await client.offer(body, stampWith(dan.key, body))
    if (answer.is === "refused" && answer.code === "PERMISSION_DENIED") return "denied"
    if (answer.is !== "outcome") throw new Error(`${type}: ${JSON.stringify(answer)}`)
    return "allowed"
  }
  const property = fc.asyncProperty(
    fc.array(fc.constantFrom(...conditions), { minLength: 1, maxLength: 2 }),
    fc.constantFrom(" && ", " || "),
    fc.boolean(),
    async (parts, operator, isNegated) => {
      const text = parts.join(operator)
      const policyId = await allow(fixture, { condition: isNegated ? `!(${text})` : text })
      for (const send of sends) {
        const { outcome, reason } = simulated(fixture, send)
        const expected = outcome === Outcome.ALLOW ? "allowed" : "denied"
        const found = await decided(send)
        if (found !== expected)
          throw new Error(`${send.type}, ${text}: ${found}, simulated ${expected} (${reason})`)
        outcomes.set(send.type, (outcomes.get(send.type) ?? new Set()).add(found))
      }
      await submit("DELETE_POLICY", { policyId })
    },
  )
  await fc.assert(property, { numRuns: 20, seed: 17 })
  for (const { type } of sends)
    t.strictSame([...(outcomes.get(type) ?? [])].toSorted(), ["allowed", "denied"], type)
})

t.test("missing values of its chain are named, and only where a policy reads the send", async (t) => {
  const { fixture, sends } = await setupSending(t)
  const [transfer] = sends as [Send]
  t.equal(simulated(fixture, transfer, false).outcome, Outcome.DENY_IMPLICIT, "nothing is read")
  await allow(fixture, { condition: "eth.tx.value == 5" })
  t.throws(() => simulated(fixture, transfer, false), { name: "SendIncomplete" })
  const values = { nonce: "1", gasLimit: "21000", maxFeePerGas: "2", maxPriorityFeePerGas: "1" }
  const whole = { ...transfer, parameters: { ...transfer.parameters, ...values } }
  t.equal(simulated(fixture, whole, false).outcome, Outcome.ALLOW, "the parameters have all")
})
