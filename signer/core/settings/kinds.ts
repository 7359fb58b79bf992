import { join, resolve } from "node:path"
import { type Environment, type Setting, SettingsError } from "./settings.ts"

/** The data directory unless COUNTERSIGN_DATA_DIR is set: beside package.json, wherever the process was started. */
const DATA_DIRECTORY = join(import.meta.dirname, "..", "..", "..", ".countersign")

/** Bytes of a unix socket's path: sockaddr_un holds 104 on macOS, 108 on Linux, with a closing zero. */
export const SOCKET_PATH_LIMIT = 103

export const MAX_PORT = 65_535

export function dataDirectoryOf(environment: Environment): string {
  return resolve(environment["COUNTERSIGN_DATA_DIR"] || DATA_DIRECTORY)
}

export const optionalText: Setting<string | undefined> = (text) => text

export function path(fallback: string): Setting<string> {
  return (text) => resolve(text ?? fallback)
}

/** Path of a unix socket. */
export function socketPath(fallback: string): Setting<string> {
  return (text = fallback) => requireSocketPath(text)
}

export function requireSocketPath(text: string): string {
  const absolute = resolve(text)
  const excess = Buffer.byteLength(absolute) - SOCKET_PATH_LIMIT
  if (excess > 0) throw invalid(`the path is ${excess} bytes too long for a unix socket`)
  return absolute
}

export function wholeNumber(fallback: number, min: number, max: number): Setting<number> {
  return (text = String(fallback)) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (number >= min && number <= max) return number
    throw invalid(`write a whole number from ${min} to ${max}`)
  }
}

/** One of a few words. */
export function word<const Word extends string>(words: readonly Word[], fallback: Word): Setting<Word> {
  return (text = fallback) => {
    const known = words.find((candidate) => candidate === text)
    if (known === undefined) throw invalid(`write one of ${words.join(", ")}`)
    return known
  }
}

/** The address of a server: `unix:/path/to/socket` or `host:port`. */
export function requireServiceAddress(text: string): string {
  if (/^unix:./.test(text) || readHostAndPort(text) !== undefined) return text
  throw invalid("write it as unix:/path/to/socket or host:port")
}

export type HostAndPort = { host: string; port: number }

/** `host:port`, `[::1]:8080`; a port above the highest one is no port. */
export function readHostAndPort(text: string): HostAndPort | undefined {
  const [, ip6, host, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(text) ?? []
  if (port === undefined || Number(port) > MAX_PORT) return undefined
  return { host: ip6 ?? host ?? "", port: Number(port) }
}

/** The fault of one setting, without its name. */
export function invalid(sentence: string): SettingsError {
  return new SettingsError([sentence])
}
