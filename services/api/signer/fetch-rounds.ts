import type {
  FetchedStatement,
  SignedFetchOrder,
} from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { unavailable } from "../errors.ts"
import type { FetcherClient } from "./fetcher.ts"

/** Rounds of fetching. A second one fetches keys that the first statement was too old for. */
const MAX_ROUNDS = 3

/**
 * Asks the signer to verify a token, and fetches the keys that it orders until it has all of them.
 * @param verify asks the signer, with the statements fetched so far
 * @throws Refusal of signer and fetcher; ApiError 503
 */
export async function verifyWithFetched(
  verify: (fetched: FetchedStatement[]) => Promise<{ fetchOrders: SignedFetchOrder[] }>,
  fetcher: Pick<FetcherClient, "fetch">,
): Promise<void> {
  const fetched: FetchedStatement[] = []
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { fetchOrders } = await verify(fetched)
    if (fetchOrders.length === 0) return
    fetched.push(...(await Promise.all(fetchOrders.map((order) => fetcher.fetch(order, "")))))
  }
  throw unavailable("the service could not load the keys of the token's issuer; try again")
}
