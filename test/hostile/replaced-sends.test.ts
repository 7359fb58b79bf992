// Replacements and cancellations of waiting sends, under a hostile API tier and under policies.
import t from "tap"
import { outcomeOf, valueOf } from "../harness/api-client.ts"
import { decodeFunctionData, getAddress, parseAbi, recoverTypedDataAddress } from "viem"
import { planEthereumSend } from "../../signer/core/send/ethereum-plan.ts"
import { readCancellation } from "../../signer/core/send/replacement.ts"
import { readConfig } from "../../signer/enclave/config.ts"
import { EXECUTION_TYPES, readPacked, STATIONS } from "../harness/gas-station.ts"
import { CHAIN, FILL, hexOf, readSent, send, sentBy, setupSends, TO, transferOf } from "../harness/sends.ts"
import { limits, SPONSORING } from "../harness/sponsorship.ts"
import { stampWith } from "../harness/stamper.ts"
import { transfers } from "../harness/velocity.ts"
import { wordsOf } from "../signer/core/words/reading.ts"
import { allow, deny, setupMembers } from "./consensus-fixture.ts"
import { asRoot, type Fixture, refused } from "./setup.ts"

const REPLACE = "ETH_REPLACE_TRANSACTION"
const CANCEL = "ETH_CANCEL_TRANSACTION"
const OWN_BATCH = "function executeBatch((address to, uint256 value, bytes data)[] calls, bytes packed)"

/** Parameters of a replacement of what the fixture's account sends. */
async function waitingSend(fixture: Fixture, more: object = {}) {
  const sent = sentBy(await send(fixture, transferOf(fixture, more)))
  return { sent, parameters: inPlaceOf(fixture, sent) }
}

function inPlaceOf({ address }: Fixture, { raw, nonce }: { raw: Uint8Array; nonce: bigint }) {
  return {
    from: address,
    caip2: CHAIN,
    nonce: String(nonce),
    signedTransaction: hexOf(raw),
    gasLimit: "95000",
    maxFeePerGas: "2200000000",
    maxPriorityFeePerGas: "1100000",
  }
}

t.test("W35: a replacement is signed from the stamped body, whatever the API tier names", async (t) => {
  const fixture = await setupSends(t)
  const { client, acme } = fixture
  const { parameters } = await waitingSend(fixture)
  const document = client.documents.get(acme.organizationId)!
  const fill = { ...FILL, nonce: 99n, gasLimit: 1n, maxFeePerGas: 5n, maxPriorityFeePerGas: 4n }
  const signed = async (type: string) => {
    const body = client.body(`ACTIVITY_TYPE_${type}`, acme.organizationId, parameters)
    const outcome = outcomeOf(await client.order(body, stampWith(acme.root, body), { document, fill }))
    return readSent(sentBy(outcome))
  }
  const named = { nonce: 7, gas: 95_000n, maxFeePerGas: 2_200_000_000n, maxPriorityFeePerGas: 1_100_000n }
  const from = fixture.address
  t.match(await signed(REPLACE), { ...named, from, chainId: 8453, to: TO.toLowerCase(), value: 5n })
  const cancelled = await signed(CANCEL)
  t.match(cancelled, { ...named, from, to: from.toLowerCase() })
  t.strictSame([cancelled.value ?? 0n, cancelled.data ?? "0x"], [0n, "0x"])
})

t.test("W35: only bytes that the account signed with this nonce are replaced", async (t) => {
  const fixture = await setupSends(t)
  const { parameters } = await waitingSend(fixture)
  const walletName = "Other"
  const accounts = [
    {
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/44'/60'/0'/0/9",
      addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    },
  ]
  const other = await asRoot(fixture).submit("CREATE_WALLET", { walletName, accounts })
  const [from] = valueOf(other, "createWalletResult").addresses
  for (const type of [REPLACE, CANCEL]) {
    const attempt = (more: object) => () => asRoot(fixture).attempt(type, { ...parameters, ...more })
    await refused(t, fixture, "SEND_REPLACED_MISMATCH", attempt({ from }), "another account of ours")
    await refused(t, fixture, "SEND_REPLACED_MISMATCH", attempt({ nonce: "8" }), "another nonce")
    await refused(t, fixture, "SEND_CHAIN_MISMATCH", attempt({ caip2: "eip155:1" }), "another chain")
    await refused(t, fixture, "SEND_FEE_TOO_LOW", attempt({ maxFeePerGas: "2199999999" }), "a low fee")
    await refused(t, fixture, "SEND_FEE_OVER_CAP", attempt({ maxFeePerGas: "9000000000000" }), "over the cap")
  }
})

