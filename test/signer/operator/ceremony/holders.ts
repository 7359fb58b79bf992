// Holders at a terminal: they write down what is shown to each, and answer questions from their sheets.
import { join } from "node:path"
import type { CeremonyCommand } from "../../../../signer/operator/ceremony/ceremony.ts"
import { inputEnded, type HolderTerminal } from "../../../../signer/core/seal-commands/holder-terminal.ts"

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
  sealsAuthority: false,
}

/** Numbered words of a row: ` 1 abandon    2 ability`. */
const WORD = /(?:^|\s)\d{1,2} ([a-z]{3,8})(?=\s|$)/g

const WORDS_OF_SHARE = 40

/** A ceremony of these tests has fewer. */
const MAX_QUESTIONS = 100

/** The words of the rows of a sheet; its other lines have none. */
function wordsIn(lines: readonly string[]): string[] {
  const rows = lines.filter((line) => /^ ?\d{1,2} [a-z]+ +\d{1,2} [a-z]+/.test(line))
  return [...rows.join("\n").matchAll(WORD)].map(([, word = ""]) => word)
}

/** A line of a sheet: forty words after forty. */
export function lineOf(sheet: string, index: number): string {
  const at = index * WORDS_OF_SHARE
  return sheet
    .split(" ")
    .slice(at, at + WORDS_OF_SHARE)
    .join(" ")
}

/** Files of the seeds that a ceremony seals beside the signer's, in the order of the lines of a sheet. */
export function otherSeedsIn(directory: string) {
  return {
    fetcherSeed: join(directory, "fetcher-seed"),
    authProxyKey: join(directory, "auth-proxy-key"),
    sealsAuthority: true,
  }
}

/** Answers a question; undefined: as the holder of the sheet does. */
export type Answer = (question: string, holders: Holders) => string | undefined

/** All holders at one terminal. Their sheets, by share number, are what the terminal showed them. */
export class Holders implements HolderTerminal {
  readonly sheets = new Map<number, string>()
  readonly questions: string[] = []
  readonly shown: string[] = []
  /** Owners of the lines of each sheet, in their order. */
  readonly #owners: string[] = []
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
    if (number === undefined) return
    const owners = lines.flatMap((line) => /^Share \d+, ([a-z ]+): generation/.exec(line)?.[1] ?? [])
    // The first process of a sheet begins it, and each other one goes on.
    const isFirst = owners[0] === (this.#owners[0] ?? owners[0])
    const before = isFirst ? "" : `${this.sheets.get(Number(number)) ?? ""} `
    this.sheets.set(Number(number), before + wordsIn(lines).join(" "))
    this.#owners.splice(isFirst ? 0 : this.#owners.length, isFirst ? this.#owners.length : 0, ...owners)
  }

  /** The words of one line of a sheet, forty after forty. */
  line(number: number, owner: string): string {
    return lineOf(this.sheets.get(number) ?? "", Math.max(this.#owners.indexOf(owner), 0))
  }

  clear(): void {
    this.onScreen = []
  }

  close(): void {
    this.clear()
  }

  #usual(question: string): string {
    const [, number, owner = ""] = /words of share (\d+)(?: of the ([a-z ]+),)?/.exec(question) ?? []
    if (number !== undefined) return this.line(Number(number), owner)
    const [present, other = "signer"] =
      /^Present share .*needed(?: for the ([a-z ]+))?:$/.exec(question) ?? []
    return present === undefined ? "" : this.line(this.present.shift() ?? 0, other)
  }
}
