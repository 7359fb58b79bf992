// User operations of ERC-4337 as conditions read them.
import t from "tap"
import { encodeFunctionData, erc20Abi } from "viem"
import { activityTypes } from "../../../../../proto/catalog.ts"
import {
  PayloadEncoding,
  SmartContractInterfaceType,
} from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { interfacesOf } from "../../../../../services/policy-advice/interfaces.ts"
import { Budget, compile, evaluate } from "../../../../../signer/core/policy/expression.ts"
import { factsOf } from "../../../../../signer/core/policy/facts/index.ts"
import { refusalOf } from "../../../enclave/keys/tools.ts"
import { callsOf, ENTRY_POINT, payloadOf, SENDER, typedPayloadOf } from "../../user-operations.ts"

const PAYEE = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
const TOKEN = "0x5FbDB2315678afecb367f032d93F642f64180aa3"
const interfaces = interfacesOf([
  {
    type: SmartContractInterfaceType.ETHEREUM,
    address: TOKEN.toLowerCase(),
    text: JSON.stringify(erc20Abi),
  },
])
const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [PAYEE, 250n] })
const callData = callsOf({ to: TOKEN, value: 5n, data }, { to: PAYEE, value: 7n, data: "0x" })

const USER_OPERATION: PayloadEncoding = PayloadEncoding.ERC4337_USER_OPERATION

function read(text: string, payload: string, encoding = USER_OPERATION) {
  const activity = activityTypes.get("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2")!
  const compiled = compile(text, "condition")
  const parameters = { signWith: "x", payload, encoding }
  const [reader] = factsOf({ activity, parameters, holdings: () => ({}), interfaces }, compiled.roots)
  const answer = evaluate(compiled, reader!, new Budget())
  return "value" in answer ? answer.value : answer.fault.reason
}

const CONDITIONS = [
  `eth.user_op.sender == '${SENDER}' && eth.user_op.chain_id == 8453`,
  `eth.user_op.entry_point == '${ENTRY_POINT}' && eth.user_op.entry_point == '${ENTRY_POINT.toLowerCase()}'`,
  "eth.user_op.nonce == 166020696663385964549",
  "eth.user_op.call_gas_limit == 100000 && eth.user_op.verification_gas_limit == 50000",
  "eth.user_op.pre_verification_gas == 21000 && eth.user_op.max_fee_per_gas == 2000000000",
  "eth.user_op.max_priority_fee_per_gas == 1000000",
  `eth.user_op.paymaster == '${PAYEE}' && eth.user_op.paymaster_data == '0xabcd'`,
  `eth.user_op.factory == '${TOKEN}' && eth.user_op.init_code[42..44] == '12'`,
  "eth.user_op.calls.count() == 2 && eth.user_op.calls[0].value == 5",
  `eth.user_op.calls[0].to == '${TOKEN}' && eth.user_op.calls[1].to == '${PAYEE}'`,
  "eth.user_op.calls[0].function_name == 'transfer' && eth.user_op.calls[1].data == '0x'",
  `eth.user_op.calls[0].contract_call_args['recipient'] == '${PAYEE}'`,
  "eth.user_op.calls[0].contract_call_args['amount'] == 250",
]
const change = {
  callData,
  factory: TOKEN,
  factoryData: "0x1234",
  paymaster: PAYEE,
  paymasterVerificationGasLimit: 1n,
  paymasterPostOpGasLimit: 2n,
  paymasterData: "0xabcd",
}

t.test("C-1819: conditions read every field of a user operation, handed in either way", async (t) => {
  for (const condition of CONDITIONS) {
    t.equal(read(condition, payloadOf(change)), true, condition)
    t.equal(read(condition, typedPayloadOf(change), PayloadEncoding.EIP712), true, `${condition}, typed data`)
  }
  t.equal(read("eth.user_op.entry_point_version == '0.7'", payloadOf(change)), true)
  const version = "eth.user_op.entry_point_version == '0.8' && eth.eip_712.domain.name == 'ERC4337'"
  t.equal(read(version, typedPayloadOf(change), PayloadEncoding.EIP712), true)
  const none = "eth.user_op.factory == '' && eth.user_op.paymaster == '' && eth.user_op.calls.count() == 0"
  t.equal(read(none, payloadOf({})), true)
})

t.test("other payloads have no user operation", async (t) => {
  const typed = { types: { A: [] }, primaryType: "A", domain: { chainId: 1 }, message: {} }
  const condition = "eth.user_op.nonce == 5"
  t.equal(read(condition, JSON.stringify(typed), PayloadEncoding.EIP712), "missing-root")
  t.equal(read(condition, "ab".repeat(32), PayloadEncoding.HEXADECIMAL), "missing-root")
})

t.test(
  "W160: a policy that reads calls which cannot be read refuses the request, and finds no empty list",
  async (t) => {
    for (const unread of ["0x12345678", callData.slice(0, -64)]) {
      const payload = payloadOf({ callData: unread })
      const reading = () => read(`eth.user_op.calls.all(c, c.to == '${PAYEE}')`, payload)
      t.match(refusalOf(reading), {
        code: "TRANSACTION_INVALID",
        message: /calls of a user operation that cannot be read/,
      })
      t.equal(read("eth.user_op.nonce > 0", payload), true, "other fields are read")
    }
    const short = callsOf({ to: TOKEN, value: 0n, data: data.slice(0, -2) as `0x${string}` })
    const misfit = refusalOf(() => read("eth.user_op.nonce > 0", payloadOf({ callData: short })))
    t.match(misfit, { code: "TRANSACTION_INVALID", message: /does not fit the interface/ })
  },
)
