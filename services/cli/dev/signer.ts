import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { z } from "zod"
import { CliError, ExitCode } from "../exit.ts"
import { show } from "../here.ts"
import type { Settings } from "../settings.ts"
import { layout, programs } from "./layout.ts"
import { startAnew } from "./start-anew.ts"

/** The operator's program: `dev` stands in for an operator, and speaks to the signer in no other way. */
export type Operator = {
  /** Waits until the signer answers. */
  status: () => Promise<z.output<typeof Status>>
  acceptClock: () => Promise<void>
  setupCode: (publicKey: string) => Promise<string>
}

const Status = z.object({
  phase: z.string(),
  explanation: z.string(),
  pins: z.object({ notarizerPublicKey: z.string() }).optional(),
})
const Code = z.object({ setupCode: z.string() })
/** The signer's start includes reading its ledger. */
const START_PATIENCE_SECONDS = 60

export function createOperator(environment: NodeJS.ProcessEnv, signal: AbortSignal): Operator {
  const call = async (...words: string[]): Promise<unknown> => {
    const run = promisify(execFile)(process.execPath, [programs.operator, ...words, "--json"], {
      env: environment,
      signal,
    })
    const { stdout } = await run.catch((cause: Error & { stderr?: string }) => {
      signal.throwIfAborted()
      throw new CliError(ExitCode.fault, cause.stderr?.trim() || cause.message, { cause })
    })
    return JSON.parse(stdout)
  }
  return {
    status: async () => Status.parse(await call("status", "--wait", String(START_PATIENCE_SECONDS))),
    acceptClock: async () => void (await call("accept-clock")),
    setupCode: async (publicKey) => Code.parse(await call("setup-code", "--for", publicKey)).setupCode,
  }
}

/**
 * A machine that was off for days makes the signer doubt its clock; here the developer is the operator. Answers
 * the notarizer's public key.
 */
export async function requireSignerReady(
  operator: Operator,
  settings: Settings,
  talk: (line: string) => void,
): Promise<string> {
  let { phase, explanation, pins } = await operator.status()
  if (phase === "CLOCK_UNTRUSTED") {
    await operator.acceptClock()
    talk(`the signer doubted the clock (${explanation}): accepted on your behalf, as this is development`)
    ;({ phase, explanation, pins } = await operator.status())
  }
  if (phase === "READY" && pins !== undefined) return pins.notarizerPublicKey
  const fault = `the signer is not ready (${phase}): ${explanation}. ${adviceFor(phase, settings)}`
  throw new CliError(ExitCode.fault, `${fault} ${startAnew(settings)}`)
}

/** What brings a halted signer back; its words are those of docs/OPERATIONS.md, losses. */
function adviceFor(phase: string, { dataDirectory }: Settings): string {
  const { signerSeed, signerLedger } = layout(dataDirectory)
  switch (phase) {
    case "LEDGER_MISSING":
      return `Put it back: ${show(signerLedger)}, whole, the newest copy there is.`
    case "LEDGER_DAMAGED":
      return `Put the newest copy of it back, whole: ${show(signerLedger)}.`
    case "LEDGER_FORMAT_UNKNOWN":
      return "Start the release that wrote it."
    case "LEDGER_FOREIGN":
    case "ROOT_SEED_UNUSABLE":
      return `Put back ${show(signerSeed)} and ${show(signerLedger)}, the pair that belongs together.`
    default:
      return ""
  }
}
