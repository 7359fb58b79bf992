/** What the exit status of `countersign` says. Part of the interface: scripts branch on it. */
export const ExitCode = {
  done: 0,
  fault: 1,
  usage: 2,
  refused: 3,
  waitsForApproval: 4,
  unreachable: 5,
  verificationFailed: 6,
} as const
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode]

/** An end with a sentence for the person at the terminal: what happened, to which named thing, what now. */
export class CliError extends Error {
  override name = "CliError"
  readonly code: ExitCode
  /** What the API gave as its reason, a code of docs/ERRORS.md. */
  readonly reason: string | undefined

  constructor(
    code: ExitCode,
    sentence: string,
    options: ErrorOptions & { reason?: string | undefined } = {},
  ) {
    super(sentence, options)
    this.code = code
    this.reason = options.reason
  }
}
