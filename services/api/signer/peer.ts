import type { DescService } from "@bufbuild/protobuf"
import { credentials, type ServiceError } from "@grpc/grpc-js"
import { clientFor, type RpcClient } from "../../../proto/grpc.ts"
import { isRefusalName, Refusal } from "../../../signer/core/refusal.ts"
import type { Peer } from "../config.ts"
import { unavailable } from "../errors.ts"

/** Pages of outcomes and archives are the largest messages. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024

/** A process that was restarted is found again within two seconds, and one over a network is known to be gone. */
const channel = {
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 2000,
  "grpc.keepalive_time_ms": 30_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
}

/**
 * The wire to one of the trusted processes: a unix socket, whose directory says who may use it, or mutual TLS.
 *
 * @param deadlineMs of unary calls
 */
export function connectPeer<S extends DescService>(
  service: S,
  name: string,
  { address, tls }: Peer,
  deadlineMs: number,
): RpcClient<S> {
  const isLocal = address.startsWith("unix:")
  const trust = tls && credentials.createSsl(tls.ca, tls.key, tls.certificate)
  if (!isLocal && trust === undefined)
    throw new Error(`a ${name} at host:port is only spoken to over mutual TLS`)
  return clientFor(service, {
    address,
    credentials: isLocal || trust === undefined ? credentials.createInsecure() : trust,
    deadlineMs,
    channel,
  })
}

/** A refusal is passed on as what it is; whatever else a unary call fails with, one can only come again. */
export async function told<Reply>(call: Promise<Reply>, otherwise: string): Promise<Reply> {
  try {
    return await call
  } catch (cause) {
    throw refusalOf(cause as ServiceError) ?? unavailable(otherwise, cause)
  }
}

function refusalOf(error: ServiceError): Refusal | undefined {
  const name = String(error.metadata?.get("countersign-refusal")[0] ?? "")
  return isRefusalName(name) ? new Refusal(name, error.details, { cause: error }) : undefined
}
