// Policies with the published client. Backend alone signs permits for one contract, up to an amount. Any text that it
// proposes to sign waits until two people approve. Uses the users of `countersign dev` and deletes its policies at the
// end.
import { type Hex, hashTypedData, keccak256, stringToHex, type TypedDataDefinition } from "viem"
import { explain, need } from "./development-values.ts"
import { print } from "./terminal.ts"
import { clientOf, refusal, removePolicies, signedBy } from "./users.ts"

type Simulation = {
  outcome: string
  reason: string
  policies: { expressions: { warnings: { sentence: string }[] }[] }[]
}

const OURS = "Example: "
const TOKEN = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
const PROPOSAL = "pay the supplier"
const address = need("SIGN_WITH") as Hex

const [root, backend, alice, bob] = [
  clientOf("root"),
  clientOf("backend"),
  clientOf("alice"),
  clientOf("bob"),
]

const { users } = await root.getUsers().catch(explain)
const idOf = (name: string) => users.find(({ userName }) => userName === name)?.userId ?? ""

const permits = {
  policyName: `${OURS}backend signs small permits`,
  effect: "EFFECT_ALLOW",
  condition: [
    `activity.action == 'SIGN' && wallet.id == '${need("WALLET_ID")}'`,
    `eth.eip_712.domain.verifying_contract == '${TOKEN}' && eth.eip_712.domain.chain_id == 1`,
    "eth.eip_712.primary_type == 'Permit' && eth.eip_712.message['value'] <= 1000000",
  ].join(" && "),
  consensus: `approvers.any(u, u.id == '${idOf("backend")}')`,
  notes: "One token, at most 1 USDC at a time.",
} as const

const twoPeople = `approvers.filter(u, u.id in ['${idOf("alice")}', '${idOf("bob")}']).count() >= 2`
const proposals = {
  policyName: `${OURS}two people approve what backend proposes`,
  effect: "EFFECT_ALLOW",
  condition:
    "activity.kind == 'SIGN_RAW_PAYLOAD' && activity.params.encoding == 'PAYLOAD_ENCODING_TEXT_UTF8'",
  consensus: `approvers.any(u, u.id == '${idOf("backend")}') && ${twoPeople}`,
  notes: "Backend is named in the consensus, for who submits has to contribute to it.",
} as const

await removePolicies(root, OURS)
try {
  const tried = await simulate(permits, permit(500_000))
  show("tried before it is made", tried.outcome)
  for (const { sentence } of tried.policies[0]?.expressions[0]?.warnings ?? []) show("  warning", sentence)
  const forgotten = await simulate({ ...proposals, consensus: twoPeople }, text(PROPOSAL))
  show("backend not in the consensus", forgotten.outcome)

  for (const policy of [permits, proposals]) await root.createPolicy(policy)

  const signed = await backend.signRawPayload(permit(500_000))
  show("a small permit", await signedBy(address, hashTypedData(typedData(500_000)), signed))
  show("too large a permit", await refusal(backend.signRawPayload(permit(2_000_000))))
  const asText = await backend.signRawPayload(permit("500000"))
  show("an amount sent as text", await signedBy(address, hashTypedData(typedData(500_000)), asText))
  show("too large as text", await refusal(backend.signRawPayload(permit("2000000"))))
  show("a permit of another token", await refusal(backend.signRawPayload(permit(1, address))))

  const { activity } = await backend.signRawPayload(text(PROPOSAL))
  show("backend proposes", activity.status)
  const { fingerprint } = activity
  show("alice approves", (await alice.approveActivity({ fingerprint })).activity.status)
  const approved = (await bob.approveActivity({ fingerprint })).activity
  show("bob approves", approved.status)
  const result = approved.result.signRawPayloadResult
  if (result === undefined) throw new Error("the approved activity has no signature")
  show("what they approved", await signedBy(address, keccak256(stringToHex(PROPOSAL)), result))
} finally {
  await removePolicies(root, OURS)
}

function typedData(value: number | string, verifyingContract: Hex = TOKEN): TypedDataDefinition {
  return {
    types: {
      EIP712Domain: [
        { name: "name", type: "string" },
        { name: "chainId", type: "uint256" },
        { name: "verifyingContract", type: "address" },
      ],
      Permit: [
        { name: "spender", type: "address" },
        { name: "value", type: "uint256" },
      ],
    },
    primaryType: "Permit",
    domain: { name: "USD Coin", chainId: 1, verifyingContract },
    message: { spender: address, value },
  }
}

function permit(value: number | string, verifyingContract?: Hex) {
  return {
    signWith: address,
    payload: JSON.stringify(typedData(value, verifyingContract)),
    encoding: "PAYLOAD_ENCODING_EIP712",
    hashFunction: "HASH_FUNCTION_NO_OP",
  } as const
}

function text(payload: string) {
  return {
    signWith: address,
    payload,
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  } as const
}

/** Simulates a policy for backend. The client has no method for this query. */
async function simulate(draft: object, parameters: object): Promise<Simulation> {
  return (await root.request("/public/v1/query/simulate_policies", {
    organizationId: need("ORGANIZATION_ID"),
    activity: { type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", parameters },
    submitter: { userId: idOf("backend") },
    draftPolicies: [draft],
    onlyDrafts: true,
  })) as Simulation
}

function show(what: string, result: string): void {
  print(`${what.padEnd(28)} ${result}`)
}
