import { recoverAuthorizationAddress } from "viem/utils"
import t from "tap"
import { decodeFunctionData, type Hex, parseAbi, recoverTypedDataAddress } from "viem"
import { operatorHandlers } from "../../../../../signer/enclave/rpc/index.ts"
import {
  CHAIN,
  FILL,
  OTHER,
  readSent,
  send,
  sentBy,
  setupSends,
  TO,
  transferOf,
} from "../../../../harness/sends.ts"
import { DELEGATE, EXECUTION_TYPES, readPacked, STATION } from "../../../../harness/gas-station.ts"
import { limits, SPONSORING } from "../../../../harness/sponsorship.ts"
import { allow, deny, setupMembers } from "../../../../hostile/consensus-fixture.ts"
import { asRoot, refused } from "../../../../hostile/setup.ts"

const STATION_CALLS = parseAbi([
  "struct Call { address to; uint256 value; bytes data; }",
  "function execute(address target, address to, uint256 ethAmount, bytes packed)",
  "function executeBatch(address target, Call[] calls, bytes packed)",
])

t.test("the paymaster sends the one call that the sender has authorized, and pays", async (t) => {
  for (const isDelegated of [true, false]) {
    const fixture = await setupSends(t, SPONSORING, { ...FILL, isDelegated })
    const { address, boundary } = fixture
    await asRoot(fixture).submit("UPSERT_GAS_USAGE_CONFIG", limits("100"))
    const given = { gasStationNonce: String(2n ** 128n - 1n), maxFeePerGas: "1", nonce: "21" }
    const parameters = transferOf(fixture, { sponsor: true, data: "0xdeadbeef", ...given })
    const sent = sentBy(await send(fixture, parameters))
    const status = await operatorHandlers.getStatus({}, boundary.signer)
    const paymaster = "paymaster" in status ? status.paymaster : ""
    t.match(sent, { account: paymaster, nonce: FILL.paymasterNonce })
    const read = await readSent(sent)
    t.equal(read.from.toLowerCase(), paymaster, "which the operator's status names")
    t.match(read, {
      to: STATION.toLowerCase(),
      nonce: 11,
      gas: FILL.gasLimit,
      maxFeePerGas: FILL.maxFeePerGas,
    })
    t.equal(read.value ?? 0n, 0n)
    const { functionName, args } = decodeFunctionData({ abi: STATION_CALLS, data: read.data! })
    if (functionName !== "execute") return t.fail(functionName)
    t.strictSame(args.slice(0, 3), [address, TO, 5n])
    const { nonce, deadline, signature, rest } = readPacked(args[3])
    t.strictSame([nonce, rest], [2n ** 128n - 1n, "0xdeadbeef"])
    const signer = await recoverTypedDataAddress({
      domain: { name: "TKGasDelegate", version: "1", chainId: 8453, verifyingContract: address as Hex },
      types: EXECUTION_TYPES,
      primaryType: "Execution",
      message: { nonce, deadline, to: TO, value: 5n, data: "0xdeadbeef" },
      signature,
    })
    t.equal(signer, address)
    t.equal(read.type, isDelegated ? "eip1559" : "eip7702")
    if (read.type !== "eip7702") continue
    const [authorization, ...others] = read.authorizationList ?? []
    t.strictSame(others, [])
    t.match(authorization, { address: DELEGATE.toLowerCase(), chainId: 8453, nonce: 21 }, "the body's nonce")
    t.equal(await recoverAuthorizationAddress({ authorization: authorization! }), address)
  }
})

t.test("the paymaster sends several calls as one batch", async (t) => {
  const fixture = await setupSends(t, SPONSORING)
  const { address } = fixture
  await asRoot(fixture).submit("UPSERT_GAS_USAGE_CONFIG", limits("100"))
  const calls = [
    { to: TO, value: "7" },
    { to: OTHER, data: "0xdeadbeef" },
  ]
  const parameters = { from: address, caip2: CHAIN, sponsor: true, calls }
  const read = await readSent(sentBy(await send(fixture, parameters, "ETH_SEND_TRANSACTION_V2")))
  const { functionName, args } = decodeFunctionData({ abi: STATION_CALLS, data: read.data! })
  if (functionName !== "executeBatch") return t.fail(functionName)
  const [target, batch, packed] = args
  t.equal(target, address)
  const { nonce, deadline, signature, rest } = readPacked(packed)
  t.equal(rest, "0x")
  const signer = await recoverTypedDataAddress({
    domain: { name: "TKGasDelegate", version: "1", chainId: 8453, verifyingContract: address as Hex },
    types: EXECUTION_TYPES,
    primaryType: "BatchExecution",
    message: { nonce, deadline, calls: batch },
    signature,
  })
  t.equal(signer, address)
})

t.test("policies see a sponsored call at no fee", async (t) => {
  const fixture = await setupMembers(t, SPONSORING)
  const { client, acme, dan } = fixture
  client.chain = () => FILL
  await asRoot(fixture).submit("UPSERT_GAS_USAGE_CONFIG", limits("100"))
  const attempt = (more: object = {}) => {
    const parameters = transferOf(fixture, { sponsor: true, ...more })
    return client.send(
      client.body("ACTIVITY_TYPE_ETH_SEND_TRANSACTION", acme.organizationId, parameters),
      dan.key,
    )
  }
  const free = "eth.tx.gas == 0 && eth.tx.gas_price == 0 && eth.tx.max_fee_per_gas == 0"
  await allow(fixture, {
    condition: `${free} && eth.tx.max_priority_fee_per_gas == 0 && eth.tx.to == '${TO.toLowerCase()}'`,
  })
  t.match(await attempt(), { is: "outcome" })
  await refused(t, fixture, "PERMISSION_DENIED", () => attempt({ sponsor: false }), "the sender pays")
  await deny(fixture, { condition: "eth.tx.value == 5" })
  await refused(t, fixture, "PERMISSION_DENIED", () => attempt())
})

t.test("nothing is sponsored without contracts, price and limits", async (t) => {
  const { COUNTERSIGN_SIGNER_NATIVE_PRICES_USD: _, ...unpriced } = SPONSORING
  for (const [code, settings, configured] of [
    ["GAS_STATION_UNCONFIGURED", {}, limits("100")],
    ["SPONSORSHIP_UNPRICED", unpriced, limits("100")],
    ["SPONSORSHIP_DISABLED", SPONSORING, undefined],
    ["SPONSORSHIP_DISABLED", SPONSORING, limits("100", "100", "60", { enabled: false })],
  ] as const) {
    const fixture = await setupSends(t, settings)
    const { submit, attempt } = asRoot(fixture)
    if (configured !== undefined) await submit("UPSERT_GAS_USAGE_CONFIG", configured)
    const parameters = transferOf(fixture, { sponsor: true })
    await refused(t, fixture, code, () => attempt("ETH_SEND_TRANSACTION", parameters))
  }
})
