// Holders of shares at the terminal of a host: each writes down the sheet that is shown to them, and types from it.

/** Processes with a seed of their own, in the order of a sheet's lines. */
const PROCESSES = ["signer", "fetcher", "auth proxy"]
const WORDS_OF_SHARE = 40

/** Numbered words of a row: ` 1 abandon    2 ability`. */
const ROW = /^ ?\d{1,2} [a-z]+ +\d{1,2} [a-z]+/
const WORD = /\d{1,2} ([a-z]{3,8})/g

export class SheetHolders {
  /** Lines of each sheet: one for each process. */
  readonly #sheets: string[][] = []
  #read = 0

  /** What is typed at a ceremony that has shown this. */
  readonly atCeremony = (shown: string): string | undefined =>
    this.#next(shown, (screen) => {
      if (/press Enter\./.test(screen)) return ""
      if (/Enter (?:shows the words of the next process|removes them from the screen)/.test(screen)) {
        const number = Number(/Share (\d+) of/.exec(screen)?.[1])
        this.#sheets[number - 1] = [...(this.#sheets[number - 1] ?? []), ...linesIn(screen)]
        return ""
      }
      const [, share, process = ""] =
        /Type the words of share (\d+) of the (signer|fetcher|auth proxy),/.exec(screen) ?? []
      return share === undefined ? undefined : this.#line(Number(share), process)
    })

  /** What is typed where a process asks for its shares, by the holders of these numbers. */
  atUnlocking(process: string, numbers: readonly number[]): (shown: string) => string | undefined {
    const left = [...numbers]
    this.#read = 0
    return (shown) =>
      this.#next(shown, (screen) => {
        if (!/Words of a share, or an empty line to end:/.test(screen)) return undefined
        const number = left.shift()
        return number === undefined ? "" : this.#line(number, process)
      })
  }

  #next(shown: string, answer: (screen: string) => string | undefined): string | undefined {
    const typed = answer(shown.slice(this.#read))
    if (typed === undefined) return undefined
    this.#read = shown.length
    return `${typed}\n`
  }

  #line(share: number, process: string): string {
    return this.#sheets[share - 1]?.[PROCESSES.indexOf(process)] ?? ""
  }
}

function linesIn(screen: string): string[] {
  const rows = screen.split(/\r?\n/).filter((line) => ROW.test(line))
  const words = [...rows.join("\n").matchAll(WORD)].map(([, word = ""]) => word)
  const lines: string[] = []
  for (let at = 0; at < words.length; at += WORDS_OF_SHARE)
    lines.push(words.slice(at, at + WORDS_OF_SHARE).join(" "))
  return lines
}
