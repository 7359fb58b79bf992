/**
 * Runs queued tasks a few at a time, giving the loop back in between. Otherwise a burst on the socket is read
 * whole, signed whole and answered whole, while the API tier idles: both processes then run in lock-step.
 */
export class TurnQueue {
  readonly #tasks: (() => void)[] = []
  readonly #perTurn: number
  #head = 0
  #scheduled = false

  constructor(perTurn: number) {
    this.#perTurn = perTurn
  }

  push(task: () => void): void {
    this.#tasks.push(task)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.#turn())
  }

  #turn(): void {
    this.#scheduled = false
    for (let ran = 0; ran < this.#perTurn && this.#head < this.#tasks.length; ran++) {
      this.#tasks[this.#head++]!()
    }
    if (this.#head < this.#tasks.length) return this.#schedule()
    this.#tasks.length = 0
    this.#head = 0
  }
}
