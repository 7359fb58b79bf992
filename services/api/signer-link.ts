import { credentials, type ServiceError } from "@grpc/grpc-js"
import { SignerService } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { clientFor } from "../../proto/grpc.ts"
import { isRefusalName, Refusal } from "../../signer/refusal.ts"
import type { ClientTls } from "./config.ts"
import { unavailable } from "./errors.ts"
import type { SignerLink } from "./signer.ts"

/** Of unary calls. */
const DEADLINE_MS = 10_000
/** Pages of outcomes and archives are the largest messages. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024

/** A signer that was restarted is found again within two seconds, and one over a network is known to be gone. */
const channel = {
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 2000,
  "grpc.keepalive_time_ms": 30_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
}

/** The wire to the signer: a unix socket, whose directory says who may use it, or mutual TLS. */
export function connectSigner({ address, tls }: { address: string; tls: ClientTls | undefined }): SignerLink {
  const isLocal = address.startsWith("unix:")
  const trust = tls && credentials.createSsl(tls.ca, tls.key, tls.certificate)
  if (!isLocal && trust === undefined)
    throw new Error("a signer at host:port is only spoken to over mutual TLS")
  const { call, close } = clientFor(SignerService, {
    address,
    credentials: isLocal || trust === undefined ? credentials.createInsecure() : trust,
    deadlineMs: DEADLINE_MS,
    channel,
  })
  return {
    open: ({ onResponse, onBroken }) => {
      const stream = call.execute()
      stream.onMessage(onResponse)
      stream.onEnd((error) => onBroken(error ?? new Error("the signer ended the stream")))
      return { write: (request) => void stream.send(request), end: () => stream.end() }
    },
    recover: (organizationId, after) => told(call.recover({ organizationId, after })),
    readArchive: (organizationId, afterRecordId) => told(call.readArchive({ organizationId, afterRecordId })),
    readSession: async (organizationId, sessionPublicKey) => {
      const { records } = await told(
        call.readArchive({ organizationId, afterRecordId: "", sessionPublicKey }),
      )
      return records
    },
    getOrganizationHead: (organizationId, nonce) => told(call.getOrganizationHead({ organizationId, nonce })),
    getPins: () => told(call.getPins({})),
    close,
  }
}

/** A refusal is passed on as what it is; whatever else a unary call fails with, one can only come again. */
async function told<Reply>(call: Promise<Reply>): Promise<Reply> {
  try {
    return await call
  } catch (cause) {
    throw refusalOf(cause as ServiceError) ?? unavailable("the signer cannot be asked now; try again", cause)
  }
}

function refusalOf(error: ServiceError): Refusal | undefined {
  const name = String(error.metadata?.get("countersign-refusal")[0] ?? "")
  return isRefusalName(name) ? new Refusal(name, error.details, { cause: error }) : undefined
}
