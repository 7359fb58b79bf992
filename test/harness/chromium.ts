import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import type { Socket } from "node:net"
import { createInterface } from "node:readline"
import { setTimeout as pause } from "node:timers/promises"
import { atEnd } from "./at-end.ts"
import { patienceMs } from "./patience.ts"

const NAMES = ["chromium", "chromium-browser", "google-chrome"]
const START_PATIENCE_MS = patienceMs(120_000)
const PAGE_PATIENCE_MS = patienceMs(60_000)
const POLL_MS = 25

/** Functions for scripts in a page. `click` waits for a button that is busy. */
const HANDS = `
  const byId = (id) => document.getElementById(id)
  const shown = (id) => byId(id)?.checkVisibility() === true
  const text = (id) => byId(id)?.textContent ?? ""
  const fill = (selector, value) => {
    const field = document.querySelector(selector)
    // React replaces the setter of the element itself.
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value").set.call(field, value)
    field.dispatchEvent(new Event("input", { bubbles: true }))
  }
  const click = async (selector) => {
    const button = document.querySelector(selector)
    while (button.disabled) await new Promise((done) => setTimeout(done, 10))
    button.click()
  }`

/** The Chromium of this machine: what CHROMIUM_PATH names, else one on the PATH. */
export function findChromium(): string | undefined {
  const named = process.env["CHROMIUM_PATH"]
  const places = (process.env["PATH"] ?? "").split(delimiter)
  const candidates = named ? [named] : places.flatMap((place) => NAMES.map((name) => join(place, name)))
  return candidates.find((path) => existsSync(path))
}

/** Reason of a test skipped without a browser. */
export const NO_CHROMIUM = "no Chromium: install Debian's package chromium, or name one in CHROMIUM_PATH"

type Reply = { id?: number; result?: unknown; error?: { message: string } }
type Waiting = { resolve(result: unknown): void; reject(error: Error): void }

let shared: Promise<string> | undefined

/** The DevTools address of a browser without window, which the test files of one process share. */
export function sharedBrowser(path: string): Promise<string> {
  return (shared ??= startBrowser(path))
}

async function startBrowser(path: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "cs-chromium-"))
  const options = [
    "--headless=new",
    // Test machines often run as root, where the sandbox does not start; only pages of the test are opened.
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    // Pages of several tests are open at once: those behind run as fast as the one in front.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--remote-debugging-port=0",
    `--user-data-dir=${directory}`,
    "about:blank",
  ]
  const child = spawn(path, options, { stdio: ["ignore", "ignore", "pipe"] })
  process.once("exit", () => child.kill("SIGKILL"))
  atEnd(async () => {
    child.ref()
    const gone = once(child, "exit")
    if (child.exitCode === null && child.kill()) await gone
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
  })
  const endpoint = await endpointOf(child)
  child.unref()
  ;(child.stderr as Socket).unref()
  return endpoint
}

/** The shared browser, driven by its DevTools protocol. Its pages share nothing with those of another. */
export class Chromium {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, Waiting>()
  #browserContextId = ""
  #lastId = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener("message", ({ data }) => this.#take(JSON.parse(String(data)) as Reply))
    socket.addEventListener("close", () => this.#failAll(new Error("Chromium has gone")))
  }

  static async launch(path: string): Promise<Chromium> {
    const socket = new WebSocket(await sharedBrowser(path))
    await once(socket as never, "open")
    const browser = new Chromium(socket)
    const made = await browser.send<{ browserContextId: string }>("Target.createBrowserContext", {
      disposeOnDetach: true,
    })
    browser.#browserContextId = made.browserContextId
    return browser
  }

  /** A new page at this address, ready to run scripts. */
  async open(url: string): Promise<Page> {
    const { targetId } = await this.send<{ targetId: string }>("Target.createTarget", {
      url,
      browserContextId: this.#browserContextId,
    })
    const attached = await this.send<{ sessionId: string }>("Target.attachToTarget", {
      targetId,
      flatten: true,
    })
    return new Page(this, attached.sessionId)
  }

  send<Result>(method: string, params: object = {}, sessionId?: string): Promise<Result> {
    const id = ++this.#lastId
    this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) }))
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: (result) => resolve(result as Result), reject })
    })
  }

  async close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return
    const closed = once(this.#socket as never, "close")
    this.#socket.close()
    await closed
  }

  #take({ id = 0, result, error }: Reply): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error) waiting?.reject(new Error(error.message))
    else waiting?.resolve(result)
  }

  #failAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

type Evaluated = {
  result: { value?: unknown }
  exceptionDetails?: { text: string; exception?: { description?: string } }
}

export class Page {
  readonly #browser: Chromium
  readonly #sessionId: string

  constructor(browser: Chromium, sessionId: string) {
    this.#browser = browser
    this.#sessionId = sessionId
  }

  /** A platform authenticator of the page, whose user is present and consents. */
  async addVirtualAuthenticator(): Promise<void> {
    await this.#send("WebAuthn.enable")
    await this.#send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
  }

  /**
   * Runs the body of an asynchronous function with these arguments; what it returns must be JSON. It has functions that act
   * on the page as people do.
   */
  async run<Result>(body: string, ...parameters: unknown[]): Promise<Result> {
    const expression = `(async (...args) => { ${HANDS}; ${body} })(...${JSON.stringify(parameters)})`
    const options = { expression, awaitPromise: true, returnByValue: true, userGesture: true }
    const { result, exceptionDetails } = await this.#send<Evaluated>("Runtime.evaluate", options)
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value as Result
  }

  /** Waits until an expression is true in the page, also across pages. */
  async until(expression: string): Promise<void> {
    const giveUp = performance.now() + PAGE_PATIENCE_MS
    // A page that is leaving runs nothing.
    while (!(await this.run(`return Boolean(${expression})`).catch(() => false))) {
      if (performance.now() > giveUp) throw new Error(`never so: ${expression}. ${await this.#shown()}`)
      await pause(POLL_MS)
    }
  }

  #shown(): Promise<string> {
    return this.run("return `The page at ${location.href} shows: ${document.body.innerText}`")
  }

  #send<Result>(method: string, params: object = {}): Promise<Result> {
    return this.#browser.send(method, params, this.#sessionId)
  }
}

/** The browser prints its DevTools address on standard error. */
function endpointOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines: string[] = []
    const fail = (why: string) => reject(new Error(`Chromium ${why}:\n${lines.join("\n")}`))
    const timeout = setTimeout(fail, START_PATIENCE_MS, "did not start")
    child.once("exit", () => fail("ended"))
    child.once("error", reject)
    createInterface({ input: child.stderr! }).on("line", (line) => {
      lines.push(line)
      const [, endpoint] = /^DevTools listening on (ws:.*)$/.exec(line) ?? []
      if (endpoint === undefined) return
      clearTimeout(timeout)
      resolve(endpoint)
    })
  })
}
