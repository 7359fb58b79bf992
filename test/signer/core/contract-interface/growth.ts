import type { Test } from "tap"
import { MAX_INTERFACE_BYTES } from "../../../../signer/core/contract-interface/index.ts"
import { type Reader, executedBlocks } from "../../../harness/executed-blocks.ts"

/** A text of about this many characters. */
export type Text = (length: number) => string

/** The longest text, and a quarter of it, which the reader of JSON still counts among the long ones. */
const LONG = MAX_INTERFACE_BYTES
const SHORT = LONG / 4
/** Linear work is four times as much for LONG as for SHORT, quadratic work sixteen times. */
const GROWTH = 5
/** Only texts that can hold too many values have their commas counted: at most as many blocks for each character. */
const COUNTING = 4

/** Checks that a character of the longest text of each kind costs at most as much as one of a short text. */
export function growsInProportion(t: Test, reader: Reader, kinds: Readonly<Record<string, Text>>): void {
  const texts = Object.values(kinds).flatMap((text) => [text(SHORT), text(LONG)])
  const works = executedBlocks(reader, texts)
  for (const [index, name] of Object.keys(kinds).entries()) {
    const [short, long] = texts.slice(2 * index)
    t.ok(short!.length <= SHORT && long!.length <= LONG && long!.length > 0.75 * LONG, name)
    const [less, more] = works.slice(2 * index)
    t.ok(
      more!.blocks <= GROWTH * less!.blocks + COUNTING * long!.length,
      `${name}: ${less!.blocks} blocks, then ${more!.blocks}`,
    )
    t.ok([undefined, "Fault"].includes(more!.thrown), name, { thrown: more!.thrown })
  }
}

/** As many pieces between two brackets as there is room for. */
export function fill(
  length: number,
  [begin, end]: readonly [string, string],
  piece: (index: number) => unknown,
): string {
  const pieces: string[] = []
  for (let room = length - begin.length - end.length; ; ) {
    const text = JSON.stringify(piece(pieces.length))
    room -= text.length + 1
    if (room < 0) return begin + pieces.join() + end
    pieces.push(text)
  }
}
