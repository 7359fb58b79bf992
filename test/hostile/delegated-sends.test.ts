// Calls that the pinned delegate runs, and what an API tier gains that has a second signer or names other contracts.
import { cpSync } from "node:fs"
import t from "tap"
import { decodeFunctionData, parseAbi } from "viem"
import { ApiClient, type Fill, outcomeOf } from "../harness/api-client.ts"
import { InProcessBoundary } from "../harness/boundary.ts"
import { DELEGATE, readPacked, STATION, STATIONS } from "../harness/gas-station.ts"
import { CHAIN, FILL, OTHER, readSent, sentBy, setupSends, TO, transferOf } from "../harness/sends.ts"
import { COSTLY, limits, SPONSORING } from "../harness/sponsorship.ts"
import { stampWith } from "../harness/stamper.ts"
import { asRoot, type Fixture } from "./setup.ts"

const ABI = parseAbi([
  "struct Call { address to; uint256 value; bytes data; }",
  "function execute(address target, address to, uint256 ethAmount, bytes packed)",
  "function executeBatch(Call[] calls, bytes packed)",
])

/** A stamped send, and the order that a hostile API tier makes of it with its values at any signer. */
function stamped({ client, acme }: Fixture, parameters: object, version = "") {
  const body = client.body(`ACTIVITY_TYPE_ETH_SEND_TRANSACTION${version}`, acme.organizationId, parameters)
  const xStamp = stampWith(acme.root, body)
  return async (fill: object, at = client) => {
    const document = client.documents.get(acme.organizationId)!
    const read = await readSent(
      sentBy(outcomeOf(await at.order(body, xStamp, { document, fill: fill as Fill }))),
    )
    const { functionName, args } = decodeFunctionData({ abi: ABI, data: read.data! })
    const packed = functionName === "execute" ? args[3] : args[1]
    return { ...read, calls: args, execution: readPacked(packed).nonce }
  }
}

// Named in THREAT_MODEL and not prevented: ledgers that know nothing of each other.
t.test(
  "A6: a second signer with a copy of the ledger signs a sponsored send with a second nonce of the delegate",
  async (t) => {
    const fixture = await setupSends(t, SPONSORING, COSTLY)
    const { boundary } = fixture
    await asRoot(fixture).submit("UPSERT_GAS_USAGE_CONFIG", limits("1000"))
    const second = new InProcessBoundary(boundary.clock, boundary.settings)
    t.teardown(() => second.close())
    await second.restart(() => cpSync(boundary.directory, second.directory, { recursive: true, force: true }))
    const other = new ApiClient(second)
    const onBoth = async (given: object) => {
      const order = stamped(fixture, transferOf(fixture, { sponsor: true, ...given }))
      const there = { ...COSTLY, nonce: 8n, gasStationNonce: "4", paymasterNonce: 12n }
      return [await order(COSTLY), await order(there, other)] as const
    }
    const twins = await onBoth({ nonce: "4" })
    t.match(
      twins,
      [{ execution: 3n }, { execution: 4n }],
      "the account's nonce binds no account that is delegated",
    )
    const [here, there] = await onBoth({ gasStationNonce: "3" })
    t.match([here, there], [{ nonce: 11 }, { nonce: 12 }], "two transactions of the paymaster")
    t.equal(there.execution, here.execution, "and one execution: the delegate takes each nonce once")
    t.same(there.calls, here.calls, "the second signature is the first")
  },
)

t.test("B5: the API tier swaps the delegate of no batch that its sender pays", async (t) => {
  const fixture = await setupSends(t, STATIONS)
  const from = fixture.address.toLowerCase()
  const calls = [
    { to: TO, value: "7" },
    { to: TO, data: "0xdeadbeef" },
  ]
  const batch = { from, caip2: CHAIN, calls }
  // No member of a fill names a contract; unknown ones are not read.
  const foreign = {
    delegate: OTHER,
    gasStation: OTHER,
    station: OTHER,
    authorizationList: [OTHER],
    to: OTHER,
  }
  for (const isDelegated of [true, false]) {
    const read = await stamped(fixture, batch, "_V2")({ ...FILL, ...foreign, isDelegated })
    t.match(read, { from: fixture.address, to: from, chainId: 8453, nonce: 7, execution: 3n })
    const pinned = { address: DELEGATE.toLowerCase(), chainId: 8453, nonce: 8 }
    const delegations = read.type === "eip7702" ? (read.authorizationList ?? []) : []
    t.match(delegations, isDelegated ? [] : [pinned], "this chain, this contract, or no delegation")
    t.equal(delegations.length, isDelegated ? 0 : 1)
    t.notMatch(read.serialized, new RegExp(`${OTHER.slice(2)}|${STATION.slice(2)}`, "i"))
  }
})
