import { spawn } from "node:child_process"
import { counted } from "../counted.ts"
import { Secret, wipe } from "../crypto/secret.ts"
import { refuse } from "../refusal.ts"
import { FAULT, StartError } from "../settings/start-fault.ts"
import type { Argv } from "../settings/argv.ts"

/** A TPM takes two seconds, a key store in the network some more. */
const TIMEOUT_MS = 10_000
/** A key has 64 digits, and a blob of the known tools at most 2 KiB. */
const MAX_OUTPUT_BYTES = 4096

/**
 * Runs a command with this input and returns its standard output.
 *
 * @throws {StartError} when it cannot be started, hangs, prints too much or fails; the sentence names it and the way out
 */
export function runSlotCommand(argv: Argv, input: Secret, timeoutMs = TIMEOUT_MS): Promise<Secret> {
  const [program, ...words] = argv
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      env: environmentOf(process.env),
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    })
    const output: Buffer[] = []
    let [length, told, hasEnded] = [0, "", false]
    const end = (fault?: string) => {
      if (hasEnded) return
      hasEnded = true
      clearTimeout(timer)
      if (fault !== undefined) stopGroup(child.pid)
      const all = Buffer.concat(output)
      for (const chunk of output) wipe(chunk)
      const secret = Secret.moveFrom(all)
      if (fault === undefined) return resolve(secret)
      secret.wipe()
      const because = told.trim().replaceAll(/\s*\n\s*/g, "; ")
      return reject(failed(program, because === "" ? fault : `${fault}: ${because}`))
    }
    const timer = setTimeout(() => end(`did not end within ${timeoutMs / 1000} seconds`), timeoutMs)
    child.stdout.on("data", (chunk: Buffer) => {
      if (hasEnded) return wipe(chunk)
      output.push(chunk)
      length += chunk.length
      if (length > MAX_OUTPUT_BYTES) end(`printed more than ${MAX_OUTPUT_BYTES} bytes`)
    })
    child.stderr.on("data", (chunk: Buffer) => (told = (told + chunk.toString()).slice(0, MAX_TOLD)))
    child.on("error", (error: NodeJS.ErrnoException) => end(`cannot be started (${error.code})`))
    child.on("close", (status, signal) =>
      end(status === 0 ? undefined : `ended with ${signal ?? `status ${status}`}`),
    )
    // A command that reads nothing closes its end.
    child.stdin.on("error", () => undefined)
    input.use((bytes) => child.stdin.end(Buffer.from(bytes)))
  })
}

/** What clients of key stores read of the environment. Our own settings and options of Node are not theirs. */
function environmentOf(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(own).filter(([name]) => !/^(?:COUNTERSIGN|NODE)_/.test(name)))
}

/** Characters of a command's standard error in the fault. */
const MAX_TOLD = 300

/** The command with what it started: it leads a process group of its own. */
function stopGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch {
    // It has ended meanwhile.
  }
}

function failed(program: string, fault: string): StartError {
  const sentence = `the command ${program} ${fault}. ${SHARES_OPEN}`
  return new StartError(FAULT, sentence)
}

/** The key as a command is handed it and gives it back: 64 hexadecimal digits and a line end. */
export function writeCommandKey(key: Secret): Secret {
  const hex = key.use((bytes) => Buffer.from(bytes).toString("hex"))
  return Secret.moveFrom(Buffer.from(`${hex}\n`))
}

/** @throws UNSEAL_KEY_WRONG for an output that is no key */
export function readCommandKey(output: Secret): Secret {
  return output.use((bytes) => {
    const text = Buffer.from(bytes).toString("latin1").trim()
    if (!/^[0-9a-f]{64}$/i.test(text))
      throw refuse(
        "UNSEAL_KEY_WRONG",
        `the command printed ${counted(bytes.length, "byte")} that are no key of 64 hexadecimal digits. ${SHARES_OPEN}`,
      )
    return Secret.moveFrom(Buffer.from(text, "hex"))
  })
}

const SHARES_OPEN = "Nothing was changed; shares always open the seed: unlock without an option asks for them"
