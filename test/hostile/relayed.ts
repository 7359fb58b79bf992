import type { FetchedStatement, SignedFetchOrder } from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { stampWith } from "../harness/stamper.ts"
import type { Fixture } from "./setup.ts"

/** One body, and as many orders for it as the API tier asks for. */
export function relayed(
  { client, acme, boundary, fakeFetcher }: Fixture,
  type: string,
  parameters: object,
  records: readonly Uint8Array[] = [],
) {
  boundary.clock.pass(1)
  const body = client.body(`ACTIVITY_TYPE_${type}`, acme.organizationId, parameters)
  const xStamp = stampWith(acme.root, body)
  const context = () => ({ documents: [client.documents.get(acme.organizationId)!], records: [...records] })
  const send = (...fetched: FetchedStatement[]) => client.order(body, xStamp, { ...context(), fetched })
  const order = async (): Promise<SignedFetchOrder> => {
    const answer = await send()
    if (answer.is !== "needed") throw new Error(`the signer asks for nothing: ${answer.is}`)
    return answer.needed.fetchOrders[0] as SignedFetchOrder
  }
  return { send, order, ask: async () => fakeFetcher.fetch(await order()) }
}
