import { create } from "@bufbuild/protobuf"
import {
  type FetchedStatement,
  FetchedStatementSchema,
  FetcherService,
  type SignedFetchOrder,
} from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { Health, HealthCheckResponse_ServingStatus } from "../../../proto/gen/grpc/health/v1/health_pb.ts"
import { Refusal } from "../../../signer/core/refusal.ts"
import { inSpan } from "../../common/tracing/tracer.ts"
import { connectGrpc, type GrpcEndpoint, orUnavailable } from "./grpc-client.ts"
import type { LogWitness } from "./witness.ts"

/** Two documents, each within the fetcher's own five seconds, and network time. */
const DEADLINE_MS = 15_000

/** Relays fetch orders that the signer signed. This process can forge neither an order nor a statement. */
export type FetcherClient = {
  /**
   * @param clientAddress address of the end user, "" for none: an on-ramp provider wants it
   * @throws Refusal of the fetcher; ApiError 503 if the fetcher cannot be reached
   */
  fetch(order: SignedFetchOrder, clientAddress: string): Promise<FetchedStatement>
  /** True if the fetcher knows a signer's key. @throws ApiError 503 if the fetcher cannot be reached */
  isPaired(): Promise<boolean>
  /** The fetcher as a witness of the signer's log. */
  witness: LogWitness
  close: () => void
}

/** The gRPC connection to the fetcher. */
export function connectFetcher(endpoint: GrpcEndpoint): FetcherClient {
  const { call, close } = connectGrpc(FetcherService, "fetcher", endpoint, DEADLINE_MS)
  const health = connectGrpc(Health, "fetcher", endpoint, DEADLINE_MS)
  return {
    async fetch(order, clientAddress) {
      const unreachable = "this needs the fetcher, which cannot be reached now; try again"
      const { statement } = await inSpan(
        "order to the fetcher",
        () => orUnavailable(call.fetch({ order, clientAddress }), unreachable),
        "client",
      )
      return create(FetchedStatementSchema, { order, ...(statement && { statement }) })
    },
    async isPaired() {
      const { status } = await orUnavailable(
        health.call.check({}),
        "the fetcher cannot be reached now; try again",
      )
      return status === HealthCheckResponse_ServingStatus.SERVING
    },
    witness: {
      name: "fetcher",
      addCheckpoint: (body) => notRefused(call.addCheckpoint({ body })),
      latestHead: async (origin) => {
        const { note } = await notRefused(call.readCosignedHead({ origin }))
        return note.length === 0 ? undefined : note
      },
    },
    close: () => {
      close()
      health.close()
    },
  }
}

/** A refusal of the fetcher says nothing about the signer: here it is a witness without an answer. */
function notRefused<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    throw error instanceof Refusal ? new Error(error.message) : error
  })
}
