import type { DescService } from "@bufbuild/protobuf"
import { credentials, type ServiceError } from "@grpc/grpc-js"
import type { RpcClient } from "../../../proto/grpc-client.ts"
import { Refusal, type RefusalName } from "../../../signer/core/refusal.ts"
import { MAX_MESSAGE_BYTES, REFUSAL_METADATA } from "../../../signer/core/wire.ts"
import type { Logger } from "../../common/logger.ts"
import { unavailable } from "../errors.ts"
import { PeerTls, type TlsPaths } from "./peer-tls.ts"
import { renewedClient } from "./renewed-client.ts"
import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"

/**
 * An answer of a thousand accounts has 700 KB. With HTTP/2's usual window of 64 KiB it would take a dozen round trips, in
 * which all answers behind it wait.
 */
const WINDOW_BYTES = 4 * 1024 * 1024

/**
 * Finds a restarted process within two seconds. A connection is closed, even an idle one, if its peer sends nothing for eight
 * seconds. Its calls fail, and the next call opens a new connection.
 */
const channelOptions = {
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 2000,
  "grpc.keepalive_time_ms": 4000,
  "grpc.keepalive_timeout_ms": 4000,
  "grpc.keepalive_permit_without_calls": 1,
  "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
  "grpc-node.flow_control_window": WINDOW_BYTES,
}

/** Address of a trusted process: `unix:path`, or `host:port` with certificates. */
export type EndpointSettings = { address: string; tls: TlsPaths | undefined }
export type GrpcEndpoint = { address: string; tls: PeerTls | undefined }

/** @throws {StartError} when a certificate cannot be used */
export function openEndpoint(
  peer: "signer" | "fetcher",
  { address, tls }: EndpointSettings,
  log: Logger,
): GrpcEndpoint {
  return { address, tls: tls && new PeerTls(peer, tls, log) }
}

/**
 * Connects to a trusted process: over a unix socket, protected by its directory's permissions, or by mutual TLS.
 *
 * @param deadlineMs of unary calls
 */
export function connectGrpc<S extends DescService>(
  service: S,
  name: string,
  { address, tls }: GrpcEndpoint,
  deadlineMs: number,
): Pick<RpcClient<S>, "call" | "close"> {
  const isLocal = address.startsWith("unix:")
  if (!isLocal && tls === undefined) throw new Error(`a ${name} at host:port needs mutual TLS`)
  const options = {
    address,
    credentials: isLocal || tls === undefined ? credentials.createInsecure() : tls.credentials(),
    deadlineMs,
    channel: channelOptions,
  }
  const client = renewedClient(service, options)
  tls?.onRenewed(client.renew)
  return client
}

/** Awaits a unary call. A refusal is passed on as a Refusal, any other failure becomes 503 with a sentence. */
export async function orUnavailable<Reply>(call: Promise<Reply>, sentence: string): Promise<Reply> {
  try {
    return await call
  } catch (cause) {
    throw refusalOf(cause as ServiceError) ?? unavailable(sentence, cause)
  }
}

function refusalOf(error: ServiceError): Refusal | undefined {
  const name = String(error.metadata?.get(REFUSAL_METADATA)[0] ?? "")
  return isRefusalName(name) ? new Refusal(name, error.details, { cause: error }) : undefined
}

/** True if a name that came from elsewhere is one of the list. */
function isRefusalName(name: string): name is RefusalName {
  return name !== "UNSPECIFIED" && Object.hasOwn(RefusalCode, name)
}
