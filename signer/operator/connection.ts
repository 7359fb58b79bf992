import { existsSync } from "node:fs"
import { connect } from "node:net"
import { dirname, join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import type { DescService } from "@bufbuild/protobuf"
import { credentials, status } from "@grpc/grpc-js"
import { clientFor, type RpcClient } from "../../proto/grpc.ts"

/** The signer said no, or nothing. */
export class OperatorFault extends Error {
  readonly exitCode: 3 | 5
  constructor(exitCode: 3 | 5, sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.exitCode = exitCode
  }
}

const DEADLINE_MS = 10_000
const POLL_MS = 20
/** Not "no", but nobody there or nobody able. */
const AWAY: readonly number[] = [status.UNAVAILABLE, status.DEADLINE_EXCEEDED]

/** Makes calls to the signer that listens on this socket, waiting for it that long. */
export async function withService<S extends DescService, T>(
  service: S,
  socketPath: string,
  waitSeconds: number,
  use: (call: RpcClient<S>["call"]) => Promise<T>,
): Promise<T> {
  await untilAnswered(socketPath, waitSeconds)
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

/** Knocks by itself: grpc-js waits a second between attempts. */
async function untilAnswered(path: string, waitSeconds: number): Promise<void> {
  const giveUp = performance.now() + waitSeconds * 1000
  for (;;) {
    const fault = await knock(path)
    if (fault === undefined) return
    if (fault === "EACCES")
      throw new OperatorFault(5, `this user may not open ${path}: only the signer's may`)
    if (fault === "ENOTDIR")
      throw new OperatorFault(5, `${path} lies below a file. Name a directory: COUNTERSIGN_DATA_DIR`)
    if (performance.now() >= giveUp) {
      throw new OperatorFault(5, `no signer answers on ${path} (${fault}). To start it: ${howToStart(path)}`)
    }
    await pause(POLL_MS)
  }
}

/** The development system leaves a mark in its data directory, and starts its signer itself. */
function howToStart(socketPath: string): string {
  const isDevelopment = existsSync(join(dirname(socketPath), "..", "DEVELOPMENT"))
  return isDevelopment ? "npm start" : "npx countersign-signer serve"
}

/** Undefined: somebody listens. */
function knock(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once("connect", () => {
      socket.destroy()
      resolve(undefined)
    })
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })
}

/** What a call rejects with, as the operator is told it. */
function faultOf(error: unknown): unknown {
  const { code, details } = error as { code?: unknown; details?: unknown }
  if (typeof code !== "number" || typeof details !== "string") return error
  return new OperatorFault(AWAY.includes(code) ? 5 : 3, details, { cause: error })
}
