import type { Random } from "../random.ts"
import { copyOf, type Part, partsOf, type TreeFormat } from "./tree.ts"

/** Bytes and numbers at the ends of what readers accept. */
const BYTES = [0, 1, 0x1f, 0x20, 0x22, 0x30, 0x5c, 0x7f, 0x80, 0x81, 0xb8, 0xc0, 0xf8, 0xfd, 0xfe, 0xff]
const WORDS = [
  ..."null|true|false|0|-0|-1|1|1e400|1e-9|0.5|255|256|4294967295|4294967296|9007199254740993".split("|"),
  ...'18446744073709551616|""|[]|{}|"0x"|"\\ud800"|"\\u0000"|"__proto__"|0x|0X|constructor|\n|\r| |\0'.split(
    "|",
  ),
  `1${"0".repeat(77)}`,
  "\u{1f511}",
  "\u00e9",
  "[".repeat(70),
].map((word) => Buffer.from(word))

/** Mutations of one input, one on top of the other. */
const MAX_STEPS = 5

/** Makes new inputs from those of a corpus: bytes changed, words put in, parts of two inputs joined, parts of a tree moved. */
export class Mutator {
  readonly #random: Random
  readonly #format: TreeFormat | undefined
  readonly #words: Buffer[]
  readonly #maxLength: number
  readonly #trees = new WeakMap<Buffer, Part>()
  readonly #shapeless = new WeakSet<Buffer>()

  constructor(
    random: Random,
    {
      format,
      maxLength,
      words,
    }: { format: TreeFormat | undefined; maxLength: number; words: readonly Buffer[] },
  ) {
    this.#random = random
    this.#format = format
    this.#words = [...WORDS, ...words]
    this.#maxLength = maxLength
  }

  mutate(parent: Buffer, other: Buffer): Buffer {
    const steps = () => 1 + this.#random.below(MAX_STEPS)
    const tree = this.#random.below(3) > 0 ? this.#treeOf(parent) : undefined
    let input = parent
    if (tree !== undefined && this.#format !== undefined) {
      const moved = copyOf(tree)
      const otherTree = this.#treeOf(other) ?? tree
      for (let left = steps(); left > 0; left--) this.#move(moved, otherTree)
      input = this.#format.write(moved)
    }
    if (tree === undefined || this.#random.below(4) === 0)
      for (let left = steps(); left > 0; left--) input = this.#changed(input, other)
    return input.length <= this.#maxLength ? input : input.subarray(0, this.#maxLength)
  }

  /** Inputs of a corpus are parsed once. */
  #treeOf(input: Buffer): Part | undefined {
    if (this.#format === undefined || this.#shapeless.has(input)) return undefined
    const tree = this.#trees.get(input) ?? this.#format.parse(input)
    if (tree === undefined) this.#shapeless.add(input)
    else this.#trees.set(input, tree)
    return tree
  }

  /** Alters one part of the tree. */
  #move(tree: Part, other: Part): void {
    const random = this.#random
    const part = random.of(partsOf(tree))
    const donor = copyOf(random.of(partsOf(other)))
    const { body } = part
    switch (random.below(8)) {
      case 0:
        Object.assign(part, donor)
        break
      case 1:
        part.head = donor.head
        break
      case 2:
        part.body = donor.body
        break
      case 3:
        if (Array.isArray(body)) body.splice(random.below(body.length + 1), 0, donor)
        break
      case 4:
        if (Array.isArray(body)) body.splice(random.below(body.length + 1), 1)
        break
      case 5:
        if (Array.isArray(body) && body.length > 0)
          body.splice(random.below(body.length + 1), 0, copyOf(random.of(body)))
        break
      case 6:
        if (Array.isArray(body) && body.length > 1) body.push(...body.splice(random.below(body.length), 1))
        break
      default:
        break
    }
    if (part.body === body && !Array.isArray(body)) part.body = this.#changed(body, body)
  }

  #changed(input: Buffer, other: Buffer): Buffer {
    const random = this.#random
    const at = random.below(input.length + 1)
    const until = Math.min(input.length, at + 1 + random.below(random.of([1, 2, 4, 16, 64])))
    switch (random.below(10)) {
      case 0:
        return replaced(input, at, at + 1, Buffer.of((input[at] ?? 0) ^ (1 << random.below(8))))
      case 1:
        return replaced(input, at, at + 1, Buffer.of(random.of(BYTES)))
      case 2:
        return replaced(input, at, at + 1, Buffer.of((input[at] ?? 0) + random.of([1, -1, 16, -16])))
      case 3:
        return replaced(input, at, until, Buffer.alloc(0))
      case 4:
        return replaced(input, at, at, input.subarray(at, until))
      case 5:
        return replaced(input, at, at, Buffer.from(random.bytes(1 + random.below(8))))
      case 6:
        return replaced(input, at, at, random.of(this.#words))
      case 7: {
        const word = random.of(this.#words)
        return replaced(input, at, random.below(2) === 0 ? at + word.length : until, word)
      }
      case 8: {
        const from = random.below(other.length + 1)
        return replaced(input, at, until, other.subarray(from, from + 1 + random.below(64)))
      }
      default: {
        const from = random.below(other.length + 1)
        return Buffer.concat([input.subarray(0, at), other.subarray(from)])
      }
    }
  }
}

function replaced(input: Buffer, from: number, until: number, by: Buffer): Buffer {
  return Buffer.concat([input.subarray(0, from), by, input.subarray(Math.min(until, input.length))])
}

const WORD = /[A-Za-z_$][\w$.:/-]{1,40}/g
const LITERAL = /"([^"\\\n]{1,40})"/g

/** Words of a corpus, and texts that the readers' own files compare with. */
export function wordsOf(inputs: readonly Buffer[], sources: readonly string[]): Buffer[] {
  const words = new Set<string>()
  for (const input of inputs)
    for (const [word] of input.toString("latin1").matchAll(WORD)) if (words.size < 2_000) words.add(word)
  for (const source of sources)
    for (const [, literal = ""] of source.matchAll(LITERAL)) if (!literal.includes(" ")) words.add(literal)
  return [...words].map((word) => Buffer.from(word, "latin1"))
}
