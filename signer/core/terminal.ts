/** Output of a command: results to standard output, everything else to standard error. */
export type Terminal = {
  /** Prints one line of the result. */
  print: (line: string) => void
  /** Prints one line that is not part of the result. */
  log: (line: string) => void
}

/**
 * The only way of a command's text to a terminal. Evidence and replies of servers hold text of attackers. Unescaped, it
 * could move the cursor, recolour or reorder text, or begin a line of its own.
 *
 * @param writers receive one line each, without its end
 */
export function openTerminal({ print, log }: Terminal): Terminal {
  return { print: (line) => print(terminalText(line)), log: (line) => log(terminalText(line)) }
}

/**
 * Characters that a terminal obeys or does not show: Unicode 16, general categories C and Z but U+0020,
 * Default_Ignorable_Code_Point, U+2800. These are controls, bidirectional and other format characters, separators and
 * other spaces, fillers, variation selectors, lone surrogates and unassigned code points. Also marks behind four others:
 * browsers pile them up over the lines above and below. No script needs so many on one letter.
 */
const UNSAFE =
  /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|(?<=[\p{Mn}\p{Me}]{4})[\p{Mn}\p{Me}]/gu

/** Most lines have nothing else. */
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/

/** Writes unsafe characters as `\uXXXX`. In JSON this is the same text: outside of strings JSON has none of them. */
export function terminalText(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text
  return text.replace(UNSAFE, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      return `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`
    }).join(""),
  )
}
