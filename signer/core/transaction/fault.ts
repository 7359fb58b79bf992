/** A transaction is not in its chain's encoding, or asks for what is never signed. `offset`: the byte at fault. */
export class TransactionFault extends Error {
  override name = "TransactionFault"
  readonly offset: number

  constructor(message: string, offset: number, options?: ErrorOptions) {
    super(message, options)
    this.offset = offset
  }
}