t.test("W35: a sponsored send is the paymaster's, and no user replaces it", async (t) => {
  const fixture = await setupSends(t, SPONSORING)
  await asRoot(fixture).submit("UPSERT_GAS_USAGE_CONFIG", limits("10000"))
  const sent = sentBy(await send(fixture, transferOf(fixture, { sponsor: true })))
  const parameters = inPlaceOf(fixture, sent)
  for (const type of [REPLACE, CANCEL]) {
    const attempt = () => asRoot(fixture).attempt(type, parameters)
    await refused(t, fixture, "SEND_REPLACED_MISMATCH", attempt, type)
    const own = () => asRoot(fixture).attempt(type, { ...parameters, from: sent.account })
    await refused(t, fixture, "SIGN_WITH_UNKNOWN", own, "the paymaster is no account of an organization")
  }
})

t.test(
  "W35: policies read a replacement as they read its send, and a cancellation as nothing sent to oneself",
  async (t) => {
    const fixture = await setupMembers(t)
    const { client, acme, dan, address } = fixture
    client.chain = () => FILL
    const { parameters } = await waitingSend(fixture)
    const attempt = (type: string) => {
      const body = client.body(`ACTIVITY_TYPE_${type}`, acme.organizationId, parameters)
      return client.offer(body, stampWith(dan.key, body))
    }
    for (const type of [REPLACE, CANCEL])
      await refused(t, fixture, "PERMISSION_DENIED", () => attempt(type), "nothing allows it")
    await allow(fixture)
    const shared = [
      "activity.kind == 'ETH_SEND_TRANSACTION'",
      "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'",
      `eth.tx.from == '${address}'`,
      `wallet_account.address == '${address}'`,
      "eth.tx.chain_id == 8453",
      "eth.tx.nonce == 7",
      "eth.tx.gas == 95000",
      "eth.tx.max_fee_per_gas == 2200000000",
      "eth.tx.type == 'TYPE_2'",
    ]
    const own = {
      [REPLACE]: [`eth.tx.to == '${TO.toLowerCase()}'`, "eth.tx.value == 5", "eth.tx.data == '0x'"],
      [CANCEL]: [`eth.tx.to == '${address.toLowerCase()}'`, "eth.tx.value == 0", "eth.tx.data == '0x'"],
    }
    for (const [type, conditions] of Object.entries(own))
      for (const condition of [...shared, ...conditions]) {
        const policyId = await deny(fixture, { condition })
        await refused(t, fixture, "PERMISSION_DENIED", () => attempt(type), `${type}: ${condition}`)
        await asRoot(fixture).submit("DELETE_POLICY", { policyId })
      }
    t.match(await attempt(REPLACE), { is: "outcome" })
    t.match(await attempt(CANCEL), { is: "outcome" })
  },
)

t.test(
  "W35: a velocity control counts a replacement like a send of its own, and a cancellation as nothing",
  async (t) => {
    const fixture = await setupMembers(t)
    const { client, acme, dan } = fixture
    client.chain = () => FILL
    const { parameters } = await waitingSend(fixture, { value: String(10n ** 18n) })
    const base = [{ caip19: `${CHAIN}/slip44:60`, decimals: "18" }]
    await asRoot(fixture).submit("CREATE_VELOCITY_CONTROL", transfers(base))
    await allow(fixture, { condition: "controls.spent" })
    const attempt = (type: string, gasLimit: string) => {
      const body = client.body(`ACTIVITY_TYPE_${type}`, acme.organizationId, { ...parameters, gasLimit })
      return client.offer(body, stampWith(dan.key, body))
    }
    t.match(await attempt(REPLACE, "95001"), { is: "outcome" }, "1 of 1.5")
    await refused(t, fixture, "VELOCITY_CONTROL_EXCEEDED", () => attempt(REPLACE, "95002"))
    t.match(await attempt(CANCEL, "95003"), { is: "outcome" }, "nothing more is sent")
  },
)

