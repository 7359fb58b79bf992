import { createHash } from "node:crypto"
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { parseStrictJson } from "../../../proto/strict-json.ts"
import { canonicalJson } from "../json.ts"

/** A request is sent again only while it is younger: the signer refuses it after an hour, and clocks differ. */
const MAX_AGE_MS = 55 * 60_000

/** A request that was stamped and has no outcome yet. `secret`: private key that opens the result, if the command made one. */
export type KeptRequest = { body: string; sentAtMs: number; secret?: string }

/**
 * Two commands are the same if these are: all of a request but its time. The address of the API is not part of it, because a
 * request that went to another address can still arrive.
 */
export type RequestIdentity = {
  organizationId: string
  publicKey: string
  type: string
  parameters: object
}

/** The file of a request in a profile's folder. */
export function keptFile(folder: string, identity: RequestIdentity): string {
  const { organizationId, publicKey, type, parameters } = identity
  const text = canonicalJson([organizationId, publicKey, type, parameters])
  return join(folder, `${createHash("sha256").update(text).digest("hex")}.json`)
}

/** The request that is kept in the file, if it is young enough to be sent again. */
export async function readKept(file: string, nowMs: number): Promise<KeptRequest | undefined> {
  const kept = await readFile(file, "utf8").then(readText, () => undefined)
  return kept !== undefined && isLive(kept, nowMs) ? kept : undefined
}

/** Keeps a request before it is sent; removes those that are too old. */
export async function keep(folder: string, file: string, kept: KeptRequest, nowMs: number): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (name.endsWith(".json") && path !== file && (await readKept(path, nowMs)) === undefined)
      await forget(path)
  }
  await writeFile(`${file}.new`, `${JSON.stringify(kept)}\n`, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
}

export async function forget(file: string): Promise<void> {
  await rm(file, { force: true })
}

function isLive({ sentAtMs }: KeptRequest, nowMs: number): boolean {
  return nowMs - sentAtMs < MAX_AGE_MS && sentAtMs <= nowMs
}

/** Undefined: the file was not written by this command. */
function readText(text: string): KeptRequest | undefined {
  try {
    const { body, sentAtMs, secret } = parseStrictJson(text) as Partial<KeptRequest>
    if (typeof body !== "string" || typeof sentAtMs !== "number") return undefined
    return { body, sentAtMs, ...(typeof secret === "string" && { secret }) }
  } catch {
    return undefined
  }
}
