import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { freePort } from "./free-port.ts"

const PROGRAM = join(
  import.meta.dirname,
  "..",
  "..",
  "node_modules",
  "@foundry-rs",
  "anvil-linux-amd64",
  "bin",
  "anvil",
)
const POLL_MS = 25

/** The part of tap's test that runs clean-ups. */
type Teardown = { teardown(clean: () => unknown): unknown }

/** A local EVM chain: Foundry's anvil with the rules of Prague. */
export type Anvil = {
  url: string
  chainId: number
  /** Calls a method of JSON-RPC. @throws Error with the node's message */
  call<T = unknown>(method: string, ...params: unknown[]): Promise<T>
  /** Ends it at once. */
  stop(): Promise<void>
}

type AnvilOptions = {
  chainId?: number
  /** Words of anvil's command line, such as --no-mining. */
  words?: readonly string[]
  port?: number
}

/** Starts a chain whose blocks come with their transactions, and waits until it answers. */
export async function startAnvil(t: Teardown, options: AnvilOptions = {}): Promise<Anvil> {
  const { chainId = 31_337, words = [], port = await freePort() } = options
  const child = spawn(
    PROGRAM,
    [
      "--host",
      "127.0.0.1",
      "--port",
      `${port}`,
      "--hardfork",
      "prague",
      "--chain-id",
      `${chainId}`,
      "--silent",
      ...words,
    ],
    { stdio: "ignore" },
  )
  const ended = once(child, "exit")
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL")
      await ended
    }
  }
  t.teardown(stop)
  const url = `http://127.0.0.1:${port}`
  const call = <T>(method: string, ...params: unknown[]) => rpc<T>(url, method, params)
  while (!(await call("eth_chainId").catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`anvil ended with ${child.exitCode}`)
    await pause(POLL_MS)
  }
  return { url, chainId, call, stop }
}

async function rpc<T>(url: string, method: string, params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  const reply = await fetch(url, { method: "POST", body, headers: { "content-type": "application/json" } })
  const { result, error } = (await reply.json()) as { result: T; error?: { message: string } }
  if (error) throw new Error(error.message)
  return result
}
