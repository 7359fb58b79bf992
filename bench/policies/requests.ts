import { Caseless, type RootReader, members, type Value } from "../../signer/core/policy/expression.ts"
import { typedDataValue } from "../../signer/core/modules/transactions/facts/typed-payloads.ts"
import { HashBudget } from "../../signer/core/payload/typed-data/budget.ts"

// Requests that the policies evaluate: a token transfer, and typed data with a nested list.

const TOKEN = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const RECIPIENT = "0x08d2b0a37F869FF76BACB5Bab3278E26ab7067B7"

const signing: { [root: string]: Value } = {
  wallet: members({
    id: "0198c0de-0000-7000-8000-000000000001",
    label: "main",
    imported: false,
    exported: false,
  }),
  wallet_account: members({ address: RECIPIENT }),
}

function activity(type: string, params: { [name: string]: string }): Value {
  const rest = {
    kind: type.replace(/_V\d$/, ""),
    resource: "PRIVATE_KEY",
    action: "SIGN",
    params: members(params),
  }
  return members({ type: `ACTIVITY_TYPE_${type}`, ...rest })
}

const approving: { [root: string]: Value } = {
  approvers: ["a", "b", "c"].map((id) => members({ id, tags: ["t1", "t2"], email: "", alias: id })),
  credentials: ["a", "b", "c"].map((id) =>
    members({ id, user_id: id, type: "CREDENTIAL_TYPE_API_KEY_P256", public_key: id.repeat(66) }),
  ),
}

const time = { "time.now": BigInt(Date.parse("2026-01-05T15:00:00Z")) }

/** Signs `transfer(address,uint256)` of a token. */
export const erc20: RootReader = environmentOf({
  ...signing,
  ...approving,
  ...time,
  activity: activity("SIGN_TRANSACTION_V2", { type: "TRANSACTION_TYPE_ETHEREUM" }),
  "eth.tx": members({
    from: RECIPIENT,
    to: TOKEN,
    data: `0xa9059cbb${RECIPIENT.slice(2).toLowerCase().padStart(64, "0")}${"f4240".padStart(64, "0")}`,
    value: 0n,
    gas: 65_000n,
    gas_price: 2_000_000_000n,
    chain_id: 8453n,
    nonce: 7n,
    max_fee_per_gas: 2_000_000_000n,
    max_priority_fee_per_gas: 1_000_000n,
    max_fee_per_blob_gas: 0n,
    type: "TYPE_2",
    function_name: "transfer",
    function_signature: "0xa9059cbb",
    contract_call_args: members({ to: new Caseless(RECIPIENT), value: 1_000_000n }),
  }),
})

const permit = JSON.stringify({
  types: {
    EIP712Domain: [
      { name: "name", type: "string" },
      { name: "chainId", type: "uint256" },
      { name: "verifyingContract", type: "address" },
    ],
    TokenPermissions: [
      { name: "token", type: "address" },
      { name: "amount", type: "uint256" },
    ],
    PermitBatchTransferFrom: [
      { name: "permitted", type: "TokenPermissions[]" },
      { name: "spender", type: "address" },
      { name: "nonce", type: "uint256" },
      { name: "deadline", type: "uint256" },
    ],
  },
  primaryType: "PermitBatchTransferFrom",
  domain: { name: "Permit2", chainId: 1, verifyingContract: "0x000000000022D473030F116dDEE9F6B43aC78BA3" },
  message: {
    permitted: [
      { token: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", amount: 100_000_000 },
      { token: "0xdAC17F958D2ee523a2206206994597C13D831ec7", amount: 5 },
    ],
    spender: "0x2222222222222222222222222222222222222222",
    nonce: 1,
    deadline: 1_800_000_000,
  },
})

/** Signs a Permit2 of two tokens; the payload is read again each time, as it is for each request. */
export function typedData(): RootReader {
  return environmentOf({
    ...signing,
    ...approving,
    ...time,
    activity: activity("SIGN_RAW_PAYLOAD_V2", {
      hash_function: "HASH_FUNCTION_NO_OP",
      encoding: "PAYLOAD_ENCODING_EIP712",
    }),
    "eth.eip_712": typedDataValue(permit, new HashBudget()),
  })
}

function environmentOf(roots: { [root: string]: Value }): RootReader {
  const values = new Map(Object.entries(roots))
  return (root) => values.get(root)
}
