import { FAULT, REFUSED, startFaultOf, UsageError } from "../core/settings/start-fault.ts"
import { terminal } from "./terminal.ts"

/** Writes to standard error why a command failed; `isJson`: as one line of JSON. @returns the exit status */
export function sayFault(
  program: string,
  error: unknown,
  { isJson, isRefused = false }: { isJson: boolean; isRefused?: boolean },
): number {
  const { sentence, status: exitStatus } = startFaultOf(error) ?? {
    sentence: error instanceof Error ? error.message : String(error),
    status: isRefused ? REFUSED : FAULT,
  }
  const [first, ...others] = error instanceof UsageError ? sentence.split("\n") : [sentence]
  if (isJson) terminal.log(JSON.stringify({ error: { exitStatus, message: sentence } }))
  else for (const line of [`${program}: ${first}`, ...others]) terminal.log(line)
  return exitStatus
}
