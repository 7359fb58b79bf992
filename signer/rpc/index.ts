import { create } from "@bufbuild/protobuf"
import { HealthCheckResponse_ServingStatus, type Health } from "../../proto/gen/grpc/health/v1/health_pb.ts"
import type { OperatorService } from "../../proto/gen/countersign/signer/v1/operator_pb.ts"
import {
  type ExecuteRequest,
  type ExecuteResponse,
  ExecuteResponseSchema,
  type SignerService,
} from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RefusalCode } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import type { BidiStream, Handlers } from "../../proto/grpc.ts"
import { errorFields, log } from "../log.ts"
import { TurnQueue } from "../turn-queue.ts"
import { acceptClock } from "./accept-clock.ts"
import type { SignerContext } from "./context.ts"
import { createSetupCode } from "./create-setup-code.ts"
import { execute } from "./execute.ts"
import { getOrganizationHead } from "./get-organization-head.ts"
import { getPins } from "./get-pins.ts"
import { getStatus } from "./get-status.ts"
import { readArchive } from "./read-archive.ts"
import { recover } from "./recover.ts"

/** Orders handled before the loop is given back. */
const ORDERS_PER_TURN = 2

/** All that the API tier can call. */
export const signerHandlers: Handlers<typeof SignerService, SignerContext> = {
  execute: (stream, context) => serveExecute(stream, context),
  recover,
  readArchive,
  getOrganizationHead,
  getPins,
}

/** All that the operator can call. */
export const operatorHandlers: Handlers<typeof OperatorService, SignerContext> = {
  createSetupCode,
  acceptClock,
  getStatus,
}

export const healthHandlers: Handlers<typeof Health, SignerContext> = {
  async check(_request, context) {
    const { SERVING, NOT_SERVING } = HealthCheckResponse_ServingStatus
    return { status: context.phase().name === "ready" ? SERVING : NOT_SERVING }
  },
}

const queue = new TurnQueue(ORDERS_PER_TURN)

function serveExecute(stream: BidiStream<ExecuteRequest, ExecuteResponse>, context: SignerContext): void {
  stream.onMessage((request) => {
    queue.push(() => {
      execute(request, context).then(
        (response) => response && stream.send(response),
        (error: unknown) => {
          log("error", "an order failed", errorFields(error))
          stream.send(failed(request.id))
        },
      )
    })
  })
  stream.onEnd(() => stream.end())
}

/** Whatever went wrong inside, the caller learns only that it did. */
function failed(id: bigint): ExecuteResponse {
  const value = { code: RefusalCode.INTERNAL, sentence: "internal error" }
  return create(ExecuteResponseSchema, { id, answer: { case: "refused", value } })
}
