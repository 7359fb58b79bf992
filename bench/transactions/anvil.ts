import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { freePort } from "../system/port.ts"

const PROGRAM = join(import.meta.dirname, "..", "..", "node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil")
const POLL_MS = 25

/** A local EVM chain with a block each second. */
export type Anvil = {
  caip2: string
  url: string
  /** @throws Error with the node's message */
  call<T>(method: string, ...params: unknown[]): Promise<T>
  stop(): Promise<void>
}

/** Undefined where Foundry's anvil is not installed: it is for Linux on x64. */
export async function startAnvil(): Promise<Anvil | undefined> {
  if (!existsSync(PROGRAM)) return undefined
  const port = await freePort()
  const words = ["--host", "127.0.0.1", "--port", String(port), "--block-time", "1", "--silent"]
  const child = spawn(PROGRAM, words, { stdio: "ignore", detached: true })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  const url = `http://127.0.0.1:${port}`
  const call = <T>(method: string, ...params: unknown[]) => ask<T>(url, method, params)
  const stop = async () => {
    child.kill("SIGKILL")
    await ended
  }
  while ((await call("eth_chainId").catch(() => undefined)) === undefined) {
    if (child.exitCode !== null) throw new Error(`anvil ended with status ${child.exitCode}`)
    await pause(POLL_MS)
  }
  return { caip2: "eip155:31337", url, call, stop }
}

async function ask<T>(url: string, method: string, params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  const reply = await fetch(url, { method: "POST", body, headers: { "content-type": "application/json" } })
  const { result, error } = (await reply.json()) as { result: T; error?: { message: string } }
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}
