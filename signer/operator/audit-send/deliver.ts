import { once } from "node:events"
import { readFileSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP } from "node:net"
import { hostname } from "node:os"
import { setTimeout as pause } from "node:timers/promises"
import { connect, type TLSSocket } from "node:tls"
import { readRecord } from "../../core/audit/record.ts"
import { syslogFrame } from "../../core/audit/syslog.ts"
import { UsageFault } from "../../core/command-line.ts"
import { counted } from "../../core/counted.ts"

/** A way to a receiver. */
export type Receiver = {
  /** Resolves once the lines count as delivered. @throws Error otherwise: some of them may have been received */
  deliver(lines: readonly string[]): Promise<void>
  close(): void
}

/** Files of a receiver's authority, of an own certificate, and of a token. */
export type ReceiverFiles = {
  ca: string | undefined
  certificate: string | undefined
  key: string | undefined
  token: string | undefined
}

/** Time for one delivery. */
const DELIVERY_MS = 10_000

const SYSLOG_PORT = 6514

/** Time for which a connection must hold after it took the records of a delivery. */
const SETTLED_MS = 2000

/** @throws {UsageFault} */
export function receiverAt(to: string, files: ReceiverFiles, settledMs = SETTLED_MS): Receiver {
  const url = URL.canParse(to) ? new URL(to) : undefined
  const isLocal = url !== undefined && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)
  if (url?.protocol === "syslog+tls:") return new SyslogReceiver(url, files, settledMs)
  if (url?.protocol === "https:" || (isLocal && url.protocol === "http:")) return overHttps(url, files)
  throw new UsageFault(
    `--to ${to}: write syslog+tls://HOST:6514 or https://HOST/PATH; plain HTTP is for this host alone`,
  )
}

/**
 * Syslog acknowledges nothing. Records count as delivered once a connection took them and held for a while; after a loss of the connection
 * all that do not count are sent again. A receiver that drops records on a connection that holds finds the hole in the chain.
 */
class SyslogReceiver implements Receiver {
  readonly #connect: () => TLSSocket
  readonly #settledMs: number
  #socket: TLSSocket | undefined

  constructor(url: URL, files: ReceiverFiles, settledMs: number) {
    const tls = tlsOf(files)
    const host = url.hostname.replace(/^\[|\]$/g, "")
    const servername = isIP(host) === 0 ? { servername: host } : {}
    const port = Number(url.port) || SYSLOG_PORT
    this.#connect = () => connect({ host, port, ...servername, ...tls })
    this.#settledMs = settledMs
  }

  async deliver(lines: readonly string[]): Promise<void> {
    const socket = (this.#socket ??= await opened(this.#connect()))
    const lost = lossOf(socket)
    try {
      await Promise.race([
        written(socket, framesOf(lines)),
        lost,
        late(DELIVERY_MS, "does not take the records"),
      ])
      await Promise.race([pause(this.#settledMs), lost])
    } catch (error) {
      this.close()
      throw error
    }
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }
}

function opened(socket: TLSSocket): Promise<TLSSocket> {
  socket.setKeepAlive(true, 30_000)
  // Nothing is expected, and unread bytes would hide the end of the connection.
  socket.resume()
  const secured = once(socket, "secureConnect").then(() => socket)
  return Promise.race([secured, late(DELIVERY_MS, "does not answer")]).catch((error: unknown) => {
    socket.destroy()
    throw error
  })
}

function written(socket: TLSSocket, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

/** Rejects once the connection is lost, also where nobody waits for it. */
function lossOf(socket: TLSSocket): Promise<never> {
  const lost = new Promise<never>((_, reject) => {
    const fail = (error?: unknown) =>
      reject(error instanceof Error ? error : new Error("the receiver ended the connection"))
    if (socket.destroyed || socket.readableEnded) fail()
    for (const event of ["error", "end", "close"]) socket.once(event, fail)
  })
  lost.catch(() => undefined)
  return lost
}

async function late(ms: number, what: string): Promise<never> {
  await pause(ms, undefined, { ref: false })
  throw new Error(`the receiver ${what} within ${counted(ms / 1000, "second")}`)
}

function framesOf(lines: readonly string[]): string {
  const host = hostname()
  return lines
    .map((line) => {
      const record = readRecord(line)
      return record === undefined ? "" : syslogFrame(line, record, host)
    })
    .join("")
}

function overHttps(url: URL, files: ReceiverFiles): Receiver {
  const request = url.protocol === "https:" ? httpsRequest : httpRequest
  const token = files.token === undefined ? undefined : readFile("--token", files.token).toString().trim()
  const headers = {
    "content-type": "application/x-ndjson",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const tls = tlsOf(files)
  const deliver = (lines: readonly string[]) =>
    new Promise<void>((resolve, reject) => {
      const sent = request(url, { method: "POST", headers, ...tls, timeout: DELIVERY_MS }, (reply) => {
        reply.resume()
        reply.once("error", reject)
        reply.once("end", () => {
          const { statusCode = 0 } = reply
          if (statusCode >= 200 && statusCode < 300) resolve()
          else reject(new Error(`the receiver answered ${statusCode}`))
        })
      })
      sent.once("timeout", () => sent.destroy(new Error("the receiver did not answer in time")))
      sent.once("error", reject)
      sent.end(lines.map((line) => `${line}\n`).join(""))
    })
  return { deliver, close: () => undefined }
}

function tlsOf({ ca, certificate, key }: ReceiverFiles) {
  return {
    minVersion: "TLSv1.2" as const,
    ...(ca !== undefined && { ca: readFile("--ca", ca) }),
    ...(certificate !== undefined && { cert: readFile("--certificate", certificate) }),
    ...(key !== undefined && { key: readFile("--key", key) }),
  }
}

function readFile(option: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new UsageFault(
      `${option} ${path}: the file cannot be read (${(error as NodeJS.ErrnoException).code})`,
    )
  }
}
