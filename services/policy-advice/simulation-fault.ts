/** The input names a user or credential that the organization does not have, or has an invalid payload. */
export class SimulationFault extends Error {
  /** `submitter`, `approvers[1]`, or a path that begins with `parameters`. */
  readonly member: string

  constructor(member: string, sentence: string, cause?: unknown) {
    super(sentence, { cause })
    this.member = member
  }
}
