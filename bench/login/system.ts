import { execFileSync } from "node:child_process"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { openOwnKey } from "../../services/auth-proxy/own-key.ts"
import type { DatabaseServer } from "../system/database-server.ts"
import { freePort } from "../system/port.ts"
import { startProgram } from "../system/program.ts"
import { startSystem, type System, untilReady } from "../system/system.ts"

/** A whole system with a fetcher, which writes its messages to a file, and an auth proxy. */
export type LoginSystem = System & {
  fetcher: number
  proxy: number
  /** Origin of the auth proxy. */
  proxyUrl: string
  /** File of the fetcher's messages, one JSON object a line. */
  outbox: string
}

export type LoginSystemStart = { directory: string; database: DatabaseServer; issuer: string }

export async function startLoginSystem(start: LoginSystemStart): Promise<LoginSystem> {
  const { directory, database, issuer } = start
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const ownKeyFile = join(directory, "auth-proxy", "key")
  const system = await startSystem({
    directory,
    database,
    wire: "unix",
    pairing: {
      COUNTERSIGN_SIGNER_FETCHER_PUBLIC_KEY: initFetcher(directory),
      COUNTERSIGN_SIGNER_AUTH_PROXY_PUBLIC_KEY: newPublicKey(ownKeyFile),
    },
  })
  const { host, port } = system.target
  const apiUrl = `http://${host}:${port}`
  const notarizerPublicKey = await readNotarizerKey(apiUrl)
  const fetcher = await startProgram({
    file: "signer/fetcher/main.ts",
    words: ["serve"],
    environment: {
      COUNTERSIGN_DATA_DIR: directory,
      COUNTERSIGN_FETCHER_NOTARIZER_PUBLIC_KEY: notarizerPublicKey,
      COUNTERSIGN_FETCHER_LOCAL_ISSUERS: issuer,
      COUNTERSIGN_FETCHER_OUTBOX: "true",
    },
    logFile: join(directory, "fetcher.log"),
  })
  const proxyPort = await freePort()
  const proxy = await startProgram({
    file: "services/auth-proxy/main.ts",
    environment: {
      COUNTERSIGN_AUTH_PROXY_API_URL: apiUrl,
      // All clients of the measurement share one address.
      COUNTERSIGN_AUTH_PROXY_REQUESTS_PER_ADDRESS: "1000000",
      COUNTERSIGN_AUTH_PROXY_REQUESTS_PER_CONFIGURATION: "1000000",
      COUNTERSIGN_AUTH_PROXY_KEY_FILE: ownKeyFile,
      COUNTERSIGN_AUTH_PROXY_LISTEN: `127.0.0.1:${proxyPort}`,
      COUNTERSIGN_AUTH_PROXY_NOTARIZER_PUBLIC_KEY: notarizerPublicKey,
    },
    logFile: join(directory, "auth-proxy.log"),
  })
  const stop = async () => {
    await proxy.stop()
    await fetcher.stop()
    await system.stop()
  }
  try {
    const proxyUrl = `http://127.0.0.1:${proxyPort}`
    await untilReady(`${proxyUrl}/readyz`, [fetcher, proxy])
    const outbox = join(directory, "fetcher", "outbox.jsonl")
    return { ...system, fetcher: fetcher.pid, proxy: proxy.pid, proxyUrl, outbox, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Creates the fetcher's seed; the signer is paired with the public key set that is printed. */
function initFetcher(directory: string): string {
  const file = join(import.meta.dirname, "..", "..", "signer", "fetcher", "main.ts")
  const environment = { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR: directory }
  return execFileSync(process.execPath, [file, "init"], { env: environment }).toString().trim()
}

async function readNotarizerKey(apiUrl: string): Promise<string> {
  const pins = (await (await fetch(`${apiUrl}/public/v1/pins`)).json()) as { notarizerPublicKey: string }
  return pins.notarizerPublicKey
}

/** The public half of a new plain key. */
function newPublicKey(file: string): string {
  const key = openOwnKey(file)
  if ("privateKey" in key) return key.publicKey
  throw new Error(`${file} is sealed`)
}
