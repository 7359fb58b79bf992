import { REFUSED, StartError, USAGE } from "../settings/start-fault.ts"

/** A line, a name or the files of a certificate cannot be used. */
export class JoinFault extends StartError {
  /** usage: the command was given something else than it takes; refused: it was understood. */
  readonly kind: "usage" | "refused"

  constructor(kind: "usage" | "refused", sentence: string, options?: ErrorOptions) {
    super(kind === "usage" ? USAGE : REFUSED, sentence, options)
    this.kind = kind
  }
}
