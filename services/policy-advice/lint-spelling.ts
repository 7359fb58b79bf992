import { isSolanaAddress } from "../../signer/core/contract-interface/index.ts"
import { isTronAddress, tronAddressOf } from "../../signer/core/address/tron.ts"
import type { Spelling, StringType } from "../../signer/core/policy/language/types.ts"

// Texts that are never equal to a value of their field, because the field's values have another spelling.

/** Letters of other alphabets that look like these of ASCII. */
const LOOK_ALIKE: ReadonlyMap<string, string> = new Map(
  [
    ..."\u0430a \u0435e \u043eo \u0440p \u0441c \u0443y \u0445x \u0456i \u0458j \u0455s \u0410A \u0412B \u0415E \u041aK \u041cM \u041dH \u041eO \u0420P \u0421C \u0422T \u0425X \u0391A \u0392B \u0395E \u0396Z \u0397H \u0399I \u039aK \u039cM \u039dN \u039fO \u03a1P \u03a4T \u03a5Y \u03a7X \u03bfo \u03b1a".matchAll(
      /(\S)(\S)/gu,
    ),
  ].map(([, letter = "", ascii = ""]) => [letter, ascii]),
)

/** Warns of letters beyond ASCII in an id, an address or another text that has a form. */
export function adviceOnLetters(type: StringType | undefined, text: string): string | undefined {
  const hasForm = type?.spelling !== undefined || type?.refersTo !== undefined || type?.values !== undefined
  const [letter] = /[^\x20-\x7e]/u.exec(text) ?? []
  if (!hasForm || letter === undefined) return undefined
  const code = `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`
  const plain = Array.from(text.normalize("NFKC"), (one) => LOOK_ALIKE.get(one) ?? one).join("")
  const hint = /^[\x20-\x7e]*$/.test(plain) ? `; write '${plain}'` : "; write it in ASCII"
  return `never equal: ${code} is no letter of ASCII, though it may look like one${hint}`
}

/**
 * Warns of a text that no value of this spelling equals. `''` is no fault: it stands for what is absent.
 * @param isPart the text is compared with a part of a value: its length and beginning say nothing
 */
export function adviceOnSpelling(
  spelling: Spelling | undefined,
  text: string,
  isPart: boolean,
): string | undefined {
  if (spelling === undefined || text === "") return undefined
  const lower = text.toLowerCase()
  switch (spelling) {
    case "lower-case-hex":
      if (lower !== text && HEX.test(text)) return LOWER_CASE
      return isPart || text.startsWith("0x") || !HEX.test(text)
        ? undefined
        : write(`0x${lower}`, "it begins with 0x")
    case "selector":
      if (lower !== text && HEX.test(text)) return LOWER_CASE
      if (isPart || /^0x[0-9a-f]{8}$/.test(text)) return undefined
      return /^[0-9a-f]{8}$/.test(text)
        ? write(`0x${text}`, "it begins with 0x")
        : "never equal: it is 0x and 8 digits, such as '0xa9059cbb'"
    case "bare-hex":
    case "bare-selector": {
      const bare = lower.replace(/^0x/, "")
      if (bare !== text && HEX.test(text)) return write(bare, "it is hexadecimal in lower case without 0x")
      if (isPart || spelling === "bare-hex" || /^[0-9a-f]{8}$/.test(text)) return undefined
      return "never equal: it is 8 digits without 0x, such as 'a9059cbb'"
    }
    case "eip-55":
      // In EIP-55 almost every address has a capital letter, so this one lacks its checksum.
      return /^0x(?=.*[a-f])[0-9a-f]{40}$/.test(text)
        ? "addresses of Ethereum accounts are compared exactly, in the mixed case of EIP-55"
        : undefined
    case "evm-address":
      if (isPart || /^0x[0-9a-f]{40}$/.test(lower)) return undefined
      if (/^[0-9a-f]{40}$/.test(lower)) return write(`0x${text}`, "addresses begin with 0x")
      return "never equal: an address of an EVM chain is 0x and 40 digits"
    case "bitcoin-address":
      return !isPart && text !== lower && /^(?:bc|tb|bcrt)1/.test(lower)
        ? write(lower, "it is in lower case")
        : undefined
    case "tron-address":
      return isPart || isTronAddress(text) ? undefined : adviceOnTron(lower)
    case "solana-key":
      if (isPart || text === "ADDRESS_TABLE_LOOKUP" || isSolanaAddress(text)) return undefined
      return "never equal: it is no Base58 of 32 bytes"
    default:
      return spelling satisfies never
  }
}

const HEX = /^(?:0[xX])?[0-9a-fA-F]+$/

const LOWER_CASE = "it is hexadecimal in lower case and compared exactly"

function write(text: string, reason: string): string {
  return `never equal: ${reason}; write '${text}'`
}

/** @param text in lower case */
function adviceOnTron(text: string): string {
  const [, digits] = /^(?:0x)?(?:41)?([0-9a-f]{40})$/.exec(text) ?? []
  const reason = "addresses of Tron are Base58Check"
  if (digits === undefined) return `never equal: ${reason} and begin with T`
  return write(tronAddressOf(Buffer.from(digits, "hex")), reason)
}
