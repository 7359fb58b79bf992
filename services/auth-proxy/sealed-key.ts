import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { connect } from "node:net"
import { dirname, join } from "node:path"
import { performance } from "node:perf_hooks"
import { wiping } from "../../signer/core/crypto/secret.ts"
import { Refusal } from "../../signer/core/refusal.ts"
import { SeedOpener, type SlotEvidence } from "../../signer/core/sealed-seed/evidence.ts"
import { type SealedFile, slotOf } from "../../signer/core/sealed-seed/format.ts"
import { LOCKED_OR_UNREACHABLE, StartError } from "../../signer/core/settings/start-fault.ts"
import { type OwnKey, ownKeyOf, publicKeyFileOf } from "./own-key.ts"

/** An answer of the socket: which shares were given, and whether they opened the key. */
export type UnlockProgress = {
  unlocked: boolean
  given: readonly number[]
  threshold: number
  /** The key as the daily command wrapped it, base64 in the answer; empty: there is no daily command. */
  wrappedKey: Uint8Array
}

/** A share in words has 55 bytes, a passphrase at most 1,024. */
const MAX_BODY_BYTES = 4096
/** Shares that waited too long are wiped. */
const FORGET_MS = 60_000

/** The socket beside the key's file: its directory is of mode 0700, the socket of 0600. */
export const unlockSocketOf = (keyFile: string) => join(dirname(keyFile), "unlock.sock")

/**
 * Waits until holders, or the passphrase, open the proxy's sealed key. Until then this process listens nowhere else. The public half is
 * written beside the key, for pairing.
 *
 * @throws {StartError} when another process waits on the socket
 */
export async function waitForKey(
  keyFile: string,
  sealed: SealedFile,
  stop: AbortSignal,
): Promise<OwnKey | undefined> {
  const opener = new SeedOpener(sealed)
  const path = unlockSocketOf(keyFile)
  const { promise, resolve } = Promise.withResolvers<OwnKey | undefined>()
  const resolveOnce = (key: OwnKey | undefined): void => (key === undefined ? undefined : resolve(key))
  const server = createServer((request, response) => {
    void answer(request, sealed, opener)
      .then((answered) => respond(response, answered))
      .then(resolveOnce)
  })
  await listenAt(server, path)
  const forgetting = setInterval(() => opener.shares.forgetOld(performance.now()), FORGET_MS).unref()
  stop.addEventListener("abort", () => resolve(undefined))
  const key = await promise
  clearInterval(forgetting)
  opener.shares.forget()
  server.close()
  server.closeAllConnections()
  rmSync(path, { force: true })
  if (key !== undefined) writeFileSync(publicKeyFileOf(keyFile), `${key.publicKey}\n`, { mode: 0o600 })
  return key
}

async function listenAt(server: Server, path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  chmodSync(dirname(path), 0o700)
  if (await isAnswered(path))
    throw new StartError(LOCKED_OR_UNREACHABLE, `another process waits on ${path}; stop it first`)
  rmSync(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(path, resolve)
  })
  chmodSync(path, 0o600)
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once("error", () => resolve(false))
    socket.once("connect", () => {
      socket.destroy()
      resolve(true)
    })
  })
}

/** Answers, and returns the key once the answer has left, if this call opened it. */
async function respond(response: ServerResponse, { status, json, key }: Answer): Promise<OwnKey | undefined> {
  response.writeHead(status, { "content-type": "application/json" })
  await new Promise<void>((resolve) => response.end(JSON.stringify(json), resolve))
  return key
}

type Answer = { status: number; json: object; key?: OwnKey }

const KINDS: readonly SlotEvidence["case"][] = ["share", "passphrase", "key"]

/** `POST /share`, `/passphrase` and `/key` with the bytes as body; `GET /` says what waits. Calls come one after the other. */
async function answer(request: IncomingMessage, sealed: SealedFile, opener: SeedOpener): Promise<Answer> {
  const kind = KINDS.find((one) => request.url === `/${one}`)
  const json = () => progressOf(sealed, opener)
  if (request.method !== "POST" || kind === undefined) return { status: 200, json: json() }
  const value = await readBody(request)
  try {
    const seed = await opener.take({ case: kind, value }, performance.now())
    if (seed === undefined) return { status: 200, json: json() }
    const key = wiping([seed], () => ownKeyOf(seed))
    return { status: 200, json: { ...json(), unlocked: true }, key }
  } catch (error) {
    if (!(error instanceof Refusal)) return { status: 500, json: { message: "internal error" } }
    return { status: 409, json: { code: error.code, message: error.message } }
  }
}

function progressOf(sealed: SealedFile, opener: SeedOpener): Record<keyof UnlockProgress, unknown> {
  const { given, threshold } = opener.shares.progress
  const wrappedKey = Buffer.from(slotOf(sealed, "command")?.kind.value.blob ?? []).toString("base64")
  return { unlocked: false, given, threshold, wrappedKey }
}

async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const body = new Uint8Array(MAX_BODY_BYTES)
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (length + chunk.length <= MAX_BODY_BYTES) body.set(chunk, length)
    length += chunk.length
    chunk.fill(0)
  }
  return body.subarray(0, Math.min(length, MAX_BODY_BYTES))
}
