import { create } from "@bufbuild/protobuf"
import {
  type FetchedStatement,
  FetchedStatementSchema,
  FetcherService,
  type SignedFetchOrder,
} from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import type { Peer } from "../config.ts"
import { connectPeer, told } from "./peer.ts"

/** Two documents, each within the fetcher's own five seconds, and some way. */
const DEADLINE_MS = 15_000

/** What this process asks of the fetcher: to carry out what the signer ordered. It can make up neither side. */
export type Fetcher = {
  /** @throws Refusal of the fetcher; ApiError 503 when it cannot be asked */
  fetch(order: SignedFetchOrder): Promise<FetchedStatement>
  close: () => void
}

/** The wire to the fetcher. */
export function connectFetcher(peer: Peer): Fetcher {
  const { call, close } = connectPeer(FetcherService, "fetcher", peer, DEADLINE_MS)
  return {
    async fetch(order) {
      const asked = call.fetch({ order })
      const { statement } = await told(asked, "this needs the fetcher, which cannot be asked now; try again")
      return create(FetchedStatementSchema, { order, ...(statement && { statement }) })
    },
    close,
  }
}
