import { type ShareLabel } from "../../core/sealed-seed/share.ts"
import { ownerName } from "../../core/sealed-seed/terms.ts"
import { qrLines, qrSvg } from "./qr.ts"

/** One process's share on a holder's sheet. */
export type SheetLine = { label: ShareLabel; words: readonly string[] }

/** A holder's sheet: one line for each process. `deploymentId`: UUID; `holders`: number of shares. */
export type Sheet = { deploymentId: string; number: number; holders: number; lines: readonly SheetLine[] }

const WORDS_IN_ROW = 5

/** The sheet as screens of a terminal, one for each process. Words come last: a console of 24 rows shows them above the question. */
export function sheetScreens({ deploymentId, number, holders, lines }: Sheet): string[][] {
  return lines.map(({ label, words }) => [
    `Share ${number} of ${holders}, deployment ${deploymentId}`,
    "",
    ...qrLines(words),
    "",
    `Share ${number}, ${titleOf(label)}`,
    "",
    ...rowsOf(words),
    "",
  ])
}

/** The sheet as a page for a printer. It has no script and loads nothing. */
export function sheetPage({ deploymentId, number, holders, lines }: Sheet): string {
  const parts = lines.map(
    ({ label, words }) =>
      `<section><h2>${titleOf(label)}</h2><pre>${rowsOf(words).join("\n")}</pre>${qrSvg(words)}</section>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Share ${number} of ${holders}</title><style>${STYLE}</style></head><body>
<h1>Countersign: share ${number} of ${holders}</h1>
<p>Deployment ${deploymentId}. Keep this sheet where no other holder's sheet is. Whoever has the words has the share.</p>
${parts.join("\n")}
<p>To unlock, on the host of the process: <code>countersign-signer unlock</code>, <code>countersign-fetcher unlock</code> or <code>countersign-node proxy unlock</code>, then the words of that process, or the text of its code.</p>
</body></html>
`
}

const STYLE =
  "body{font:11pt sans-serif;margin:15mm}pre{font:12pt monospace;line-height:1.6}section{break-inside:avoid}svg{width:60mm}"

function titleOf({ owner, generation, threshold }: ShareLabel): string {
  return `${ownerName(owner)}: generation ${generation}, ${threshold} shares open it`
}

/** Five numbered words in a row. */
function rowsOf(words: readonly string[]): string[] {
  const cells = words.map((word, index) => `${String(index + 1).padStart(2)} ${word.padEnd(8)}`)
  return Array.from({ length: Math.ceil(words.length / WORDS_IN_ROW) }, (_, row) =>
    cells
      .slice(row * WORDS_IN_ROW, (row + 1) * WORDS_IN_ROW)
      .join("  ")
      .trimEnd(),
  )
}
