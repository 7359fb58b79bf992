import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import { RecordSchema } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { expireActivities, readArchive } from "../../../../signer/enclave/rpc/reads.ts"
import { ApiClient, ethereumAccount } from "../../../harness/api-client.ts"
import { InProcessBoundary } from "../../../harness/boundary.ts"

/** Enough for two pages, and for rows in overflow shards. */
const ACCOUNTS = 600

const boundary = new InProcessBoundary()
t.teardown(() => boundary.close())
const client = new ApiClient(boundary)
const { organizationId, root } = await client.createOrganization()
for (let start = 0; start < ACCOUNTS; start += 300)
  await client.submit(root, "ACTIVITY_TYPE_CREATE_WALLET", organizationId, {
    walletName: `from ${start}`,
    accounts: Array.from({ length: 300 }, (_, index) => ethereumAccount(start + index)),
  })
const page = (position: { cursor?: string; afterRecordId?: string }) =>
  readArchive(
    { organizationId, afterRecordId: "", activityFingerprints: [], ...position } as never,
    boundary.signer,
  )

/** Turns of the event loop that others have during a call. */
async function turnsDuring(call: () => Promise<unknown>): Promise<number> {
  let turns = 0
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  await call()
  clearImmediate(next)
  return turns
}

const idOf = (bytes: Uint8Array) => fromBinary(RecordSchema, bytes).id

async function allPages(byCursor: boolean) {
  const pages = [await page(byCursor ? { cursor: "" } : {})]
  for (let last = pages[0]!; last.more; last = pages.at(-1)!) {
    const afterRecordId = idOf(last.records.at(-1)!)
    pages.push(await page(byCursor ? { cursor: last.nextCursor, afterRecordId } : { afterRecordId }))
  }
  return pages
}

t.test("pages have every record once, by cursors as by ids", async (t) => {
  const wanted = [...client.records.keys()].toSorted()
  t.ok(wanted.length > ACCOUNTS)
  for (const byCursor of [true, false]) {
    const pages = await allPages(byCursor)
    t.ok(pages.length > 1)
    t.same(pages.flatMap(({ records }) => records.map(idOf)).toSorted(), wanted)
    t.same(
      pages.map(({ document }) => document !== undefined),
      pages.map((_, index) => index === 0),
      "the document is on the first page",
    )
  }
})

t.test("refuses cursors of another form, and does not repeat them", async (t) => {
  for (const cursor of ["x", "/", "#rows-0/../1", "#rows-000/2/\0", `/2/${"a".repeat(37)}`])
    await t.rejects(page({ cursor }), {
      code: "REQUEST_INVALID",
      field: "cursor",
      message: "cursor must be next_cursor of the page before",
    })
})

t.test("after a start an organization's rows are verified in slices", async (t) => {
  const activityFingerprints = Array.from({ length: 500 }, (_, index) => Buffer.alloc(32, index))
  const calls = {
    readArchive: () =>
      readArchive({ organizationId, afterRecordId: "", activityFingerprints } as never, boundary.signer),
    expireActivities: () =>
      expireActivities({ organizationId, activityFingerprints } as never, boundary.signer),
  }
  for (const [name, call] of Object.entries(calls)) {
    await boundary.restart()
    t.ok((await turnsDuring(call)) > 0, name)
  }
})
