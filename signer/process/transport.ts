import { chmodSync, mkdirSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { dirname } from "node:path"
import { Metadata, Server, ServerCredentials, status } from "@grpc/grpc-js"
import { RefusalCode } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import type { ServerCall, StatusOf } from "../../proto/grpc.ts"
import type { Listen, SocketAccess } from "./settings.ts"
import { errorFields, log } from "./log.ts"
import { logRefusedCaller, logRefusedHandshakes } from "./refused-callers.ts"
import { RenewedServerCredentials } from "./server-certificate.ts"
import { declarationOf, Refusal, refuse } from "../core/refusal.ts"
import { LOCKED_OR_UNREACHABLE, StartError } from "../core/settings/start-fault.ts"
import { MAX_MESSAGE_BYTES, REFUSAL_METADATA } from "../core/wire.ts"

export function newServer(): Server {
  return new Server({
    "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
    "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
    "grpc.max_concurrent_streams": 1000,
  })
}

/** Time for the calls of connections with a former certificate. A cut-off order is sent again, and none runs twice. */
const FORMER_CONNECTION_MS = 10_000

/** Listens where configured: on a socket file, or on TCP with mTLS. */
export async function listen(server: Server, at: Listen): Promise<void> {
  if (at.kind === "unix") return listenOnSocket(server, at.path, at.access)
  const credentials = new RenewedServerCredentials(at, () => server.drain(at.address, FORMER_CONNECTION_MS))
  await bind(server, at.address, credentials)
  logRefusedHandshakes(server)
}

/** @throws {StartError} when a process answers on the socket; a file that nobody answers on is left of a crash */
export async function listenOnSocket(server: Server, path: string, access?: SocketAccess): Promise<void> {
  const [folderMode, fileMode] = access === "group" ? [0o750, 0o660] : [0o700, 0o600]
  mkdirSync(dirname(path), { recursive: true, mode: folderMode })
  chmodSync(dirname(path), folderMode)
  if (await isAnswered(path))
    throw new StartError(LOCKED_OR_UNREACHABLE, `another process answers on ${path}; stop it first`)
  rmSync(path, { force: true })
  await bind(server, `unix:${path}`, ServerCredentials.createInsecure())
  chmodSync(path, fileMode)
}

/**
 * Checks the caller. On a socket file the directory's mode protects; on TCP the certificate's common name must be on the
 * list of callers.
 * @throws CALLER_UNKNOWN
 */
export function requireCaller(call: ServerCall, at: Listen): void {
  if (at.kind === "unix") return
  const name = call.getAuthContext().sslPeerCertificate?.subject?.CN
  const names = Array.isArray(name) ? name : [name]
  if (names.length === 1 && names[0] !== undefined && at.callers.includes(names[0])) return
  const shown = names.join(", ")
  logRefusedCaller({ name: shown, address: call.getPeer(), reason: "its name is not on the list of callers" })
  throw refuse(
    "CALLER_UNKNOWN",
    `refuses this certificate: its common name "${shown}" is not on the list of callers`,
  )
}

/** The one place where the signer's errors become gRPC statuses. Unknown errors become INTERNAL without their text. */
export const statusOf: StatusOf = (error) => {
  if (!(error instanceof Refusal)) {
    log("error", "a call failed", errorFields(error))
    return { code: status.INTERNAL, details: "internal error" }
  }
  const metadata = new Metadata()
  metadata.set(REFUSAL_METADATA, error.code)
  const code: status = declarationOf(RefusalCode[error.code])?.status ?? status.INTERNAL
  return { code, details: error.message, metadata }
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once("error", () => resolve(false))
    socket.once("connect", () => {
      socket.destroy()
      resolve(true)
    })
  })
}

function bind(server: Server, address: string, credentials: ServerCredentials): Promise<void> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error) => (error ? reject(error) : resolve()))
  })
}
