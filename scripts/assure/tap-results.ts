import { fileOfGroup } from "../test-groups.ts"

/** How a test ended, with the number of its assertions. */
export type Ended = { passed: boolean; skipped: boolean; checks: number }
export type NamedTest = { file: string; title: string }

type Open = { indent: number; name: string; checks: number }

const BEGUN = /^( *)# Subtest: (.*)$/
const RESULT = /^( *)(not )?ok \d+(?: - (.*))?$/
const FILE = /^test\/.*\.test\.ts$/

/**
 * Reads the TAP of scripts/test.ts: "# Subtest: file", with its tests four spaces further in, each followed by its own result, and
 * tests within tests again. Files that share a process are within a file of tap's. Tests of one file with the same title count as one.
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
  test({ file, title }: NamedTest): Ended | undefined {
    return this.#tests.get(keyOf(file, title))
  }

  /** The tests whose titles begin with the id. */
  tagged(id: string): NamedTest[] {
    return this.#all().filter(({ title }) => title.startsWith(`${id}: `))
  }

  /**
   * The tests that are written in the file with this title. `${…}` in the title stands for any text. Tests of a file that is no test
   * file are those of the test files that import it, and are found by their titles alone, also behind "name: ".
   */
  written(file: string, title: string): NamedTest[] {
    const [first = "", ...others] = title
      .split(/\$\{[^}]*\}/)
      .map((part) => part.replaceAll(/[^\w\s]/g, String.raw`\$&`))
    const isShared = !FILE.test(file)
    const pattern = new RegExp(`^${isShared ? "(?:.*: )?" : ""}${[first, ...others].join(".*")}$`)
    return this.#all().filter((test) => (isShared || test.file === file) && pattern.test(test.title))
  }

  /** True if tests of the file ran, and each was skipped: those within them are not named in the output. */
  isSkipped(file: string): boolean {
    const own = this.#all().filter((test) => test.file === file)
    return own.length > 0 && own.every((test) => this.test(test)?.skipped)
  }

  #all(): NamedTest[] {
    return [...this.#tests.keys()].map((key) => {
      const [file = "", title = ""] = key.split("\n")
      return { file, title }
    })
  }

  #readLine(line: string): void {
    const begun = BEGUN.exec(line)
    if (begun) {
      const [, spaces = "", name = ""] = begun
      this.#open.push({ indent: spaces.length, name: fileOfGroup(name) ?? name, checks: 0 })
      return
    }
    const [isResult, spaces = "", not, text = ""] = RESULT.exec(line) ?? []
    if (isResult === undefined) return
    const ended = this.#open.at(-1)?.indent === spaces.length ? this.#open.pop() : undefined
    const around = this.#open.at(-1)
    const checks = ended?.checks ?? 1
    if (around === undefined) return
    around.checks += checks
    const file = this.#open.findLast(({ name }) => FILE.test(name))
    // Other results are single assertions.
    if (file !== undefined && (ended !== undefined || file === around))
      this.#add(file.name, text, not === undefined, checks)
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
