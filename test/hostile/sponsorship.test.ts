// Sponsored sends: limits in the ledger, and what the API tier can do to them.
import t from "tap"
import type { TransactionFill } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { signerHandlers } from "../../signer/enclave/rpc/index.ts"
import { outcomeOf } from "../harness/api-client.ts"
import { STATION } from "../harness/gas-station.ts"
import { FILL, OTHER, readSent, sentBy, setupSends, transferOf } from "../harness/sends.ts"
import { COSTLY, limits, SPONSORING } from "../harness/sponsorship.ts"
import { stampWith } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { allRefused, asRoot, type Fixture, refused } from "./setup.ts"

const TYPE = "ACTIVITY_TYPE_ETH_SEND_TRANSACTION"
const CODE = "SPONSORSHIP_LIMIT_EXCEEDED"

async function sponsored(t: Parameters<typeof setupSends>[0], limit: object) {
  const fixture = await setupSends(t, SPONSORING, COSTLY)
  await asRoot(fixture).submit("UPSERT_GAS_USAGE_CONFIG", limit)
  const attempt = (more: object = {}) =>
    asRoot(fixture).attempt("ETH_SEND_TRANSACTION", transferOf(fixture, { sponsor: true, ...more }))
  return { fixture, attempt }
}

const usageOf = ({ boundary }: Fixture, organizationId: string) =>
  signerHandlers.readGasUsage({ organizationId } as never, boundary.signer)

t.test("B5: sponsored sends cost no more than the limit of the window, at the worst case", async (t) => {
  const { fixture, attempt } = await sponsored(t, limits("500"))
  const { organizationId } = fixture.acme
  for (const usageMicroUsd of [200_000_000n, 400_000_000n]) {
    t.match(await attempt(), { is: "outcome" })
    t.match(await usageOf(fixture, organizationId), { usageMicroUsd, windowLimitMicroUsd: 500_000_000n })
  }
  await refused(t, fixture, CODE, () => attempt())
  const answer = await attempt()
  t.match(answer, {
    sentence: /costs \$200\.00 at most, and \$400\.00 of \$500\.00 are used; it fits at 20\d\d-/,
  })
  await fixture.boundary.restart()
  await refused(t, fixture, CODE, () => attempt(), "after a restart")
  fixture.client.chain = () => ({ ...COSTLY, gasLimit: 50_000n })
  t.match(await attempt(), { is: "outcome" }, "half of it fits")
  fixture.client.chain = () => COSTLY
  await fixture.boundary.pass(61 * 60_000)
  t.match(await usageOf(fixture, organizationId), { usageMicroUsd: 0n, windowDurationMinutes: 60 })
  t.match(await attempt(), { is: "outcome" }, "in the next window")
})

t.test(
  "B5: a gas limit that no node takes is refused before the paymaster signs, whoever names it",
  async (t) => {
    const { fixture, attempt } = await sponsored(t, limits("500"))
    const { client, acme } = fixture
    let counted = 0n
    for (const isDelegated of [true, false]) {
      client.chain = () => ({ ...FILL, isDelegated })
      const answer = await attempt({ gasLimit: "1" })
      const sentence = "sentence" in answer ? answer.sentence : ""
      const least = BigInt(/ with (\d+) to 16777216 gas/.exec(sentence)?.[1] ?? "0")
      for (const gasLimit of [0n, 1n, 21_000n, least - 1n, 2n ** 24n + 1n])
        await refused(
          t,
          fixture,
          "SEND_INVALID",
          () => attempt({ gasLimit: String(gasLimit) }),
          `${gasLimit}`,
        )
      client.chain = () => ({ ...FILL, isDelegated, gasLimit: 1n })
      await refused(t, fixture, "SEND_INVALID", () => attempt(), "of the API tier")
      client.chain = () => ({ ...FILL, isDelegated })
      for (const gasLimit of [least, 2n ** 24n]) {
        const read = await readSent(sentBy(outcomeOf(await attempt({ gasLimit: String(gasLimit) }))))
        t.equal(read.gas, gasLimit)
        const { usageMicroUsd } = (await usageOf(fixture, acme.organizationId)) as { usageMicroUsd: bigint }
        const wei = gasLimit * FILL.maxFeePerGas
        counted += (wei * 2_000_000_000n + 10n ** 18n - 1n) / 10n ** 18n
        t.equal(
          usageMicroUsd,
          counted,
          "the most that the paymaster can pay, and what was refused counts nothing",
        )
      }
    }
  },
)

