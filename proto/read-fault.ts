/** A request does not fit its message. `message` is the sentence for the caller, the member's path in it. */
export class ReadFault extends Error {
  /** Path of the member at fault, as `parameters.users[0].apiKeys[1].publicKey`; "" for the whole request. */
  readonly path: string
  readonly sentence: string

  constructor(path: string, sentence: string) {
    super(sentence)
    this.name = "ReadFault"
    this.path = path
    this.sentence = sentence
  }
}

/** A fault of a member that is there: its path, then what it must be. */
export function faulty(path: string, complaint: string): ReadFault {
  return new ReadFault(path, path === "" ? `the request ${complaint}` : `\`${path}\` ${complaint}`)
}
