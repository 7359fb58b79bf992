/** Exit status of `countersign`. Part of the interface: scripts branch on it. */
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

/** Ends the command with a sentence for the user: what happened, to what, and what to do. */
export class CliError extends Error {
  override name = "CliError"
  readonly code: ExitCode
  /** The sentence, then lines below it; none of them contains the end of a line that the command means. */
  readonly lines: readonly string[]
  /** The API's refusal code (docs/ERRORS.md). */
  readonly reason: string | undefined
  /** The API's error body, for `--json`. */
  readonly reply: unknown

  constructor(
    code: ExitCode,
    sentence: string | readonly string[],
    options: ErrorOptions & { reason?: string | undefined; reply?: unknown } = {},
  ) {
    const lines = typeof sentence === "string" ? [sentence] : sentence
    super(lines.join("\n"), options)
    this.lines = lines
    this.code = code
    this.reason = options.reason
    this.reply = options.reply
  }
}

/** A fault of the command line, or of a file that it names. */
export function usage(
  sentence: string | readonly string[],
  options: ErrorOptions & { reason?: string } = {},
): CliError {
  return new CliError(ExitCode.usage, sentence, options)
}
