import { randomBytes } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { REFUSED, StartError } from "../../../core/settings/start-fault.ts"
import type { HolderTerminal } from "../../../core/seal-commands/holder-terminal.ts"
import { closeLoopback, listenOnLoopback } from "./loopback.ts"
import { HEADERS, MARKUP, STYLE } from "./markup.ts"
import { passkeyPage } from "./script.ts"
import type { PageJob, PageResult, PageStep } from "./step.ts"

/** A holder who went away approves nothing. */
const OPEN_MS = 15 * 60_000
/** A passkey that fails so often cannot be used, and another program of this machine learns nothing by trying. */
const MOST_FAILED_ANSWERS = 20
/** An answer has some hundred bytes; a certificate of an authenticator a few thousand. */
const MAX_BODY_BYTES = 32 * 1024

/**
 * Serves the page of a job on this machine alone, until its line is there. The address has a random word, which no other page and no other
 * user of the machine knows.
 *
 * @returns the line
 * @throws {StartError} at Enter, at the end of the input, after 15 minutes, and after 20 answers that the job refused
 */
export async function servePage(job: PageJob, at: HolderTerminal): Promise<string> {
  const word = randomBytes(16).toString("hex")
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let step: PageStep | PageResult = job.first
  let failed = 0
  const end = () => {
    if ("line" in step) resolve(step.line)
    else if (failed >= MOST_FAILED_ANSWERS) reject(gaveUp(`${failed} answers were refused`))
  }
  const server = await listenOnLoopback((request, response) => {
    const base = `${originOf(request.socket.localPort)}/${word}/`
    const take = (answer: Buffer) => {
      failed += 1
      step = job.take(answer)
      failed -= 1
      return step
    }
    const answered = respond(request, response, { base, step, take })
    // A browser that goes away before its answer is whole has answered nothing.
    void answered.then(end, () => response.destroy())
  })
  const timer = setTimeout(() => reject(gaveUp("15 minutes are over")), OPEN_MS)
  at.show(`Open this page in a browser of this machine: ${originOf(server.port)}/${word}/`)
  const enter = at.ask("Enter ends this without it.").then(() => {
    throw gaveUp("it was ended here")
  })
  try {
    return await Promise.race([promise, enter])
  } finally {
    clearTimeout(timer)
    closeLoopback(server, "line" in step || failed >= MOST_FAILED_ANSWERS)
  }
}

const gaveUp = (why: string) => new StartError(REFUSED, `nothing was made or signed: ${why}`)

/** Passkeys are made for the name localhost, so the page is opened by it. */
const originOf = (port: number | undefined) => `http://localhost:${port}`

type Exchange = {
  /** Address of the page. */
  base: string
  step: PageStep | PageResult
  take: (answer: Buffer) => PageStep | PageResult
}

async function respond(request: IncomingMessage, response: ServerResponse, { base, step, take }: Exchange) {
  const { method = "", headers, url = "" } = request
  const send = (status: number, type: string, body: string) =>
    new Promise<void>((resolve) => {
      response.writeHead(status, { ...HEADERS, "content-type": type, connection: "close" })
      response.end(body, resolve)
    })
  const json = (status: number, value: object) => send(status, "application/json", JSON.stringify(value))
  // Another name for this address, or a request of another page, is no holder's.
  const isOwn = headers.origin === undefined || `${headers.origin}/` === new URL("/", base).href
  const asked = `http://${headers.host ?? ""}${url}`
  if (!isOwn || !asked.startsWith(base)) return json(404, { message: "there is no such page" })
  switch (`${method} ${asked.slice(base.length)}`) {
    case "GET ":
      return send(200, "text/html; charset=utf-8", MARKUP)
    case "GET page.css":
      return send(200, "text/css; charset=utf-8", STYLE)
    case "GET page.js":
      return send(200, "text/javascript; charset=utf-8", `"use strict";(${passkeyPage.toString()})()`)
    case "GET step":
      return json(200, step)
    case "POST step":
      return answerTo(await readBody(request), take, json)
    default:
      return json(404, { message: "there is no such page" })
  }
}

function answerTo(
  body: Buffer,
  take: Exchange["take"],
  json: (status: number, value: object) => Promise<void>,
): Promise<void> {
  try {
    return json(200, take(body))
  } catch (error) {
    return json(409, { message: error instanceof Error ? error.message : String(error) })
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
