/** How a test ended, with the number of its assertions. */
export type Ended = { passed: boolean; skipped: boolean; checks: number }

type Open = { indent: number; name: string; checks: number }

const BEGUN = /^( *)# Subtest: (.*)$/
const RESULT = /^( *)(not )?ok \d+(?: - (.*))?$/
const FILE = /^test\/.*\.test\.ts$/

/**
 * Reads the TAP of scripts/test.ts: "# Subtest: file", with its tests four spaces further in, each followed by its own result. Files
 * that share a process are within a file of tap's. Tests of one file with the same title count as one.
 */
export class TapResults {
  readonly #tests = new Map<string, Ended>()
  #open: Open[] = []
  #rest = ""

  /** Takes the next piece of the output, cut anywhere. */
  read(text: string): void {
    const lines = (this.#rest + text).split("\n")
    this.#rest = lines.pop() ?? ""
    for (const line of lines) this.#readLine(line)
  }

  /** Undefined: no such test ended. */
  test(file: string, title: string): Ended | undefined {
    return this.#tests.get(keyOf(file, title))
  }

  /** The tests whose titles begin with the id. */
  tagged(id: string): { file: string; title: string }[] {
    return [...this.#tests.keys()].flatMap((key) => {
      const [file = "", title = ""] = key.split("\n")
      return title.startsWith(`${id}: `) ? [{ file, title }] : []
    })
  }

  #readLine(line: string): void {
    const begun = BEGUN.exec(line)
    if (begun) {
      const [, spaces = "", name = ""] = begun
      this.#open.push({ indent: spaces.length, name, checks: 0 })
      return
    }
    const [isResult, spaces = "", not, text = ""] = RESULT.exec(line) ?? []
    if (isResult === undefined) return
    const ended = this.#open.at(-1)?.indent === spaces.length ? this.#open.pop() : undefined
    const around = this.#open.at(-1)
    const checks = ended?.checks ?? 1
    if (around === undefined) return
    around.checks += checks
    if (FILE.test(around.name)) this.#add(around.name, text, not === undefined, checks)
  }

  #add(file: string, text: string, passes: boolean, checks: number): void {
    const isSkipped = / # (?:SKIP|TODO)\b/i.test(text)
    const key = keyOf(file, text.replace(/ # (?:time=|SKIP|TODO).*$/i, ""))
    const { passed = true, skipped = true, checks: earlier = 0 } = this.#tests.get(key) ?? {}
    this.#tests.set(key, {
      passed: passed && passes,
      skipped: skipped && isSkipped,
      checks: earlier + (isSkipped ? 0 : checks),
    })
  }
}

const keyOf = (file: string, title: string) => `${file}\n${title}`
