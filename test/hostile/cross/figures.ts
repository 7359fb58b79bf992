/** Counts of one product. A cell is one combination of its factors, with the answers that the rules allow. */
export class Figures {
  readonly product: string
  #run = 0
  /** Cells that cannot be run, by the reason. */
  readonly #notRun = new Map<string, number>()
  /** Answers, by refusal code or state. */
  readonly answers = new Map<string, number>()
  readonly unexpected: string[] = []

  constructor(product: string) {
    this.product = product
  }

  get cells(): number {
    return this.#run + [...this.#notRun.values()].reduce((sum, count) => sum + count, 0)
  }

  /** A cell without allowed answers has no expectation, which is a fault. */
  count(cell: string, answer: string, allowed: readonly string[]): boolean {
    this.#run += 1
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1)
    if (allowed.includes(answer)) return true
    const expected = allowed.length === 0 ? "nothing, as no rule is about it" : allowed.join(" or ")
    this.unexpected.push(`${cell}: ${answer}; expected ${expected}`)
    return false
  }

  notRun(reason: string, count = 1): void {
    this.#notRun.set(reason, (this.#notRun.get(reason) ?? 0) + count)
  }

  lines(): string[] {
    const { product, cells, unexpected } = this
    return [
      `${product}: ${this.#run} of ${cells} cells run, ${unexpected.length} unexpected`,
      ...[...this.#notRun].map(([reason, count]) => `  not run, ${count}: ${reason}`),
      ...unexpected.map((one) => `  unexpected: ${one}`),
    ]
  }
}
