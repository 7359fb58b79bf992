import { CliError, ExitCode } from "../terminal-client/exit.ts"
import { displayPath } from "../terminal-client/display.ts"
import type { Settings } from "../terminal-client/settings.ts"
import { layout, programs } from "./layout.ts"
import { resetAdvice } from "./reset-advice.ts"
import { outputOf } from "./run-program.ts"

/** The operator's program, through which `dev` calls the signer. */
export type Operator = {
  /** Waits until the signer answers. */
  status: () => Promise<Status>
  acceptClock: () => Promise<void>
  setupCode: (publicKey: string) => Promise<string>
}

/** The output of the operator's program of this release. */
type Status = { phase: string; explanation: string; pins?: { notarizerPublicKey: string } }
type Code = { setupCode: string }
/** The signer reads its ledger at the start, which takes time. If it ends, the wait ends too. */
const START_TIMEOUT_SECONDS = 600

export function createOperator(environment: NodeJS.ProcessEnv, signal: AbortSignal): Operator {
  const call = async <Printed>(...words: string[]): Promise<Printed> =>
    JSON.parse(await outputOf([programs.operator, ...words, "--json"], environment, signal))
  return {
    status: () => call<Status>("status", "--wait", String(START_TIMEOUT_SECONDS)),
    acceptClock: async () => void (await call("accept-clock")),
    setupCode: async (publicKey) => (await call<Code>("setup-code", "--for", publicKey)).setupCode,
  }
}

/**
 * Waits until the signer is ready. Accepts an untrusted clock, as after some days without a start. Returns the
 * notarizer's public key.
 */
export async function requireSignerReady(
  operator: Operator,
  settings: Settings,
  log: (line: string) => void,
): Promise<string> {
  let { phase, explanation, pins } = await operator.status()
  if (phase === "CLOCK_UNTRUSTED") {
    await operator.acceptClock()
    log(`accepted the clock for the signer, because this is development (${explanation})`)
    ;({ phase, explanation, pins } = await operator.status())
  }
  if ((phase === "READY" || phase === "UNWITNESSED") && pins !== undefined) return pins.notarizerPublicKey
  const fault = `the signer is not ready (${phase}): ${explanation}. ${adviceFor(phase, settings)}`
  throw new CliError(ExitCode.fault, `${fault} ${resetAdvice(settings)}`)
}

/** Remedy for a halted signer, as in docs/OPERATIONS.md under Losses. */
function adviceFor(phase: string, { dataDirectory }: Settings): string {
  const { signerSeed, signerLedger } = layout(dataDirectory)
  switch (phase) {
    case "LEDGER_MISSING":
      return `Restore the newest copy of the whole directory ${displayPath(signerLedger)}.`
    case "LEDGER_DAMAGED":
      return `Restore the newest copy of the whole directory ${displayPath(signerLedger)}.`
    case "LEDGER_OLDER":
      return (
        `Restore the newest copy of the whole directory ${displayPath(signerLedger)}, or give up what is newer: ` +
        "npx countersign-signer accept-ledger."
      )
    case "LEDGER_FORMAT_UNKNOWN":
      return "Start the release that wrote it."
    case "LEDGER_FOREIGN":
    case "ROOT_SEED_UNUSABLE":
      return `Restore ${displayPath(signerSeed)} and ${displayPath(signerLedger)} from the same backup.`
    default:
      return ""
  }
}
