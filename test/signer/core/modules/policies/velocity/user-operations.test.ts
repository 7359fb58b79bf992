// Amounts of user operations that velocity controls count. viem encodes the calls.
import t from "tap"
import { encodeFunctionData, erc20Abi, type Hex } from "viem"
import { PayloadEncoding } from "../../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { ANY_TOKEN } from "../../../../../../signer/core/modules/policies/velocity/transfer.ts"
import { transfersOf } from "../../../../../../signer/core/modules/policies/velocity/transfers.ts"
import { factsOf } from "../../../../../../signer/core/policy/facts/index.ts"
import { callsOf, payloadOf, SENDER, typedPayloadOf } from "../../../user-operations.ts"
import { readingOf, requestOf, transfersBy } from "./fixture.ts"

const USDC: Hex = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
const PAYEE: Hex = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [PAYEE, 250n] })
const chain = { family: "eip155", reference: "8453" }

const given = (change: object) =>
  requestOf("SIGN_RAW_PAYLOADS", {
    signWith: "x",
    encoding: PayloadEncoding.ERC4337_USER_OPERATION,
    payloads: [payloadOf(change)],
  })
const typed = (...changes: readonly object[]) =>
  requestOf("SIGN_RAW_PAYLOADS", {
    signWith: "x",
    encoding: PayloadEncoding.EIP712,
    payloads: changes.map((change) => typedPayloadOf(change)),
  })

t.test("C-1819: the value and the token amounts of every call are counted", async (t) => {
  const callData = callsOf({ to: PAYEE, value: 5n, data: "0x" }, { to: USDC, value: 7n, data })
  const moved = [
    { ...chain, token: "", amount: 5n },
    { ...chain, token: "", amount: 7n },
    { ...chain, token: USDC, amount: 250n },
  ]
  t.same(transfersBy(given({ callData })), moved)
  t.same(
    transfersBy(typed({ callData })).filter(({ amount }) => amount !== undefined),
    moved,
    "as typed data",
  )
  const twice = transfersBy(typed({ callData }, { callData })).filter(({ amount }) => amount !== undefined)
  t.same(twice, [...moved, ...moved], "each of a batch")
  t.same(transfersBy(given({})), [], "no call moves nothing")
})

t.test(
  "W161: calls that cannot be read, or that the account makes of itself, may move everything",
  async (t) => {
    const everything = [
      { ...chain, token: "", amount: undefined },
      { ...chain, token: ANY_TOKEN, amount: undefined },
    ]
    for (const callData of [
      "0x12345678",
      callsOf({ to: USDC, value: 0n, data }).slice(0, -64),
      callsOf({ to: SENDER, value: 0n, data }),
      callsOf({ to: `0x${"00".repeat(20)}`, value: 0n, data }),
    ]) {
      t.match(transfersBy(given({ callData })), everything, callData.slice(0, 10))
      const refusing = () => readingOf(given({ callData }), ["eip155:8453/slip44:60"], "REFUSED")
      t.throws(refusing, { code: "VELOCITY_CONTROL_AMOUNT_UNKNOWN" })
    }
    const own = { factory: PAYEE, factoryData: "0x1234" }
    const [items] = [factsOf({ ...given(own), interfaces: NONE }, ["eth.user_op"])]
    t.match(
      transfersOf(items, () => [SENDER.toUpperCase().replace("X", "x")]),
      everything,
      "a delegate's code",
    )
    t.same(
      transfersOf(items, () => [PAYEE]),
      [],
      "a factory has nothing of the key's accounts",
    )
  },
)

const NONE = { abi: () => undefined, idl: () => undefined }
