import { existsSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import type { Target } from "../load/target.ts"
import { makeCertificates } from "./certificates.ts"
import type { DatabaseServer } from "./database-server.ts"
import { makeOrganization } from "./organization.ts"
import { freePort } from "./port.ts"
import { type MeasuredProgram, startProgram } from "./program.ts"

/** The whole service under measurement: a signer, an API, a database, an organization to sign for; a worker for chains. */
export type System = {
  target: Target
  /** Process ids; the database is the server's first process, absent when it is not on this machine. */
  api: number
  signer: number
  database: number | undefined
  /** Signer and API. */
  programs: MeasuredProgram[]
  stop(): Promise<void>
}

export type SystemStart = {
  directory: string
  database: DatabaseServer
  wire: "unix" | "mtls"
  profileTo?: string | undefined
  /** The organization and account to sign with; a new organization if absent. */
  target?: Omit<Target, "host" | "port">
  /** Chains for API and worker, as COUNTERSIGN_CHAINS names them; absent: none, and no worker. */
  chains?: string
  /** Webhooks may lead to this host: a worker is started for them. */
  localWebhooks?: true
  /** Settings of the signer that name the processes it is paired with; absent: none. */
  pairing?: Record<string, string>
  /** Further settings of the API. */
  apiSettings?: Record<string, string>
}

type Wire = { signer: Record<string, string>; api: Record<string, string> }

/** Comparing a million organizations with the ledger takes most of a minute; a program that ends is seen at once. */
const PATIENCE_MS = 600_000
const POLL_MS = 25

export async function startSystem(start: SystemStart): Promise<System> {
  const { directory, database, wire, target: known, chains, localWebhooks } = start
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const port = await freePort()
  const operatorSocket = join(directory, "operator", "operator.sock")
  const ways = wire === "unix" ? socketWire(directory) : await tlsWire(directory)
  const signer = await startSigner(start, operatorSocket, ways.signer)
  const api = await startApi(start, port, ways.api)
  const isWorkerNeeded = chains !== undefined || localWebhooks
  const worker = isWorkerNeeded
    ? await startWorker(directory, database.url, {
        ...(chains !== undefined && { COUNTERSIGN_CHAINS: chains }),
        ...(localWebhooks && { COUNTERSIGN_WORKER_LOCAL_WEBHOOKS: "true" }),
      })
    : undefined
  const stop = async () => {
    await worker?.program.stop()
    await api.stop()
    await signer.stop()
  }
  try {
    await untilReady(`http://127.0.0.1:${port}/readyz`, [signer, api])
    if (worker !== undefined) await untilReady(`http://127.0.0.1:${worker.port}/readyz`, [worker.program])
    const place = { host: "127.0.0.1", port }
    const target = known ? { ...place, ...known } : await makeOrganization(place, operatorSocket)
    const programs = [signer, api]
    return { target, api: api.pid, signer: signer.pid, database: database.pid, programs, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function startSigner(
  { directory, localWebhooks, pairing, profileTo }: SystemStart,
  operatorSocket: string,
  wire: Wire["signer"],
): Promise<MeasuredProgram> {
  return startProgram({
    file: "signer/enclave/main.ts",
    words: existsSync(join(directory, "signer", "root-seed")) ? [] : ["--init"],
    environment: {
      COUNTERSIGN_DATA_DIR: directory,
      COUNTERSIGN_SIGNER_OPERATOR_SOCKET: operatorSocket,
      ...(localWebhooks && { COUNTERSIGN_SIGNER_LOCAL_WEBHOOKS: "true" }),
      ...pairing,
      ...wire,
    },
    logFile: join(directory, "signer.log"),
    profileTo,
  })
}

function startApi(
  { directory, database, chains, apiSettings, profileTo }: SystemStart,
  port: number,
  wire: Wire["api"],
): Promise<MeasuredProgram> {
  return startProgram({
    file: "services/api/main.ts",
    environment: {
      COUNTERSIGN_DATA_DIR: directory,
      COUNTERSIGN_API_LISTEN: `127.0.0.1:${port}`,
      DATABASE_URL: database.url,
      ...wire,
      ...apiSettings,
      ...(chains !== undefined && { COUNTERSIGN_CHAINS: chains }),
    },
    logFile: join(directory, "api.log"),
    profileTo,
  })
}

async function startWorker(directory: string, databaseUrl: string, settings: Record<string, string>) {
  const port = await freePort()
  const program = await startProgram({
    file: "services/worker/main.ts",
    environment: {
      COUNTERSIGN_WORKER_LISTEN: `127.0.0.1:${port}`,
      DATABASE_URL: databaseUrl,
      ...settings,
    },
    logFile: join(directory, "worker.log"),
  })
  return { program, port }
}

function socketWire(directory: string): Wire {
  const address = `unix:${join(directory, "signer", "signer.sock")}`
  return { signer: { COUNTERSIGN_SIGNER_LISTEN: address }, api: { COUNTERSIGN_SIGNER_ADDRESS: address } }
}

async function tlsWire(directory: string): Promise<Wire> {
  const { caFile, signer, api } = await makeCertificates(directory)
  const address = `localhost:${await freePort()}`
  return {
    signer: {
      COUNTERSIGN_SIGNER_LISTEN: address,
      COUNTERSIGN_SIGNER_TLS_CERTIFICATE_FILE: signer.certificateFile,
      COUNTERSIGN_SIGNER_TLS_KEY_FILE: signer.keyFile,
      COUNTERSIGN_SIGNER_TLS_CA_FILE: caFile,
      COUNTERSIGN_SIGNER_CALLERS: "api",
    },
    api: {
      COUNTERSIGN_SIGNER_ADDRESS: address,
      COUNTERSIGN_SIGNER_CLIENT_CERTIFICATE_FILE: api.certificateFile,
      COUNTERSIGN_SIGNER_CLIENT_KEY_FILE: api.keyFile,
      COUNTERSIGN_SIGNER_CA_FILE: caFile,
    },
  }
}

/** Resolves once the address answers with a status of success. @throws Error if a program ends, or takes too long */
export async function untilReady(url: string, programs: MeasuredProgram[]): Promise<void> {
  const giveUp = performance.now() + PATIENCE_MS
  for (;;) {
    for (const program of programs) {
      const fault = await program.fault()
      if (fault !== undefined) throw new Error(fault)
    }
    const reply = await fetch(url).catch(() => undefined)
    const text = await reply?.text()
    if (reply?.ok) return
    if (performance.now() > giveUp) throw new Error(`${url} did not become ready: ${text ?? "no answer"}`)
    await pause(POLL_MS)
  }
}
