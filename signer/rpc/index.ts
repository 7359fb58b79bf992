import { create, toBinary } from "@bufbuild/protobuf"
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
import type { RefusalName } from "../refusal.ts"
import { TurnQueue } from "../turn-queue.ts"
import { acceptClock } from "./accept-clock.ts"
import type { SignerContext } from "./context.ts"
import { createSetupCode } from "./create-setup-code.ts"
import { execute } from "./execute.ts"
import { getOrganizationHead } from "./get-organization-head.ts"
import { getPins } from "./get-pins.ts"
import { getStatus } from "./get-status.ts"
import { readArchive } from "./read-archive.ts"
import { MAX_MESSAGE_BYTES } from "./limits.ts"
import { recover } from "./recover.ts"

/** Orders handled before the loop is given back. */
const ORDERS_PER_TURN = 2

/** Orders that may wait for their turn; what is beyond is told to come again. */
const MAX_WAITING_ORDERS = 4096

/** Documents from this size on are worth measuring. */
const LARGE_BYTES = 1024 * 1024

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

const queue = new TurnQueue(ORDERS_PER_TURN, MAX_WAITING_ORDERS)

/** When the caller has said all, what he asked is still answered before the stream ends. */
function serveExecute(stream: BidiStream<ExecuteRequest, ExecuteResponse>, context: SignerContext): void {
  let unanswered = 0
  let isEnded = false
  const answer = async (request: ExecuteRequest) => {
    const response = await executeSafely(request, context)
    if (response !== undefined) stream.send(response)
    unanswered -= 1
    if (isEnded && unanswered === 0) stream.end()
  }
  stream.onMessage((request) => {
    const isTaken = queue.push(() => void answer(request))
    if (isTaken) unanswered += 1
    else stream.send(refusal(request.id, "SIGNER_BUSY", "too many orders wait; send the same body again"))
  })
  stream.onEnd(() => {
    isEnded = true
    if (unanswered === 0) stream.end()
  })
}

/** Whatever went wrong inside, the caller learns only that it did. An answer that no message holds is none. */
async function executeSafely(
  request: ExecuteRequest,
  context: SignerContext,
): Promise<ExecuteResponse | undefined> {
  try {
    const response = await execute(request, context)
    if (response === undefined || !mayBeLarge(response)) return response
    const isTooLarge = toBinary(ExecuteResponseSchema, response).length > MAX_MESSAGE_BYTES
    return isTooLarge
      ? refusal(request.id, "REQUEST_TOO_LARGE", "the answer would be too large: ask for less")
      : response
  } catch (error) {
    log("error", "an order failed", errorFields(error))
    return refusal(request.id, "INTERNAL", "internal error")
  }
}

/** Only answers with lists can grow; measuring every signature's would cost as much as sending it. */
function mayBeLarge({ answer }: ExecuteResponse): boolean {
  if (answer.case !== "outcome") return false
  const { records, document, result } = answer.value
  return (
    records.length > 100 || document.length > LARGE_BYTES || result?.result.case === "signRawPayloadsResult"
  )
}

function refusal(id: bigint, code: RefusalName, sentence: string): ExecuteResponse {
  const value = { code: RefusalCode[code], sentence }
  return create(ExecuteResponseSchema, { id, answer: { case: "refused", value } })
}
