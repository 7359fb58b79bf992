import { once } from "node:events"
import { existsSync } from "node:fs"
import { type IncomingMessage, request as httpRequest } from "node:http"
import { setTimeout as pause } from "node:timers/promises"
import { readJsonObject } from "../../proto/strict-json.ts"
import { SeedOwner } from "../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import type { Secret } from "../../signer/core/crypto/secret.ts"
import { readBase64 } from "../../signer/core/encodings.ts"
import { Refusal } from "../../signer/core/refusal.ts"
import { changeOwnDaily, keyOfBlob } from "../../signer/core/seal-commands/change-daily.ts"
import { settingOf } from "../../signer/core/seal-commands/daily-ways.ts"
import {
  askShareOrEnd,
  type HolderTerminal,
  openHolderTerminal,
} from "../../signer/core/seal-commands/holder-terminal.ts"
import type { OpenBy } from "../../signer/core/seal-commands/ways.ts"
import type { SlotEvidence } from "../../signer/core/sealed-seed/evidence.ts"
import { readPassphrase } from "../../signer/core/sealed-seed/passphrase.ts"
import { readShareWords } from "../../signer/core/sealed-seed/share-words.ts"
import { FAULT, LOCKED_OR_UNREACHABLE, REFUSED, StartError } from "../../signer/core/settings/start-fault.ts"
import type { AuthProxyCommand } from "./command-line.ts"
import type { AuthProxyServiceSettings } from "./config.ts"
import { openOwnKey } from "./own-key.ts"
import { type UnlockProgress, unlockSocketOf } from "./sealed-key.ts"

type KeyCommand = Extract<AuthProxyCommand, { name: "unlock" | "status" | "change-daily" }>

const POLL_MS = 100
/** Opening by a passphrase takes the process about a second (scrypt). */
const REPLY_TIMEOUT_MS = 30_000
/** Bytes of a reply: the progress of up to 255 shares, and what a daily command wrapped. */
const MAX_REPLY = 64 * 1024

/** Runs a command about the sealed key. An auth proxy that serves has no socket for it. Returns the exit status, 3 while the key is sealed. */
export async function runKeyCommand(command: KeyCommand, config: AuthProxyServiceSettings): Promise<number> {
  const { keyFile } = config
  if (command.name === "change-daily") {
    const { lines, json } = await changeOwnDaily(storedKey(keyFile), command, {
      file: keyFile,
      commands: config,
    })
    print(command.json ? [JSON.stringify(json)] : lines)
    return 0
  }
  const path = unlockSocketOf(keyFile)
  const present = await waitFor(path, command.waitSeconds)
  const { name } = command
  return report(name === "status" ? present : await unlockAt(path, command.by, { config, present }), command)
}

const print = (lines: readonly string[]) => process.stdout.write(`${lines.join("\n")}\n`)

/** The progress of the unlocking, once an auth proxy answers. @throws {StartError} when none does in this time */
async function waitFor(path: string, seconds: number): Promise<UnlockProgress> {
  for (const deadlineMs = performance.now() + seconds * 1000; ; await pause(POLL_MS))
    try {
      return await call(path, "/", undefined)
    } catch (error) {
      if (performance.now() >= deadlineMs) throw error
    }
}

/** @throws {StartError} for a plain key, or none: a change makes no key */
function storedKey(keyFile: string) {
  const key = existsSync(keyFile) ? openOwnKey(keyFile) : undefined
  if (key !== undefined && !("privateKey" in key)) return { kind: "sealed", sealed: key } as const
  const sentence = `${keyFile} is no sealed key, so nothing was changed: countersign-signer ceremony, or change-shares, with --auth-proxy-key FILE seals it`
  throw new StartError(FAULT, sentence)
}

function report({ unlocked, given, threshold }: UnlockProgress, { json }: { json: boolean }): number {
  const there = given.length === 0 ? "" : ` (${given.join(", ")})`
  const sealed = `sealed: ${given.length} of ${threshold} shares are there${there}; they are forgotten 15 minutes after the last one`
  print([json ? JSON.stringify({ unlocked, given, threshold }) : unlocked ? "unlocked" : sealed])
  return unlocked ? 0 : REFUSED
}

