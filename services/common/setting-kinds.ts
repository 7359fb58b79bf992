import { readFileSync } from "node:fs"
import { isIPv4 } from "node:net"
import { z } from "zod"

/** Where to listen. `localhost` stands for both loopback addresses. */
export type ListenAddress = { host: string; port: number }

const MAX_PORT = 65_535

/** `host:port`, `[::1]:8080`, `localhost:8080`; port 0 lets the system choose. */
export function listenAddress(fallback: string) {
  return z
    .string()
    .default(fallback)
    .transform((text, context): ListenAddress => {
      const address = readHostAndPort(text)
      if (address !== undefined) return address
      const isTooHigh = Number(/:(\d+)$/.exec(text)?.[1] ?? 0) > MAX_PORT
      const message = isTooHigh
        ? `the port is too high, ${MAX_PORT} is the highest`
        : "write it as host:port, for example localhost:8080"
      context.addIssue({ code: "custom", message })
      return z.NEVER
    })
}

/** A socket file, or a host with which mutual TLS is spoken. */
export function serviceAddress() {
  return z
    .string()
    .refine((text) => /^unix:./.test(text) || readHostAndPort(text) !== undefined, {
      message: "write it as unix:/path/to/socket or host:port",
    })
    .optional()
}

function readHostAndPort(text: string): ListenAddress | undefined {
  const [, ip6, host, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(text) ?? []
  if (port === undefined || Number(port) > MAX_PORT) return undefined
  return { host: ip6 ?? host ?? "", port: Number(port) }
}

/** Whether only this host can reach it. A name other than `localhost` may mean anything. */
export function isLoopback({ host }: ListenAddress): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."))
}

/** A PostgreSQL server, or several to try in turn: `postgres://user@host:port,host:port/database`. */
export function databaseUrl() {
  return z
    .string()
    .refine(isPostgresUrl, { message: "write it as postgres://user@host:port/database" })
    .optional()
}

function isPostgresUrl(text: string): boolean {
  const [, before, hosts, after] = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/.exec(text) ?? []
  return hosts?.split(",").every((host) => URL.canParse(`${before}${host}${after}`)) ?? false
}

/** A whole number within bounds. */
export function wholeNumber(fallback: number, least: number, most: number) {
  return z
    .string()
    .default(String(fallback))
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most, {
      message: `write a whole number from ${least} to ${most}`,
    })
    .transform(Number)
}

/** One of a few words. */
export function oneOf<const Words extends readonly [string, ...string[]]>(
  words: Words,
  fallback: Words[number],
) {
  return z.enum(words, { error: `write one of ${words.join(", ")}` }).default(fallback as never)
}

/** A file's content, read at start: the form every secret takes. */
export function fileContent() {
  return z
    .string()
    .transform((path, context) => {
      try {
        return readFileSync(path)
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        context.addIssue({ code: "custom", message: `the file cannot be read (${code ?? "unknown fault"})` })
        return z.NEVER
      }
    })
    .optional()
}
