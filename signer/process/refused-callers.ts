import type { Http2SecureServer } from "node:http2"
import type { Server as GrpcServer } from "@grpc/grpc-js"
import type { TLSSocket } from "node:tls"
import { log } from "./log.ts"

/** A repeated refusal is logged once in this time, with its number. */
const REPEATED_MS = 60_000

/** Refusals that are remembered; beyond them the oldest may be logged again. */
const MAX_REMEMBERED = 100

type Refusal = { name: string | undefined; address: string | undefined; reason: string }

/** The form of an IP address: what it is of a socket file is nobody's. */
const isAddress = (host = "") => /^[\d.]+$|^\[?[\da-f:.]+\]?$/i.test(host)

type Observer = (refusal: Omit<Refusal, "name">) => void

let observe: Observer = () => undefined

/** Has each refusal reported, also repeated ones. The address has no port. The name is not reported: callers choose it. */
export function onRefusedCaller(observer: Observer): void {
  observe = observer
}

const remembered = new Map<string, { sinceMs: number; times: number }>()

/** Logs a refused caller: the name of its certificate, its address, and the reason. */
export function logRefusedCaller({ name, address, reason }: Refusal): void {
  const host = address?.replace(/:\d+$/, "")
  observe({ address: isAddress(host) ? host : undefined, reason })
  const key = JSON.stringify([name, host, reason])
  const nowMs = performance.now()
  const known = remembered.get(key)
  if (known !== undefined && nowMs - known.sinceMs < REPEATED_MS) {
    known.times += 1
    return
  }
  remembered.delete(key)
  remembered.set(key, { sinceMs: nowMs, times: 1 })
  const [oldest] = remembered.keys()
  if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  const shown = name === undefined ? undefined : name.slice(0, 100)
  log("warn", "a caller was refused", { name: shown, address, reason, times: known?.times })
}

/** Name and address of a caller in its handshake: afterwards a refused socket has neither. */
const callers = new WeakMap<TLSSocket, { name?: string; address: string | undefined }>()

/**
 * An option of Node's TLS servers, used to see each handshake before its end. It selects no certificate. Node calls it
 * with the caller's socket as `this` once the caller has named a server, as gRPC clients do.
 */
export function observeHandshake(this: unknown, _server: string, done: (error: null) => void): void {
  // oxlint-disable-next-line no-this-alias
  const socket = this as TLSSocket
  const caller: { name?: string; address: string | undefined } = { address: addressOf(socket) }
  callers.set(socket, caller)
  socket.prependOnceListener("secure", () => {
    const name = socket.getPeerCertificate().subject?.CN
    if (name !== undefined) caller.name = String(name)
  })
  done(null)
}

/** Logs the refused handshakes of a server that listens. */
export function logRefusedHandshakes(server: GrpcServer): void {
  // grpc-js shows its HTTP/2 servers by no public member.
  const { http2Servers } = server as unknown as { http2Servers: Map<Http2SecureServer, unknown> }
  for (const [listening] of http2Servers)
    listening.on("tlsClientError", (error: NodeJS.ErrnoException, socket: TLSSocket) => {
      const caller = callers.get(socket)
      const refusal = refusalOf(socket)
      // A connection that is closed before it says anything, such as a check of the port, refuses nothing.
      if (caller === undefined && refusal === undefined && error.code === "ECONNRESET") return
      const reason = reasonOf(refusal, error.code ?? "unknown")
      logRefusedCaller({ name: caller?.name, address: caller?.address ?? addressOf(socket), reason })
    })
}

/** The code of OpenSSL's refusal of the caller's certificate: Node's types call this text an Error. */
function refusalOf({ authorizationError }: TLSSocket): string | undefined {
  const code: unknown = authorizationError
  return typeof code === "string" ? code : undefined
}

function reasonOf(refusal: string | undefined, code: string): string {
  switch (refusal) {
    case "CERT_HAS_EXPIRED":
      return "its certificate has expired"
    case "CERT_NOT_YET_VALID":
      return "its certificate is not valid yet"
    case "CERT_REVOKED":
      return "its certificate was revoked"
    case "CRL_HAS_EXPIRED":
      return "the list of revoked certificates has expired: issue the next one"
    case "UNABLE_TO_GET_CRL":
      return "there is no list of revoked certificates of its authority"
    case undefined:
      break
    default:
      return `its certificate is not of the authority of callers (${refusal})`
  }
  switch (code) {
    case "ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE":
      return "it showed no certificate"
    case "ECONNRESET":
      return "it ended the handshake: it may refuse this certificate"
    default:
      return `the TLS handshake failed (${code})`
  }
}

const addressOf = ({ remoteAddress, remotePort }: TLSSocket): string | undefined =>
  remoteAddress && `${remoteAddress}:${remotePort}`
