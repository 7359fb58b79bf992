import { readHostAndPort } from "../settings/settings.ts"
import { JoinFault } from "./fault.ts"

/** The processes that are called over mutual TLS. A certificate of any other name is a caller's. */
export const SERVERS = ["signer", "fetcher"] as const

export type ServerName = (typeof SERVERS)[number]

/** A server and its address, host:port. */
export type JoinedServer = { name: ServerName; address: string }

export function isServerName(name: string): name is ServerName {
  return SERVERS.some((server) => server === name)
}

/** Names go into lists of settings, which commas separate, and into the names of files. */
const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
/** A host name. Without a letter in the last label it would be an IPv4 address, which gRPC's TLS does not verify. */
const HOST = new RegExp(`^(?=.{1,253}$)(?:${LABEL}\\.)*(?=[a-z0-9-]*[a-z])${LABEL}$`)

/** The name of the authority's certificate: a process of this name would overwrite `ca.crt` with its own. */
const AUTHORITY = "ca"

/** @throws {JoinFault} */
export function requireName(name: string): string {
  if (name === AUTHORITY)
    throw new JoinFault("usage", `"${AUTHORITY}" cannot be the name of a process: it is the authority's`)
  if (NAME.test(name)) return name
  throw new JoinFault(
    "usage",
    `"${name.slice(0, 100)}" cannot be the name of a process: use up to 63 lower-case letters, digits, dots and hyphens`,
  )
}

/** The address of a server, whose host the certificate names. @throws {JoinFault} */
export function requireAddress(address: string): string {
  if (HOST.test(hostOf(address)) && (readHostAndPort(address)?.port ?? 0) > 0) return address
  throw new JoinFault(
    "usage",
    `"${address.slice(0, 300)}" cannot be the address of a server: write a host name in lower case and a port, such as signer.internal:7443`,
  )
}

/** The host of `host:port`; "" if the text is something else. */
export function hostOf(address: string): string {
  return readHostAndPort(address)?.host ?? ""
}
