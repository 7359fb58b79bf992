// The operator's daily caps of sponsorship: whatever tenants set, and however many sub-organizations they make.
import t from "tap"
import { sentBy, setupSends, transferOf } from "../harness/sends.ts"
import { outcomeOf } from "../harness/api-client.ts"
import { COSTLY, limits, SPONSORING } from "../harness/sponsorship.ts"
import { stampWith } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { asRoot, refused } from "./setup.ts"

const TYPE = "ACTIVITY_TYPE_ETH_SEND_TRANSACTION"
const CODE = "SPONSORSHIP_CAP_EXCEEDED"
const HOUR_MS = 60 * 60_000

/** Each send costs 200 dollars; the tenant lets itself spend a million in each minute. */
async function capped(
  t: Parameters<typeof setupSends>[0],
  caps: { topLevel: string; subOrganization?: string },
) {
  const { topLevel, subOrganization } = caps
  const settings = {
    ...SPONSORING,
    COUNTERSIGN_SIGNER_SPONSORED_USD_A_DAY: topLevel,
    ...(subOrganization && { COUNTERSIGN_SIGNER_SPONSORED_USD_A_DAY_SUB_ORGANIZATION: subOrganization }),
  }
  const fixture = await setupSends(t, settings, COSTLY)
  const free = (minutes = "1") =>
    asRoot(fixture).submit("UPSERT_GAS_USAGE_CONFIG", limits("1000000", "1000000", minutes))
  await free()
  let count = 0
  const next = () => ({ sponsor: true, value: String((count += 1)) })
  const attempt = () => asRoot(fixture).attempt("ETH_SEND_TRANSACTION", transferOf(fixture, next()))
  const attemptOf = (of: Awaited<ReturnType<typeof child>>) =>
    fixture.client.send(fixture.client.body(TYPE, of.organizationId, transferOf(of, next())), of.root)
  return { fixture, free, attempt, attemptOf }
}

t.test(
  "B5: a tenant that sets itself any limit spends no more than the operator's cap in a day",
  async (t) => {
    const { fixture, free, attempt } = await capped(t, { topLevel: "500" })
    const { boundary, acme } = fixture
    for (let sends = 0; sends < 2; sends++) t.match(await attempt(), { is: "outcome" })
    await refused(t, fixture, CODE, attempt)
    t.match(await attempt(), {
      sentence: new RegExp(
        `^the operator's daily cap of organization ${acme.organizationId} with its sub-organizations: .* \\$400\\.00 of \\$500\\.00 are used; it fits at 20\\d\\d-`,
      ),
    })
    for (const minutes of ["1", "43200", "10"]) {
      await free(minutes)
      await refused(t, fixture, CODE, attempt, `with a window of ${minutes} minutes`)
    }
    await boundary.restart()
    await refused(t, fixture, CODE, attempt, "after a restart")
    await boundary.pass(23 * HOUR_MS)
    await refused(t, fixture, CODE, attempt, "before the day has passed")
    await boundary.pass(2 * HOUR_MS)
    for (let sends = 0; sends < 2; sends++) t.match(await attempt(), { is: "outcome" }, "on the next day")
    await refused(t, fixture, CODE, attempt, "which has the same cap")
  },
)

t.test(
  "B5: sub-organizations spend their top-level organization's cap, however many there are",
  async (t) => {
    const { fixture, attempt, attemptOf } = await capped(t, { topLevel: "700" })
    const { client, acme, boundary } = fixture
    let spent = 0
    for (let made = 0; made < 8; made++) {
      const answer = await attemptOf(await child(client, acme))
      if (answer.is === "outcome") spent += 1
      else t.match(answer, { is: "refused", code: CODE })
    }
    t.equal(spent, 3, "600 of 700 dollars")
    await refused(t, fixture, CODE, attempt, "the top-level organization itself")
    await boundary.restart()
    const late = await child(client, acme)
    await refused(t, fixture, CODE, () => attemptOf(late), "a new one, after a restart")
  },
)

t.test("B5: a sub-organization has a cap of its own, and leaves the others theirs", async (t) => {
  const { fixture, attempt, attemptOf } = await capped(t, { topLevel: "2000", subOrganization: "300" })
  const { client, acme } = fixture
  const [one, two] = [await child(client, acme), await child(client, acme)]
  t.match(await attemptOf(one), { is: "outcome" })
  await refused(t, fixture, CODE, () => attemptOf(one))
  t.match(await attemptOf(one), {
    sentence: new RegExp(`^the operator's daily cap of sub-organization ${one.organizationId}: `),
  })
  t.match(await attemptOf(two), { is: "outcome" })
  t.match(await attempt(), { is: "outcome" })
})

t.test("B5: one organization's cap is not another's", async (t) => {
  const { fixture, attempt } = await capped(t, { topLevel: "200" })
  t.match(await attempt(), { is: "outcome" })
  await refused(t, fixture, CODE, attempt)
  const other = await setupSends(t, { ...SPONSORING, COUNTERSIGN_SIGNER_SPONSORED_USD_A_DAY: "200" }, COSTLY)
  await asRoot(other).submit("UPSERT_GAS_USAGE_CONFIG", limits("1000000"))
  t.match(await asRoot(other).attempt("ETH_SEND_TRANSACTION", transferOf(other, { sponsor: true })), {
    is: "outcome",
  })
})

t.test(
  "B5: sends at the same time share one cap, and a repeated body is counted and signed once",
  async (t) => {
    const { fixture, attempt } = await capped(t, { topLevel: "500" })
    const { client, acme, boundary } = fixture
    const body = client.body(TYPE, acme.organizationId, transferOf(fixture, { sponsor: true }))
    const xStamp = stampWith(acme.root, body)
    const first = outcomeOf(await client.offer(body, xStamp))
    for (let repeat = 0; repeat < 3; repeat++) {
      if (repeat === 1) await boundary.restart()
      t.same(sentBy(outcomeOf(await client.offer(body, xStamp))), sentBy(first), "the outcome that it had")
    }
    const answers = await Promise.all([attempt(), attempt(), attempt()])
    t.same(answers.map(({ is }) => is).toSorted(), ["outcome", "refused", "refused"], "one more fits")
  },
)

t.test(
  "B5: a cap of 0 sponsors nothing, and fees that the API tier names high use the cap up sooner, not further",
  async (t) => {
    const { fixture, attempt } = await capped(t, { topLevel: "0" })
    await refused(t, fixture, CODE, attempt)
    const large = await capped(t, { topLevel: "450" })
    large.fixture.client.chain = () => ({ ...COSTLY, maxFeePerGas: 2_000_000_000_000n })
    t.match(await large.attempt(), { is: "outcome" })
    await refused(t, large.fixture, CODE, large.attempt)
  },
)
