/** Commands of a later release, and what serves today. */
const LATER: { readonly [words: string]: string } = {
  reseal:
    "sealing everything under a new key comes with a later release. Today: docs/RUNBOOKS.md, Rotating, says which keys can be replaced",
  "ledger rebase":
    "a rebase with shares comes with a later release. Today: countersign-signer accept-ledger accepts an older ledger, and what is newer is lost (docs/OPERATIONS.md, Losses)",
}

/** The sentence about a command of a later release; undefined: the words begin none. */
export function laterCommand([first = "", second = ""]: readonly string[]): string | undefined {
  return [first, `${first} ${second}`]
    .map((words) => (Object.hasOwn(LATER, words) ? LATER[words] : undefined))
    .find((sentence) => sentence !== undefined)
}
