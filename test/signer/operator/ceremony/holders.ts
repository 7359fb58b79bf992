// Holders at a terminal: they write down what is shown to each, and answer questions from their sheets.
import type { CeremonyCommand } from "../../../../signer/operator/ceremony/ceremony.ts"
import { inputEnded, type HolderTerminal } from "../../../../signer/process/holder-terminal.ts"

/** A ceremony without holders' keys, daily ways and other processes. */
export const CEREMONY: CeremonyCommand = {
  shares: 5,
  threshold: 3,
  usesPassphrase: false,
  usesCommand: false,
  sheets: undefined,
  holders: [],
  approvesSetupCodes: false,
  approvals: [],
  fetcherSeed: undefined,
  authProxyKey: undefined,
}

/** Numbered words of a row: ` 1 abandon    2 ability`. */
const WORD = /(?:^|\s)\d{1,2} ([a-z]{3,8})(?=\s|$)/g

/** A ceremony of these tests has fewer. */
const MAX_QUESTIONS = 100

/** The words of the rows of a sheet; its other lines have none. */
function wordsIn(lines: readonly string[]): string[] {
  const rows = lines.filter((line) => /^ ?\d{1,2} [a-z]+ +\d{1,2} [a-z]+/.test(line))
  return [...rows.join("\n").matchAll(WORD)].map(([, word = ""]) => word)
}

/** Answers a question; undefined: as the holder of the sheet does. */
export type Answer = (question: string, holders: Holders) => string | undefined

/** All holders at one terminal. Their sheets, by share number, are what the terminal showed them. */
export class Holders implements HolderTerminal {
  readonly sheets = new Map<number, string>()
  readonly questions: string[] = []
  readonly shown: string[] = []
  /** Numbers of the shares that are given when a seed is opened. */
  present: number[] = []
  onScreen: string[] = []
  readonly #answer: Answer

  constructor(answer: Answer = () => undefined) {
    this.#answer = answer
  }

  async ask(question: string): Promise<string> {
    this.questions.push(question)
    if (this.questions.length > MAX_QUESTIONS) throw new Error(`too many questions: ${question}`)
    const own = this.#answer(question, this)
    if (own === "\u0004") throw inputEnded()
    return own ?? this.#usual(question)
  }

  show(...lines: readonly string[]): void {
    this.shown.push(...lines)
    this.onScreen.push(...lines)
    const [, number] = /^Share (\d+) of/.exec(lines[0] ?? "") ?? []
    if (number !== undefined) this.sheets.set(Number(number), wordsIn(lines).join(" "))
  }

  clear(): void {
    this.onScreen = []
  }

  close(): void {
    this.clear()
  }

  #usual(question: string): string {
    const [, number] = /words of share (\d+)/.exec(question) ?? []
    if (number !== undefined) return this.sheets.get(Number(number)) ?? ""
    if (question.startsWith("Present share")) return this.sheets.get(this.present.shift() ?? 0) ?? ""
    return ""
  }
}