t.test("B5: the fee that a chain takes for bytes counts for each byte of a sponsored send", async (t) => {
  // A byte costs 0.00001 tokens: two cents.
  const settings = { ...SPONSORING, COUNTERSIGN_SIGNER_BYTE_FEES: "eip155:8453=10000" }
  const fixture = await setupSends(t, settings, FILL)
  await asRoot(fixture).submit("UPSERT_GAS_USAGE_CONFIG", limits("1000000"))
  let counted = 0n
  for (const data of ["0x", `0x${"ab".repeat(1000)}`]) {
    const parameters = transferOf(fixture, { sponsor: true, data })
    const { raw } = sentBy(outcomeOf(await asRoot(fixture).attempt("ETH_SEND_TRANSACTION", parameters)))
    const { usageMicroUsd } = (await usageOf(fixture, fixture.acme.organizationId)) as {
      usageMicroUsd: bigint
    }
    const gas = (FILL.gasLimit * FILL.maxFeePerGas * 2_000_000_000n) / 10n ** 18n
    const bytes = (usageMicroUsd - counted - gas) / 20_000n
    counted = usageMicroUsd
    t.ok(bytes >= raw.length && bytes <= raw.length + 4, `${bytes} bytes of ${raw.length}`)
  }
})

t.test(
  "the use of sponsorship is read without parsing the document again, and of living organizations only",
  async (t) => {
    const { fixture } = await sponsored(t, limits("500"))
    const { boundary, acme } = fixture
    const { organizationId } = acme
    await boundary.restart()
    const { organizations } = boundary.signer.state()
    t.equal(organizations.size, 0)
    for (let reads = 0; reads < 2; reads++) {
      t.match(await usageOf(fixture, organizationId), { windowLimitMicroUsd: 500_000_000n })
      t.equal(organizations.size, 1)
    }
    const unknown = "00000000-0000-4000-8000-000000000000"
    await t.rejects(usageOf(fixture, unknown), { code: "ORGANIZATION_UNKNOWN" })
  },
)

t.test("B5: sends at the same time share one limit", async (t) => {
  const { fixture, attempt } = await sponsored(t, limits("500"))
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, index) => attempt({ value: String(index) })),
  )
  t.strictSame(answers.map(({ is }) => is).toSorted(), [
    "outcome",
    "outcome",
    "refused",
    "refused",
    "refused",
  ])
  t.match(await usageOf(fixture, fixture.acme.organizationId), { usageMicroUsd: 400_000_000n })
})

t.test("A8: a parent's limit covers its sub-organizations, and each has its own", async (t) => {
  const { fixture, attempt } = await sponsored(t, limits("700", "300"))
  const { client, acme } = fixture
  const [one, two] = [await child(client, acme), await child(client, acme)]
  const attemptOf = (of: typeof one) => {
    const body = client.body(TYPE, of.organizationId, transferOf(of, { sponsor: true }))
    return client.send(body, of.root)
  }
  t.match(await attemptOf(one), { is: "outcome" })
  await refused(t, fixture, CODE, () => attemptOf(one), "its own limit")
  t.match(await usageOf(fixture, one.organizationId), {
    usageMicroUsd: 200_000_000n,
    windowLimitMicroUsd: 300_000_000n,
  })
  // Both send at the same time, and the parent has room for one more besides.
  t.strictSame(
    (await Promise.all([attemptOf(two), attempt()])).map(({ is }) => is),
    ["outcome", "outcome"],
  )
  await refused(t, fixture, CODE, () => attempt(), "the parent's limit")
  const three = await child(client, acme)
  await refused(t, fixture, CODE, () => attemptOf(three), "the parent's limit, for a new sub-organization")
  const config = client.body("ACTIVITY_TYPE_UPSERT_GAS_USAGE_CONFIG", one.organizationId, limits("1000000"))
  await refused(
    t,
    fixture,
    "ACTIVITY_CALLER_INVALID",
    () => client.send(config, one.root),
    "no limits of its own",
  )
})