async function unlockAt(
  path: string,
  by: OpenBy,
  {
    config: { keyFile, unsealCommand },
    present,
  }: { config: AuthProxyServiceSettings; present: UnlockProgress },
): Promise<UnlockProgress> {
  if (by === "command") {
    const { wrappedKey } = present
    const setting = settingOf(SeedOwner.AUTH_PROXY, "UNSEAL")
    return send(path, "key", await keyOfBlob(wrappedKey, unsealCommand, setting))
  }
  const holder = openHolderTerminal()
  try {
    if (by === "shares") {
      const { deploymentId, generation, threshold } = storedKey(keyFile).sealed.header
      holder.show(`Deployment ${deploymentId}, generation ${generation}: ${threshold} shares open the key.`)
      return await giveShares(path, holder, present)
    }
    return await send(path, "passphrase", readPassphrase(await holder.ask("Passphrase:", { isHidden: true })))
  } finally {
    holder.close()
  }
}

async function giveShares(
  path: string,
  holder: HolderTerminal,
  present: UnlockProgress,
): Promise<UnlockProgress> {
  let progress = present
  while (!progress.unlocked) {
    const text = await askShareOrEnd(holder, progress.given)
    if (text === "") break
    holder.clear()
    progress = await giveShare(path, text).catch((error: unknown) => {
      const isNamed = error instanceof Refusal || (error instanceof StartError && error.status === REFUSED)
      if (!isNamed) throw error
      holder.show(error.message)
      return progress
    })
  }
  return progress
}

const giveShare = async (path: string, text: string) => send(path, "share", readShareWords(text))

/** Sends the secret and wipes it. */
function send(path: string, kind: SlotEvidence["case"], secret: Secret): Promise<UnlockProgress> {
  const body = secret.use((bytes) => Buffer.from(bytes))
  secret.wipe()
  return call(path, `/${kind}`, body).finally(() => body.fill(0))
}

/** @throws {StartError} with the sentence of a refusal, or when no whole reply comes in time */
async function call(path: string, url: string, body: Buffer | undefined): Promise<UnlockProgress> {
  const signal = AbortSignal.timeout(REPLY_TIMEOUT_MS)
  const { status, json } = await replyTo(path, url, { body, signal }).catch(
    (cause: NodeJS.ErrnoException) => {
      const why = signal.aborted ? "no reply in time" : (cause.code ?? cause.message)
      const sentence = `no auth proxy waits on ${path} (${why}): it serves, was not started, or its key is plain`
      throw new StartError(LOCKED_OR_UNREACHABLE, sentence, { cause })
    },
  )
  if (status === 200) return json
  throw new StartError(REFUSED, json.message ?? "refused")
}

type Reply = { status: number | undefined; json: UnlockProgress & { message?: string } }

/** @throws an error of the socket, or a sentence about the reply */
async function replyTo(
  path: string,
  url: string,
  { body, signal }: { body: Buffer | undefined; signal: AbortSignal },
): Promise<Reply> {
  const method = body === undefined ? "GET" : "POST"
  const request = httpRequest({ socketPath: path, path: url, method, signal })
  const replied = once(request, "response")
  request.end(body)
  const [response] = (await replied) as [IncomingMessage]
  // From here on the response has every error.
  request.on("error", () => undefined)
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAX_REPLY) throw new Error("its reply is too long")
    chunks.push(chunk)
  }
  return { status: response.statusCode, json: readReply(Buffer.concat(chunks)) }
}

function readReply(bytes: Buffer): Reply["json"] {
  const {
    given = [],
    threshold = 0,
    unlocked = false,
    wrappedKey = "",
    message,
  } = readJsonObject(bytes, notOurs, {
    maxDepth: 2,
  })
  const wrapped = readBase64(String(wrappedKey))
  if (!Array.isArray(given) || typeof threshold !== "number" || wrapped === undefined) throw notOurs()
  const text = typeof message === "string" ? { message } : {}
  return { unlocked: unlocked === true, given: given.map(Number), threshold, wrappedKey: wrapped, ...text }
}

const notOurs = () => new Error("its reply is of another program")