t.test(
  "W35: a cancelled batch ends with its nonce of the delegate, and words say what is cancelled",
  async (t) => {
    const fixture = await setupSends(t, STATIONS)
    const calls = [{ to: TO, value: "7" }, { to: TO }]
    const batch = { from: fixture.address, caip2: CHAIN, calls }
    const cancelledFacts = async (isDelegated: boolean) => {
      fixture.client.chain = () => ({ ...FILL, isDelegated })
      const sent = sentBy(await send(fixture, batch, "ETH_SEND_TRANSACTION_V2"))
      const { data, ...read } = await readSent(sent)
      const delegations = read.type === "eip7702" ? (read.authorizationList ?? []) : []
      const { args } = decodeFunctionData({ abi: parseAbi([OWN_BATCH]), data: data! })
      const { nonce, deadline, signature } = readPacked(args[1])
      const signer = await recoverTypedDataAddress({
        domain: {
          name: "TKGasDelegate",
          version: "1",
          chainId: 8453,
          verifyingContract: getAddress(fixture.address),
        },
        types: EXECUTION_TYPES,
        primaryType: "BatchExecution",
        message: { nonce, deadline, calls: args[0] },
        signature,
      })
      t.equal(signer, fixture.address, "the calls are valid by their own signature")
      t.equal(delegations.length, isDelegated ? 0 : 1)
      const parameters = { ...inPlaceOf(fixture, sent), gasLimit: "200000" }
      fixture.client.chain = () => ({ ...FILL, gasStationNonce: "9", nonce: 70n, isDelegated: !isDelegated })
      const cancelled = await readSent(sentBy(await send(fixture, parameters, CANCEL)))
      const own = cancelled.type === "eip7702" ? (cancelled.authorizationList ?? []) : []
      t.match(
        own.map(({ address, nonce: used }) => [address, used]),
        delegations.map(({ address, nonce: used }) => [address, used]),
        "the same change of delegation",
      )
      t.match(cancelled, { nonce: 7, gas: 200_000n, to: fixture.address.toLowerCase() })
      const ending = decodeFunctionData({ abi: parseAbi([OWN_BATCH]), data: cancelled.data! }).args
      t.match(ending[0], [{ to: fixture.address, value: 0n, data: "0x" }])
      t.equal(ending[0].length, 1)
      const packed = readPacked(ending[1])
      t.equal(packed.nonce, nonce, "the delegate runs only one of the two")
      const ender = await recoverTypedDataAddress({
        domain: {
          name: "TKGasDelegate",
          version: "1",
          chainId: 8453,
          verifyingContract: getAddress(fixture.address),
        },
        types: EXECUTION_TYPES,
        primaryType: "BatchExecution",
        message: { nonce, deadline: packed.deadline, calls: ending[0] },
        signature: packed.signature,
      })
      t.equal(ender, fixture.address)
      const low = { ...parameters, gasLimit: "60000" }
      await refused(t, fixture, "SEND_INVALID", () => asRoot(fixture).attempt(CANCEL, low), "too little gas")
      const { contents, sentence } = wordsOf(CANCEL, parameters)
      const time = new Date(deadline * 1000).toISOString().slice(0, 19).replace("T", " ")
      const warnings = contents[0]?.warnings.join(" ") ?? ""
      t.match(sentence, /cancel transaction 0x[0-9a-f]{64} with nonce 7 and its 2 calls: send .* to 0x7099/i)
      t.match(warnings, "both use nonce 3 of the delegate contract")
      t.match(warnings, `If this one reverts, anyone who has its bytes can run them until ${time} UTC`)
      return contents[0]?.facts ?? []
    }
    for (const isDelegated of [true, false])
      t.match(
        (await cancelledFacts(isDelegated)).filter(({ name }) => name.startsWith("Cancelled call 1")),
        [{ name: "Cancelled call 1 › To" }, { name: "Cancelled call 1 › Amount" }],
      )
    const plain = sentBy(await send(fixture, transferOf(fixture)))
    const [content] = wordsOf(CANCEL, inPlaceOf(fixture, plain)).contents
    t.notMatch(
      content?.warnings.join(" "),
      /without its nonce/,
      "nothing of a plain send is valid without it",
    )
  },
)

t.test("W35: a batch of another delegate is not cancelled by the operator's", async (t) => {
  const fixture = await setupSends(t, STATIONS, { ...FILL, isDelegated: false })
  const calls = [{ to: TO, value: "7" }, { to: TO }]
  const batch = { from: fixture.address, caip2: CHAIN, calls }
  const sent = sentBy(await send(fixture, batch, "ETH_SEND_TRANSACTION_V2"))
  const parameters = { ...inPlaceOf(fixture, sent), gasLimit: "200000" }
  const other = { COUNTERSIGN_SIGNER_GAS_STATIONS: `eip155:8453=${TO}/${TO}/TKGasDelegate/1` }
  const { sends } = readConfig(other)
  const { send: cancellation } = readCancellation(parameters)
  const plan = () => planEthereumSend(cancellation, undefined, { settings: sends, paymaster: TO, nowMs: 0 })
  t.throws(plan, { code: "SEND_NOT_REPLACEABLE" })
})

t.test("W35: one stamped replacement is one transaction", async (t) => {
  const fixture = await setupSends(t)
  const { client, acme } = fixture
  const { parameters } = await waitingSend(fixture)
  const document = client.documents.get(acme.organizationId)!
  const body = client.body(`ACTIVITY_TYPE_${REPLACE}`, acme.organizationId, parameters)
  const order = () => client.order(body, stampWith(acme.root, body), { document })
  const [one, other] = [outcomeOf(await order()), outcomeOf(await order())]
  t.same(sentBy(other).raw, sentBy(one).raw)
})
