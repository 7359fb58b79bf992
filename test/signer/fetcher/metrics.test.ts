import { create } from "@bufbuild/protobuf"
import t from "tap"
import {
  FetchRequestSchema,
  SignedFetchOrderSchema,
} from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { readFetcherMetrics, runFetchOrder } from "../../../signer/fetcher/fetch.ts"
import { newFetcher } from "../../harness/fetcher.ts"

t.test("the fetcher counts its orders and refusals, and says whether it is paired", async (t) => {
  const fetcher = newFetcher(undefined, Date.now)
  const request = create(FetchRequestSchema, { order: create(SignedFetchOrderSchema) })
  await t.rejects(runFetchOrder(request, fetcher), { code: "FETCHER_NOT_PAIRED" })
  const { paired, refusals, orderSeconds, process } = await readFetcherMetrics({}, fetcher)
  t.equal(paired, false)
  t.same(refusals, [{ code: RefusalCode.FETCHER_NOT_PAIRED, count: 1n }])
  t.equal(
    orderSeconds.counts.reduce((sum, count) => sum + count, 0n),
    1n,
  )
  t.ok(process.uptimeSeconds > 0)
})