t.test("B5: a changed configuration keeps its id and what was used", async (t) => {
  const { fixture, attempt } = await sponsored(t, limits("200"))
  const idOf = async (limit: object) => {
    const { result } = await asRoot(fixture).submit("UPSERT_GAS_USAGE_CONFIG", limit)
    return result?.result.value as { gasUsageConfigId: string }
  }
  t.match(await attempt(), { is: "outcome" })
  const { gasUsageConfigId } = await idOf(limits("399.999999"))
  await refused(t, fixture, CODE, () => attempt())
  t.strictSame(
    (await idOf(limits("400", "400", "60", { enabled: false }))).gasUsageConfigId,
    gasUsageConfigId,
  )
  await refused(t, fixture, "SPONSORSHIP_DISABLED", () => attempt())
  await idOf(limits("400"))
  await refused(t, fixture, "SPONSORSHIP_DISABLED", () => attempt(), "unchanged where it is not named")
  await idOf(limits("400", "400", "60", { enabled: true }))
  t.match(await attempt(), { is: "outcome" })
  const solana = limits("400", "400", "60", { solanaConfig: { rentPrefundEnabled: true } })
  await refused(t, fixture, "SEND_VALUE_UNUSED", () =>
    asRoot(fixture).attempt("UPSERT_GAS_USAGE_CONFIG", solana),
  )
})

t.test("B5: a window that was shortened and lengthened again counts what it counted before", async (t) => {
  const { fixture, attempt } = await sponsored(t, limits("500", "500", "1440"))
  const set = (minutes: string) =>
    asRoot(fixture).submit("UPSERT_GAS_USAGE_CONFIG", limits("500", "500", minutes))
  const used = async () =>
    ((await usageOf(fixture, fixture.acme.organizationId)) as { usageMicroUsd: bigint }).usageMicroUsd
  t.match(await attempt(), { is: "outcome" })
  await fixture.boundary.pass(30 * 60_000)
  await set("10")
  t.equal(await used(), 0n, "a shorter window has passed")
  t.match(await attempt({ value: "6" }), { is: "outcome" }, "which writes the row")
  await set("1440")
  t.equal(await used(), 400_000_000n)
  await refused(t, fixture, CODE, () => attempt({ value: "7" }))
  // Costs before the window are kept in coarser parts: they leave it late, never early.
  await fixture.boundary.pass((24 * 60 - 31) * 60_000)
  await refused(t, fixture, CODE, () => attempt({ value: "7" }))
  await fixture.boundary.pass(6 * 60 * 60_000)
  t.equal(await used(), 0n)
})

t.test("B5: the API tier swaps neither contracts nor chain of a sponsored send", async (t) => {
  const { fixture } = await sponsored(t, limits("500"))
  const { client, acme } = fixture
  const body = client.body(TYPE, acme.organizationId, transferOf(fixture, { sponsor: true }))
  const xStamp = stampWith(acme.root, body)
  const order = (fill: object) =>
    client.order(body, xStamp, {
      fill: fill as TransactionFill,
      document: client.documents.get(acme.organizationId)!,
    })
  t.match(await order({ ...COSTLY, caip2: "eip155:1" }), { is: "needed" })
  const { isDelegated: _, ...unread } = COSTLY
  const needed = await order(unread)
  t.match(needed, { needed: { fill: { sponsor: true, gasStation: STATION.toLowerCase(), values: [6] } } })
  // No member of a fill names a contract; unknown ones are not read.
  const outcome = outcomeOf(
    await order({ ...COSTLY, isDelegated: false, delegate: OTHER, gasStation: OTHER }),
  )
  const read = await readSent(sentBy(outcome))
  t.notMatch(
    JSON.stringify(read, (_key, value) => (typeof value === "bigint" ? String(value) : value)),
    new RegExp(OTHER.slice(2), "i"),
  )
  t.equal(read.to, STATION.toLowerCase())
})

t.test("D1: no address of the paymaster is a signer of an organization", async (t) => {
  const { fixture } = await sponsored(t, limits("500"))
  const { paymaster } = fixture.boundary.signer.state().keyring
  const attack = (from: string) =>
    asRoot(fixture).attempt("ETH_SEND_TRANSACTION", transferOf(fixture, { from }))
  await allRefused(t, fixture, "SIGN_WITH_UNKNOWN", [paymaster.address], attack)
  const signWith = (from: string) =>
    asRoot(fixture).attempt("SIGN_RAW_PAYLOAD_V2", {
      signWith: from,
      payload: "11".repeat(32),
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      hashFunction: "HASH_FUNCTION_NO_OP",
    })
  await allRefused(t, fixture, "SIGN_WITH_UNKNOWN", [paymaster.address], signWith)
})
