import {
  HealthCheckResponse_ServingStatus,
  type Health,
} from "../../../proto/gen/grpc/health/v1/health_pb.ts"
import type { OperatorService } from "../../../proto/gen/countersign/signer/v1/operator_pb.ts"
import type { SignerService } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Handlers } from "../../../proto/grpc.ts"
import { acceptClock } from "./accept-clock.ts"
import type { SignerContext } from "./context.ts"
import { createSetupCode } from "./create-setup-code.ts"
import { serveExecute } from "./execute-stream.ts"
import { getBootProof } from "./get-boot-proof.ts"
import { getOrganizationHead } from "./get-organization-head.ts"
import { getPins } from "./get-pins.ts"
import { getStatus } from "./get-status.ts"
import { probe } from "./probe.ts"
import { readArchive } from "./read-archive.ts"
import { recover } from "./recover.ts"

/** All that the API tier can call. */
export const signerHandlers: Handlers<typeof SignerService, SignerContext> = {
  execute: serveExecute,
  recover,
  readArchive,
  getOrganizationHead,
  getPins,
  getBootProof,
  probe,
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
