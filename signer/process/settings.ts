import { accessSync, constants } from "node:fs"
import { readPublicKeySet } from "../core/crypto/keyset.ts"
import { uncompressP256 } from "../core/crypto/p256.ts"
import { readFetcherKeys } from "../core/fetch-orders/pairing.ts"
import type { Environment, Setting, SettingValues } from "../core/settings/settings.ts"
import {
  invalid,
  optionalText,
  requireServiceAddress,
  requireSocketPath,
  SettingsError,
  shownBy,
} from "../core/settings/settings.ts"
import { startFaultOf } from "../core/settings/start-fault.ts"
import { errorFields, log } from "./log.ts"
import { terminal } from "./terminal.ts"

/** Who may connect to a socket file: its owner alone, or the owner's group too. Others may not. */
export type SocketAccess = "owner" | "group"

/** Address that a server listens at: a unix socket, or TCP with mutual TLS. */
export type Listen =
  | { kind: "unix"; path: string; access: SocketAccess }
  | {
      kind: "tcp"
      address: string
      certificateFile: string
      keyFile: string
      caFile: string
      /** Common names of the certificates that may call. */
      callers: string[]
    }

const TLS_FILES = ["TLS_CERTIFICATE_FILE", "TLS_KEY_FILE", "TLS_CA_FILE"] as const

/** Settings of every process with a server of its own, without prefix. `socket`: where it listens if none is set. */
export function serverSettings(socket: string) {
  return {
    LISTEN: shownBy(listenAddress(socket), (at) => (at.kind === "unix" ? `unix:${at.path}` : at.address)),
    SOCKET_ACCESS: optionalSocketAccess,
    TLS_CERTIFICATE_FILE: optionalText,
    TLS_KEY_FILE: optionalText,
    TLS_CA_FILE: optionalText,
    CALLERS: (text = "api") => text.split(",").map((name) => name.trim()),
  } satisfies { [name: string]: Setting<unknown> }
}

function optionalSocketAccess(text: string | undefined): SocketAccess | undefined {
  if (text === undefined || text === "owner" || text === "group") return text
  throw invalid("must be owner or group")
}

function listenAddress(socket: string): Setting<Address> {
  return (text = `unix:${socket}`) => {
    const address = requireServiceAddress(text)
    if (!address.startsWith("unix:")) return { kind: "tcp", address }
    return { kind: "unix", path: requireSocketPath(address.slice("unix:".length)) }
  }
}

type Address = { kind: "unix"; path: string } | { kind: "tcp"; address: string }

type ServerValues = SettingValues<ReturnType<typeof serverSettings>>

/** Faults of the files that mutual TLS needs; they are read when the server starts. */
export function faultsOfServer(values: Partial<ServerValues>): string[] {
  if (values.LISTEN?.kind === "unix") return []
  if (values.SOCKET_ACCESS !== undefined) return ["SOCKET_ACCESS: belongs to a socket file, unix:<path>"]
  return TLS_FILES.flatMap((name) => {
    const path = values[name]
    return path === undefined ? [`${name}: needed to listen on host:port`] : faultsOfFile(name, path)
  })
}

/** The fault of a setting whose file cannot be read. */
export function faultsOfFile(name: string, path: string): string[] {
  const state = fileState(path)
  return state === "readable" ? [] : [`${name}: the file cannot be read (${state})`]
}

/** `readable`, or the code of the fault with which the file cannot be opened. */
export function fileState(path: string): string {
  try {
    accessSync(path, constants.R_OK)
    return "readable"
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown fault"
  }
}

export function listenOf(values: ServerValues): Listen {
  const {
    LISTEN,
    SOCKET_ACCESS = "owner",
    TLS_CERTIFICATE_FILE = "",
    TLS_KEY_FILE = "",
    TLS_CA_FILE = "",
    CALLERS,
  } = values
  if (LISTEN.kind === "unix") return { ...LISTEN, access: SOCKET_ACCESS }
  const files = { certificateFile: TLS_CERTIFICATE_FILE, keyFile: TLS_KEY_FILE, caFile: TLS_CA_FILE }
  return { ...LISTEN, ...files, callers: CALLERS }
}

/** A key set's public form, lower-case hexadecimal; undefined when it is not set. */
export const publicKeySet: Setting<string | undefined> = (text) => {
  const publicHex = text?.toLowerCase()
  if (publicHex === undefined || readPublicKeySet(publicHex) !== undefined) return publicHex
  throw invalid("must be the public form of a key set: two uncompressed points, 260 hexadecimal digits")
}

/** Public keys of a fetcher, lower-case hexadecimal; undefined when they are not set. */
export const fetcherKeys: Setting<string | undefined> = (text) => {
  const publicHex = text?.toLowerCase()
  if (publicHex === undefined || readFetcherKeys(publicHex) !== undefined) return publicHex
  throw invalid(
    "must be the public form of a key set, 260 hexadecimal digits, and an on-ramp key, 66 digits, as countersign-fetcher public-key prints them",
  )
}

/** A compressed point of P-256, lower-case hexadecimal; undefined when it is not set. */
export const compressedKey: Setting<string | undefined> = (text) => {
  const publicHex = text?.toLowerCase()
  if (publicHex === undefined) return undefined
  if (/^[0-9a-f]{66}$/.test(publicHex) && uncompressP256(Buffer.from(publicHex, "hex"))) return publicHex
  throw invalid("must be a compressed public key of P-256, 66 hexadecimal digits")
}

/** Ends a process that cannot start, with one log line: why, and an exit status of docs/ERRORS.md. */
export function exitAtStart(error: unknown): never {
  const fault = startFaultOf(error)
  if (fault === undefined) log("error", "this process cannot start", errorFields(error))
  else log("error", `this process cannot start: ${fault.sentence}`)
  return process.exit(fault?.status ?? 1)
}

/** The settings of this process; with faulty ones the process ends, and standard error names all of them. */
export function readOrExit<Config>(read: (environment: Environment) => Config): Config {
  try {
    return read(process.env)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    for (const line of `countersign-signer: ${error.message}`.split("\n")) terminal.log(line)
    return process.exit(2)
  }
}
