import { request as httpRequest } from "node:http"
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { Refusal } from "../../signer/core/refusal.ts"
import { askShareLines } from "../../signer/core/sealed-seed/ask-share.ts"
import { readPassphrase } from "../../signer/core/sealed-seed/passphrase.ts"
import { readShareWords } from "../../signer/core/sealed-seed/share-words.ts"
import type { Secret } from "../../signer/core/crypto/secret.ts"
import { LOCKED_OR_UNREACHABLE, REFUSED, StartError } from "../../signer/core/settings/start-fault.ts"
import { type UnlockProgress, unlockSocketOf } from "./sealed-key.ts"

/** Gives shares, or the passphrase, to an auth proxy that waits for them. Returns the exit status. */
export async function unlockKey(keyFile: string, usesPassphrase: boolean): Promise<number> {
  const path = unlockSocketOf(keyFile)
  const terminal = openLines()
  try {
    const progress = usesPassphrase ? await givePassphrase(path, terminal) : await giveShares(path, terminal)
    return report(progress)
  } finally {
    terminal.close()
  }
}

/** Prints which shares wait. The exit status is 3 while the key is sealed; an auth proxy that serves has no such socket. */
export async function printSealStatus(keyFile: string): Promise<number> {
  return report(await send(unlockSocketOf(keyFile), "/", undefined))
}

function report({ unlocked, given, threshold }: UnlockProgress): number {
  const there = given.length === 0 ? "" : ` (${given.join(", ")})`
  const sealed = `sealed: ${given.length} of ${threshold} shares are there${there}; they are forgotten 15 minutes after the last one`
  process.stdout.write(`${unlocked ? "unlocked" : sealed}\n`)
  return unlocked ? 0 : REFUSED
}

type Lines = { ask(question: string, isHidden?: boolean): Promise<string>; clear(): void; close(): void }

const CLEAR = "\u001b[2J\u001b[3J\u001b[H"

/** Standard input, line by line; at a terminal without history, and hidden where it is asked for. */
function openLines(): Lines {
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY
  let isSilent = false
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isSilent) process.stderr.write(chunk)
      done()
    },
  })
  const reader = createInterface({ input: process.stdin, output, terminal: isTerminal, historySize: 0 })
  const lines = reader[Symbol.asyncIterator]()
  return {
    async ask(question, isHidden = false) {
      process.stderr.write(`${question}\n`)
      isSilent = isHidden
      const { value, done } = await lines.next()
      isSilent = false
      return done === true ? "" : value
    },
    clear: () => void (isTerminal && process.stderr.write(CLEAR)),
    close: () => reader.close(),
  }
}

async function giveShares(path: string, terminal: Lines): Promise<UnlockProgress> {
  let progress = await send(path, "/", undefined)
  while (!progress.unlocked) {
    const there = progress.given.length === 0 ? "" : `Given so far: ${progress.given.join(", ")}. `
    const text = await askShareLines(
      (line) => terminal.ask(line),
      `${there}Words of a share, or an empty line to end:`,
    )
    if (text === "") break
    terminal.clear()
    progress = await giveShare(path, text).catch((error: unknown) => {
      const isNamed = error instanceof Refusal || (error instanceof StartError && error.status === REFUSED)
      if (!isNamed) throw error
      process.stderr.write(`${error.message}\n`)
      return progress
    })
  }
  return progress
}

const giveShare = async (path: string, text: string) => send(path, "/share", readShareWords(text))

async function givePassphrase(path: string, terminal: Lines): Promise<UnlockProgress> {
  return send(path, "/passphrase", readPassphrase(await terminal.ask("Passphrase:", true)))
}

/** Sends the secret and wipes it. @throws {StartError} with the sentence of a refusal */
function send(path: string, url: string, secret: Secret | undefined): Promise<UnlockProgress> {
  const body = secret?.use((bytes) => Buffer.from(bytes))
  secret?.wipe()
  return new Promise((resolve, reject) => {
    const call = httpRequest(
      { socketPath: path, path: url, method: body === undefined ? "GET" : "POST" },
      (response) => {
        let text = ""
        response.on("data", (chunk: Buffer) => (text += chunk.toString()))
        response.on("end", () => {
          body?.fill(0)
          const json = JSON.parse(text) as UnlockProgress & { message?: string }
          if (response.statusCode === 200) resolve(json)
          else reject(new StartError(REFUSED, json.message ?? "refused"))
        })
      },
    )
    call.on("error", (cause: NodeJS.ErrnoException) => {
      const sentence = `no auth proxy waits on ${path} (${cause.code}): it serves, was not started, or its key is plain`
      reject(new StartError(LOCKED_OR_UNREACHABLE, sentence, { cause }))
    })
    call.end(body)
  })
}
