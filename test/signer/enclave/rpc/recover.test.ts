import { create, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import { RecoveredOutcomeSchema } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { OUTCOMES } from "../../../../signer/enclave/ledger/ledger.ts"
import { outcomeKey } from "../../../../signer/enclave/execution/steps/replay.ts"
import { InProcessBoundary } from "../../../harness/boundary.ts"

const MEGABYTE = 1_000_000
const ORGANIZATION = "00000000-0000-4000-8000-00000000000a"
const OTHER = "00000000-0000-4000-8000-00000000000b"
const KEY = `02${"ab".repeat(32)}`

const voteId = (index: number) => `00000000-0000-7000-8000-${String(index).padStart(12, "0")}`
const fingerprint = (index: number) => index.toString(16).padStart(64, "0")

/** Outcomes as the ledger keeps them, with bodies of this length. */
async function keep(
  boundary: InProcessBoundary,
  indices: readonly number[],
  organizationId: string,
  bytes: number,
) {
  const { ledger } = boundary.signer.state()
  for (const index of indices) {
    const recovered = create(RecoveredOutcomeSchema, {
      outcome: { organizationId, decision: { voteId: voteId(index) } },
      body: new Uint8Array(bytes),
    })
    const key = outcomeKey(organizationId, fingerprint(index), KEY)
    const value = toBinary(RecoveredOutcomeSchema, recovered)
    await ledger.commit([], [{ shard: OUTCOMES, put: [{ kind: "outcome", key, value }] }])
  }
}

/** Pages from the start to the end, as vote ids. */
async function pagesOf(boundary: InProcessBoundary, organizationId = ""): Promise<string[][]> {
  const pages: string[][] = []
  let after = ""
  for (;;) {
    const { outcomes, more } = await boundary.recover(organizationId, after)
    const ids = outcomes.map(({ outcome }) => outcome?.decision?.voteId ?? "")
    pages.push(ids)
    if (!more) return pages
    after = ids.at(-1)!
  }
}

t.test("large outcomes come in pages, in order, and none is lost", async (t) => {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  await keep(boundary, [9, 4, 1, 7, 2, 8, 3, 6, 5], ORGANIZATION, MEGABYTE)
  await keep(boundary, [0, 10], OTHER, 10)
  const nine = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(voteId)
  t.same(await pagesOf(boundary, ORGANIZATION), [nine.slice(0, 4), nine.slice(4, 8), nine.slice(8)])
  t.same((await pagesOf(boundary)).flat(), [voteId(0), ...nine, voteId(10)])
  t.same(await pagesOf(boundary, ORGANIZATION.toUpperCase()), await pagesOf(boundary, ORGANIZATION))
})

t.test("the cursor passes outcomes that are never acknowledged", async (t) => {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  await keep(boundary, [1, 2, 3, 4, 5], ORGANIZATION, MEGABYTE)
  for (const index of [1, 3]) {
    const acknowledged = { organizationId: ORGANIZATION, fingerprint: Buffer.from(fingerprint(index), "hex") }
    const value = { ...acknowledged, credential: KEY }
    await boundary.acknowledge(value)
  }
  t.same((await pagesOf(boundary)).flat(), [2, 4, 5].map(voteId), "acknowledged outcomes are not returned")
  const { outcomes, more } = await boundary.recover("", voteId(3))
  t.same(
    outcomes.map(({ outcome }) => outcome?.decision?.voteId),
    [4, 5].map(voteId),
    "also after one that is gone",
  )
  t.equal(more, false)
  t.match(await boundary.recover("", voteId(5)), { outcomes: [], more: false })
})

t.test("an outcome larger than a page is a page of its own", async (t) => {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  await keep(boundary, [1], ORGANIZATION, 10)
  await keep(boundary, [2], ORGANIZATION, 5 * MEGABYTE)
  await keep(boundary, [3], ORGANIZATION, 10)
  t.same(await pagesOf(boundary), [[voteId(1)], [voteId(2)], [voteId(3)]])
})
