import { closestName } from "../../../signer/core/closest-name.ts"
import { ACCOUNT_KINDS, accountOf } from "../../dashboard/words/chains.ts"
import { type CliError, usage } from "../../terminal-client/exit.ts"

/**
 * Accounts of a wallet: `ethereum`, `ethereum:1` with the index of the account, `ethereum:1:savings` with a name too. Accounts
 * without an index follow one another.
 *
 * @throws {CliError} usage
 */
export function readAccounts(texts: readonly string[]): Promise<object[]> {
  const next = new Map<string, number>()
  const accounts = texts.map((text) => {
    const [word = "", index = "", ...name] = text.split(":")
    const kind = ACCOUNT_KINDS.find((one) => one.name.toLowerCase() === word.toLowerCase())
    if (kind === undefined) throw unknownKind(text, word)
    if (!/^(?:\d{1,9})?$/.test(index)) throw faultOfText(text, `the index ${index} is not a number`)
    const number = index === "" ? (next.get(kind.name) ?? 0) : Number(index)
    next.set(kind.name, number + 1)
    return accountOf(kind.name, number, name.join(":"))
  })
  return Promise.resolve(accounts)
}

function unknownKind(text: string, word: string): CliError {
  const words = ACCOUNT_KINDS.map(({ name }) => name.toLowerCase())
  const near = closestName(word.toLowerCase(), words)
  const advice = near === undefined ? `use ${words.join(", ")}.` : `did you mean ${near}?`
  return faultOfText(text, `there is no kind of account ${word}; ${advice} For other paths: --file FILE`)
}

function faultOfText(text: string, sentence: string): CliError {
  return usage(`--account ${text}: ${sentence}`)
}
