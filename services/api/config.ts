import { join, resolve } from "node:path"
import { z } from "zod"
import { type CrossCheck, type Environment, readConfig, type Values } from "../common/config.ts"
import { logLevels } from "../common/logger.ts"
import { fileContent, isLoopback, listenAddress, oneOf, wholeNumber } from "../common/setting-kinds.ts"
import { activityTimeSettings } from "./activity-times.ts"
import type { DatabaseConfig } from "./store/database.ts"

/** Beside package.json, wherever the process was started from. */
const DATA_DIRECTORY = join(import.meta.dirname, "..", "..", ".countersign")

const MIB = 1024 * 1024

const shape = {
  COUNTERSIGN_ACTIVITY_TIMES: oneOf(activityTimeSettings, "auto"),
  COUNTERSIGN_API_BEHIND_PROXY: oneOf(["true", "false"], "false"),
  COUNTERSIGN_API_BODY_LIMIT_BYTES: wholeNumber(MIB, 1024, 2 * MIB),
  COUNTERSIGN_API_LISTEN: listenAddress("localhost:8080"),
  COUNTERSIGN_DATABASE_SOCKET: z.string().optional(),
  COUNTERSIGN_DATA_DIR: z.string().default(DATA_DIRECTORY),
  COUNTERSIGN_LOG_LEVEL: oneOf(logLevels, "info"),
  COUNTERSIGN_SIGNER_ADDRESS: z
    .string()
    .regex(
      /^(?:unix:.+|[^:\s]+:\d{1,5}|\[[0-9a-fA-F:.]+\]:\d{1,5})$/,
      "write it as unix:/path/to/socket or host:port",
    )
    .optional(),
  COUNTERSIGN_SIGNER_CA_FILE: fileContent(),
  COUNTERSIGN_SIGNER_CLIENT_CERTIFICATE_FILE: fileContent(),
  COUNTERSIGN_SIGNER_CLIENT_KEY_FILE: fileContent(),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(?:ql)?:\/\//, "write it as postgres://user@host:port/database")
    .optional(),
}

/** Certificates with which this process and the signer know each other. */
export type ClientTls = { ca: Buffer; certificate: Buffer; key: Buffer }

/** Everything this process is told; frozen. */
export type Config = ReturnType<typeof readApiConfig>

/** @throws ConfigError */
export function readApiConfig(environment: Environment) {
  const values = readConfig(shape, environment, check)
  const dataDirectory = resolve(values.COUNTERSIGN_DATA_DIR)
  return Object.freeze({
    listen: values.COUNTERSIGN_API_LISTEN,
    signer: {
      address: values.COUNTERSIGN_SIGNER_ADDRESS ?? `unix:${join(dataDirectory, "signer", "signer.sock")}`,
      tls: readTls(values),
    },
    database: readDatabase(values, dataDirectory),
    activityTimes: values.COUNTERSIGN_ACTIVITY_TIMES,
    bodyLimitBytes: values.COUNTERSIGN_API_BODY_LIMIT_BYTES,
    logLevel: values.COUNTERSIGN_LOG_LEVEL,
  })
}

const TLS_FILES = [
  "COUNTERSIGN_SIGNER_CA_FILE",
  "COUNTERSIGN_SIGNER_CLIENT_CERTIFICATE_FILE",
  "COUNTERSIGN_SIGNER_CLIENT_KEY_FILE",
] as const

/**
 * Over a network the signer and this process prove themselves to each other; there is no way round it. Callers
 * are served in the clear, so that beyond this host somebody has to say who encrypts.
 */
const check: CrossCheck<typeof shape> = (values) => {
  const faults: string[] = []
  const { COUNTERSIGN_SIGNER_ADDRESS: address, DATABASE_URL, COUNTERSIGN_DATABASE_SOCKET } = values
  const { COUNTERSIGN_API_LISTEN: listen, COUNTERSIGN_API_BEHIND_PROXY: behindProxy } = values
  if (listen !== undefined && !isLoopback(listen) && behindProxy === "false") {
    faults.push(
      "COUNTERSIGN_API_LISTEN: plain HTTP beyond this host's loopback; put a proxy with TLS before it and set " +
        "COUNTERSIGN_API_BEHIND_PROXY=true",
    )
  }
  if (address !== undefined && !address.startsWith("unix:")) {
    const absent = TLS_FILES.filter((name) => name in values && values[name] === undefined)
    faults.push(...absent.map((name) => `${name}: needed for a signer at host:port`))
  }
  if (DATABASE_URL !== undefined && COUNTERSIGN_DATABASE_SOCKET !== undefined) {
    faults.push("COUNTERSIGN_DATABASE_SOCKET: excludes DATABASE_URL")
  }
  return faults
}

function readTls(values: Values<typeof shape>): ClientTls | undefined {
  const ca = values.COUNTERSIGN_SIGNER_CA_FILE
  const certificate = values.COUNTERSIGN_SIGNER_CLIENT_CERTIFICATE_FILE
  const key = values.COUNTERSIGN_SIGNER_CLIENT_KEY_FILE
  return ca && certificate && key ? { ca, certificate, key } : undefined
}

/** Without an address it is the embedded server of the data directory, which whoever starts the system started. */
function readDatabase(values: Values<typeof shape>, dataDirectory: string): DatabaseConfig {
  if (values.DATABASE_URL !== undefined) return { url: values.DATABASE_URL }
  const directory = resolve(values.COUNTERSIGN_DATABASE_SOCKET ?? join(dataDirectory, "postgres", "run"))
  return { connection: { path: join(directory, SOCKET_NAME), user: "countersign", database: "postgres" } }
}

/** Name that PostgreSQL gives its socket. */
const SOCKET_NAME = ".s.PGSQL.5432"
