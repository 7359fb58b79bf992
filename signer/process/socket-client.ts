import { existsSync } from "node:fs"
import { connect } from "node:net"
import { basename, dirname, join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import type { DescService } from "@bufbuild/protobuf"
import { credentials, status } from "@grpc/grpc-js"
import { LOCKED_OR_UNREACHABLE, REFUSED, StartError } from "../core/settings/start-fault.ts"
import { clientFor, type RpcClient } from "../../proto/grpc-client.ts"

const DEADLINE_MS = 10_000
const POLL_MS = 20
/** Statuses of a signer that is absent or not able to answer; all others are refusals. */
const UNREACHABLE: readonly number[] = [status.UNAVAILABLE, status.DEADLINE_EXCEEDED]

/** Calls the signer or fetcher that listens on the socket; waits up to `waitSeconds` for it to listen. */
export async function withService<S extends DescService, T>(
  service: S,
  socketPath: string,
  waitSeconds: number,
  use: (call: RpcClient<S>["call"]) => Promise<T>,
): Promise<T> {
  await waitUntilListening(socketPath, waitSeconds)
  const client = clientFor(service, {
    address: `unix:${socketPath}`,
    credentials: credentials.createInsecure(),
    deadlineMs: DEADLINE_MS,
  })
  try {
    return await use(client.call)
  } catch (error) {
    throw faultOf(error)
  } finally {
    client.close()
  }
}

/** Polls with plain sockets: grpc-js waits a second between attempts. */
async function waitUntilListening(path: string, waitSeconds: number): Promise<void> {
  const deadlineMs = performance.now() + waitSeconds * 1000
  for (;;) {
    const fault = await tryConnect(path)
    if (fault === undefined) return
    if (fault === "EACCES")
      throw new StartError(LOCKED_OR_UNREACHABLE, `this user may not open ${path}: only its process's may`)
    if (fault === "ENOTDIR")
      throw new StartError(
        LOCKED_OR_UNREACHABLE,
        `${path} is below a file; set COUNTERSIGN_DATA_DIR to a directory`,
      )
    if (performance.now() >= deadlineMs) {
      throw new StartError(
        LOCKED_OR_UNREACHABLE,
        `no ${serverOf(path)} answers on ${path} (${fault}). To start it: ${howToStart(path)}`,
      )
    }
    await pause(POLL_MS)
  }
}

/** The development system starts its signer itself; a file in its data directory marks it. */
function howToStart(socketPath: string): string {
  const isDevelopment = existsSync(join(dirname(socketPath), "..", "DEVELOPMENT"))
  return isDevelopment ? "npm start" : `npx countersign-${serverOf(socketPath)} serve`
}

/** The fetcher's socket for its operator is beside its other one. */
const serverOf = (path: string) => (basename(dirname(path)) === "fetcher" ? "fetcher" : "signer")

/** The fault of a connection attempt; undefined: a process listens. */
function tryConnect(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once("connect", () => {
      socket.destroy()
      resolve(undefined)
    })
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })
}

/** The fault that the operator sees for a failed call. */
export function faultOf(error: unknown): unknown {
  const { code, details } = error as { code?: unknown; details?: unknown }
  if (typeof code !== "number" || typeof details !== "string") return error
  return new StartError(UNREACHABLE.includes(code) ? LOCKED_OR_UNREACHABLE : REFUSED, details, {
    cause: error,
  })
}
