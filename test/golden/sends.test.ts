// Limits and costs of sponsorship, and signed transactions, of every released format are read as they were written.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { signerHandlers } from "../../signer/enclave/rpc/index.ts"
import { outcomeOf, valueOf } from "../harness/api-client.ts"
import { hexOf, sentBy, transferOf } from "../harness/sends.ts"
import { COSTLY, limits, SPONSORING } from "../harness/sponsorship.ts"
import { stampWith } from "../harness/stamper.ts"
import { refused } from "../hostile/setup.ts"
import { keyOf, restored } from "./restored.ts"
import type { GoldenSends } from "./sends.ts"

/** One for each released format, never changed once it is here. */
const FILES = ["sends-1.json"]
const SEND = "ACTIVITY_TYPE_ETH_SEND_TRANSACTION"

for (const file of FILES) {
  const golden = JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8")) as GoldenSends
  const { organizationId } = golden
  const root = keyOf(golden.root)

  t.test(`${file}: limits of sponsorship hold, with the costs that were counted`, async (t) => {
    const fixture = await restored(t, golden, SPONSORING)
    const { boundary, client } = fixture
    client.chain = () => COSTLY
    const usage = () => signerHandlers.readGasUsage({ organizationId } as never, boundary.signer)
    t.match(await usage(), {
      windowDurationMinutes: 120,
      windowLimitMicroUsd: BigInt(golden.limitMicroUsd),
      usageMicroUsd: BigInt(golden.usedMicroUsd),
    })
    const attempt = () => {
      const body = client.body(SEND, organizationId, transferOf(golden, { sponsor: true }))
      return client.offer(body, stampWith(root, body))
    }
    await refused(t, fixture, "SPONSORSHIP_LIMIT_EXCEEDED", attempt)
    // The first of the two costs leaves the window.
    await boundary.pass(61 * 60_000)
    t.match(await usage(), { usageMicroUsd: BigInt(golden.usedMicroUsd) / 2n })
    t.match(await attempt(), { is: "outcome" })
  })

  t.test(`${file}: a changed configuration keeps its id`, async (t) => {
    const { client } = await restored(t, golden, SPONSORING)
    const type = "ACTIVITY_TYPE_UPSERT_GAS_USAGE_CONFIG"
    const outcome = await client.submit(root, type, organizationId, limits("1000"))
    t.equal(valueOf(outcome, "upsertGasUsageConfigResult").gasUsageConfigId, golden.gasUsageConfigId)
  })

  t.test(`${file}: a send that was not acknowledged returns the bytes that it signed`, async (t) => {
    const { client } = await restored(t, golden, SPONSORING)
    const outcome = outcomeOf(await client.send(golden.unacknowledgedBody, root))
    t.equal(hexOf(sentBy(outcome).raw), golden.raw)
  })
}
